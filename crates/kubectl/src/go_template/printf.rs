//! `print` and `printf` as Go's `fmt`: the verbs `v s q d x X t f e g c` with flags, width and precision.

use std::iter::Peekable;
use std::str::Chars;

use super::Datum;

/// `fmt.Sprint`: a blank between operands of which neither is a string.
pub(super) fn print(operands: &[Datum<'_>]) -> String {
    let mut out = String::new();
    let mut was_text = true;
    for operand in operands {
        let is_text = matches!(operand, Datum::Text(_));
        if !is_text && !was_text {
            out.push(' ');
        }
        out.push_str(&operand.text());
        was_text = is_text;
    }
    out
}

/// `%-08.3f`: flags, width and precision.
#[derive(Default)]
struct Layout {
    left: bool,
    zeros: bool,
    plus: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
}

/// Widths and precisions beyond this are cut.
const MAX_WIDTH: usize = 1_000;

/// `fmt.Sprintf`.
pub(super) fn printf(format: &str, operands: &[Datum<'_>]) -> String {
    let mut out = String::new();
    let mut letters = format.chars().peekable();
    let mut rest = operands.iter();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut layout = Layout::default();
        while let Some(flag) = letters.next_if(|it| matches!(it, '-' | '0' | '+' | '#' | ' ')) {
            match flag {
                '-' => layout.left = true,
                '0' => layout.zeros = true,
                '+' => layout.plus = true,
                '#' => layout.sharp = true,
                _ => {}
            }
        }
        layout.width = number(&mut letters);
        if letters.next_if_eq(&'.').is_some() {
            layout.precision = Some(number(&mut letters));
        }
        match letters.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => match rest.next() {
                None => out.push_str(&format!("%!{verb}(MISSING)")),
                Some(operand) => out.push_str(&layout.padded(verb, operand)),
            },
        }
    }
    if !rest.as_slice().is_empty() {
        let extra: Vec<String> = rest
            .map(|it| match it {
                Datum::Nothing => "<nil>".to_owned(),
                other => format!("{}={}", other.type_name(), other.text()),
            })
            .collect();
        out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    out
}

fn number(letters: &mut Peekable<Chars<'_>>) -> usize {
    let mut number = 0;
    while let Some(digit) = letters.peek().and_then(|it| it.to_digit(10)) {
        letters.next();
        number = (number * 10 + usize::try_from(digit).unwrap_or(0)).min(MAX_WIDTH);
    }
    number
}

impl Layout {
    fn padded(&self, verb: char, operand: &Datum<'_>) -> String {
        let text = match self.text(verb, operand) {
            Some(text) => text,
            None => return wrong(verb, operand),
        };
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            return text + &" ".repeat(missing);
        }
        if self.zeros && matches!(operand, Datum::Int(_) | Datum::Float(_)) {
            let (sign, digits) = match text.strip_prefix(['-', '+']) {
                Some(digits) => text.split_at(text.len() - digits.len()),
                None => ("", text.as_str()),
            };
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        let fill = if self.zeros { "0" } else { " " };
        fill.repeat(missing) + &text
    }

    /// The text of an operand without its padding; `None` if the verb does not fit it.
    fn text(&self, verb: char, operand: &Datum<'_>) -> Option<String> {
        let sign = |text: String, negative: bool| {
            if self.plus && !negative {
                format!("+{text}")
            } else {
                text
            }
        };
        let cut = |text: &str| match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        Some(match (verb, operand) {
            ('v', Datum::Nothing) => "<nil>".to_owned(),
            ('v' | 'd', Datum::Int(it)) => sign(it.to_string(), *it < 0),
            ('x', Datum::Int(it)) => hexadecimal(*it, self.sharp),
            ('X', Datum::Int(it)) => hexadecimal(*it, self.sharp).to_uppercase(),
            ('c', Datum::Int(it)) => {
                let letter = u32::try_from(*it).ok().and_then(char::from_u32);
                letter.unwrap_or('\u{fffd}').to_string()
            }
            ('q', Datum::Int(_)) => return None,
            ('v' | 't', Datum::Bool(it)) => it.to_string(),
            ('f' | 'F', Datum::Float(it)) => {
                let digits = self.precision.unwrap_or(6);
                sign(format!("{it:.digits$}"), *it < 0.0)
            }
            ('v' | 'g', Datum::Float(it)) => sign(operand.text(), *it < 0.0),
            ('v' | 's', Datum::Text(text)) => cut(text),
            ('q', Datum::Text(text)) => format!("{:?}", cut(text)),
            ('x', Datum::Text(text)) => text.bytes().map(|it| format!("{it:02x}")).collect(),
            ('X', Datum::Text(text)) => text.bytes().map(|it| format!("{it:02X}")).collect(),
            ('v', Datum::List(_) | Datum::Map(_)) => operand.text(),
            (verb, Datum::List(items)) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|it| self.padded(verb, &Datum::from(it)))
                    .collect();
                format!("[{}]", items.join(" "))
            }
            (verb, Datum::Map(map)) => {
                let mut entries: Vec<_> = map.iter().collect();
                berth_base::sort::sort_by(&mut entries, |a, b| a.0.cmp(b.0));
                let entries: Vec<String> = entries
                    .into_iter()
                    .map(|(key, value)| {
                        let key = self.padded(verb, &Datum::Text(key.as_str().into()));
                        format!("{key}:{}", self.padded(verb, &Datum::from(value)))
                    })
                    .collect();
                format!("map[{}]", entries.join(" "))
            }
            _ => return None,
        })
    }
}

fn hexadecimal(number: i64, sharp: bool) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let prefix = if sharp { "0x" } else { "" };
    format!("{sign}{prefix}{:x}", number.unsigned_abs())
}

/// Go's text for a verb that does not fit: `%!d(string=a)`.
fn wrong(verb: char, operand: &Datum<'_>) -> String {
    match operand {
        Datum::Nothing => format!("%!{verb}(<nil>)"),
        other => format!("%!{verb}({}={})", other.type_name(), other.text()),
    }
}
