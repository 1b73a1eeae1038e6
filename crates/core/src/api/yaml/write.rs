//! Writes JSON values as YAML like kubectl: sorted keys, strings quoted only if necessary, long ones
//! folded (`sigs.k8s.io/yaml` v1.6 over go-yaml v2).

use serde_json::Value;

use super::resolve::resolve_plain;
use berth_base::sort;

/// Scalars are folded at the first blank after this column.
const WIDTH: usize = 80;

/// A value as printed by kubectl with `-o yaml`.
pub fn write(value: &Value) -> String {
    let mut writer = Writer { out: String::new() };
    match value {
        Value::Object(map) if !map.is_empty() => writer.map(value, 0),
        Value::Array(list) if !list.is_empty() => writer.list(list, 0),
        other => {
            writer.scalar(other, 0, 0);
            writer.out.push('\n');
        }
    }
    writer.out
}

struct Writer {
    out: String,
}

impl Writer {
    /// The entries of a map; the first one is indented already.
    fn map(&mut self, value: &Value, indent: usize) {
        let mut entries: Vec<_> = value.as_object().into_iter().flatten().collect();
        sort::sort_by(&mut entries, |a, b| natural(a.0, b.0));
        for (index, (key, value)) in entries.into_iter().enumerate() {
            if index > 0 {
                self.indent(indent);
            }
            let start = self.out.len();
            self.text(key, indent, indent, true);
            self.out.push(':');
            let column = indent + self.out.get(start..).map_or(0, |it| it.chars().count());
            match value {
                Value::Object(map) if !map.is_empty() => {
                    self.out.push('\n');
                    self.indent(indent + 2);
                    self.map(value, indent + 2);
                }
                Value::Array(list) if !list.is_empty() => {
                    self.out.push('\n');
                    self.indent(indent);
                    self.list(list, indent);
                }
                scalar => {
                    self.out.push(' ');
                    self.scalar(scalar, indent, column + 1);
                    self.out.push('\n');
                }
            }
        }
    }

    /// The items of a list; the first one is indented already.
    fn list(&mut self, list: &[Value], indent: usize) {
        for (index, item) in list.iter().enumerate() {
            if index > 0 {
                self.indent(indent);
            }
            self.out.push_str("- ");
            match item {
                Value::Object(map) if !map.is_empty() => self.map(item, indent + 2),
                Value::Array(list) if !list.is_empty() => self.list(list, indent + 2),
                scalar => {
                    self.scalar(scalar, indent, indent + 2);
                    self.out.push('\n');
                }
            }
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// A value on a line that has `column` characters already.
    fn scalar(&mut self, value: &Value, indent: usize, column: usize) {
        match value {
            Value::String(text) => self.text(text, indent, column, false),
            Value::Array(_) => self.out.push_str("[]"),
            Value::Object(_) => self.out.push_str("{}"),
            other => self.out.push_str(&other.to_string()),
        }
    }

    fn text(&mut self, text: &str, indent: usize, column: usize, is_key: bool) {
        let form = Form::of(text);
        if text.contains('\n') && !is_key && form.block {
            return self.literal(text, indent);
        }
        let is_text = !means_something_else(text);
        if is_text && form.plain {
            self.folded(text, indent, column, !is_key, '\0');
        } else if is_text && form.single && !text.contains('\n') {
            self.out.push('\'');
            self.folded(&text.replace('\'', "''"), indent, column + 1, !is_key, '\'');
            self.out.push('\'');
        } else {
            self.double(text, indent, column, !is_key);
        }
    }

    /// Text without escapes; a single blank after the width becomes a line break.
    fn folded(&mut self, text: &str, indent: usize, column: usize, folds: bool, quote: char) {
        let mut column = column;
        let mut after_blank = false;
        let mut letters = text.chars().peekable();
        let mut is_first = true;
        while let Some(letter) = letters.next() {
            let next = letters.peek();
            let is_inner = next.is_some() && !(is_first && quote != '\0');
            let fits = folds && is_inner && !after_blank && column > WIDTH && next != Some(&' ');
            if letter == ' ' && fits {
                self.out.push('\n');
                self.indent(indent + 2);
                column = indent + 2;
            } else {
                self.out.push(letter);
                column += 1;
            }
            after_blank = letter == ' ';
            is_first = false;
        }
    }

    /// Text in double quotes, with escapes.
    fn double(&mut self, text: &str, indent: usize, column: usize, folds: bool) {
        self.out.push('"');
        let mut column = column + 1;
        let mut after_blank = false;
        let mut letters = text.chars().peekable();
        let mut is_first = true;
        while let Some(letter) = letters.next() {
            let next = letters.peek();
            if letter == ' '
                && folds
                && !after_blank
                && column > WIDTH
                && !is_first
                && next.is_some()
            {
                self.out.push('\n');
                self.indent(indent + 2);
                column = indent + 2;
                if next == Some(&' ') {
                    self.out.push('\\');
                    column += 1;
                }
                after_blank = true;
            } else {
                let escaped = escaped(letter);
                column += escaped.chars().count();
                self.out.push_str(&escaped);
                after_blank = letter == ' ';
            }
            is_first = false;
        }
        self.out.push('"');
    }

    /// Literal lines after a `|`.
    fn literal(&mut self, text: &str, indent: usize) {
        self.out.push('|');
        if text.starts_with([' ', '\n']) {
            self.out.push('2');
        }
        if !text.ends_with('\n') {
            self.out.push('-');
        } else if text.ends_with("\n\n") || text == "\n" {
            self.out.push('+');
        }
        let body = text.strip_suffix('\n').unwrap_or(text);
        for line in body.split('\n') {
            self.out.push('\n');
            if !line.is_empty() {
                self.indent(indent + 2);
                self.out.push_str(line);
            }
        }
    }
}

/// Key order of go-yaml: runs of digits are compared by value, so that `a2` sorts before `a10`.
fn natural(one: &str, other: &str) -> std::cmp::Ordering {
    let (mut left, mut right) = (one.chars().peekable(), other.chars().peekable());
    loop {
        let (Some(a), Some(b)) = (left.peek().copied(), right.peek().copied()) else {
            return left.peek().is_some().cmp(&right.peek().is_some());
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (x, y) = (digits(&mut left), digits(&mut right));
            let order = x.cmp(&y);
            if order.is_ne() {
                return order;
            }
            continue;
        }
        if a != b {
            // Letters sort after everything else.
            return match (a.is_alphabetic(), b.is_alphabetic()) {
                (true, false) => std::cmp::Ordering::Greater,
                (false, true) => std::cmp::Ordering::Less,
                _ => a.cmp(&b),
            };
        }
        left.next();
        right.next();
    }
}

/// A run of digits, comparable by value: without leading zeros, its length and the digits.
fn digits(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> (usize, String) {
    let mut run = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        if !(run.is_empty() && digit == '0') {
            run.push(digit);
        }
    }
    (run.len(), run)
}

/// The styles in which a text can be written without changing its meaning.
struct Form {
    plain: bool,
    single: bool,
    block: bool,
}

impl Form {
    fn of(text: &str) -> Form {
        let mut form = Form {
            plain: !text.is_empty() && !text.starts_with("---") && !text.starts_with("..."),
            single: true,
            block: true,
        };
        let mut before = ' ';
        let mut letters = text.chars().peekable();
        let mut is_first = true;
        while let Some(letter) = letters.next() {
            let next = letters.peek().copied();
            let ends_word = next.is_none_or(|next| matches!(next, ' ' | '\t' | '\n'));
            let is_sign = match letter {
                ':' => ends_word,
                '-' | '?' => is_first && ends_word,
                '#' => is_first || matches!(before, ' ' | '\t' | '\n'),
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
                | '@' | '`' => is_first,
                _ => false,
            };
            let is_edge = is_first || next.is_none();
            form.plain &= !is_sign && letter != '\n' && !(letter == ' ' && is_edge);
            if letter == '\n' {
                form.single &= before != ' ' && next != Some(' ');
                form.block &= before != ' ' || is_first;
            }
            form.block &= !(letter == ' ' && next.is_none());
            if (letter.is_control() && letter != '\n')
                || matches!(letter, '\u{feff}' | '\u{2028}' | '\u{2029}')
            {
                form = Form {
                    plain: false,
                    single: false,
                    block: false,
                };
            }
            before = letter;
            is_first = false;
        }
        form
    }
}

/// Whether a plain text would be read as another type: `true`, `1`, `1:30`, `2025-01-01`.
fn means_something_else(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL" | "<<")
        || matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
        || matches!(
            text.trim_start_matches(['+', '-']),
            ".inf" | ".Inf" | ".INF"
        )
        || matches!(text, ".nan" | ".NaN" | ".NAN")
        || resolve_plain(text).is_some()
        || is_time(text)
        || is_base_60(text)
}

/// `2025-01-01`, `2025-01-01T00:00:00Z`.
fn is_time(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let is_number = |part: Option<&str>, lengths: std::ops::RangeInclusive<usize>| {
        part.is_some_and(|it| lengths.contains(&it.len()) && it.bytes().all(|b| b.is_ascii_digit()))
    };
    let (year, month) = (parts.next(), parts.next());
    let day = parts.next().unwrap_or_default();
    let end = day.find(|letter: char| !letter.is_ascii_digit());
    let (day, clock) = day.split_at(end.unwrap_or(day.len()));
    let is_clock = clock.is_empty() || clock.starts_with(['T', 't', ' ']) && clock.contains(':');
    is_number(year, 4..=4) && is_number(month, 1..=2) && is_number(Some(day), 1..=2) && is_clock
}

/// `1:30`: a base-60 number in YAML 1.1.
fn is_base_60(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'_');
    digits.contains(':')
        && digits.starts_with(|it: char| it.is_ascii_digit())
        && digits.bytes().all(is_digit)
}

fn escaped(letter: char) -> String {
    match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        '\0' => "\\0".to_owned(),
        '\u{1b}' => "\\e".to_owned(),
        control if control.is_control() => format!("\\x{:02X}", u32::from(control)),
        '\u{feff}' | '\u{2028}' | '\u{2029}' => format!("\\u{:04X}", u32::from(letter)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
