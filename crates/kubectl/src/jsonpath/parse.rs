//! Parses templates.

use serde_json::Value;

use super::{Filter, Item, Operator, Slice, Step};

/// Maximum nesting of ranges, and of filters.
const MAX_DEPTH: usize = 32;

/// The content of a pair of braces.
enum Action {
    Path(Vec<Step>),
    Range(Vec<Step>),
    End,
}

pub(crate) fn template(text: &str) -> Result<Vec<Item>, String> {
    // A stack of open ranges; the template itself is at the bottom.
    let mut open: Vec<(Vec<Step>, Vec<Item>)> = vec![(Vec::new(), Vec::new())];
    let mut rest = text;
    while !rest.is_empty() {
        let (before, behind) = rest.split_once('{').unwrap_or((rest, ""));
        if !before.is_empty() {
            push(&mut open, Item::Text(before.to_owned()));
        }
        if before.len() == rest.len() {
            break;
        }
        let mut reader = Reader::new(behind);
        match reader.action()? {
            Action::Path(path) => push(&mut open, Item::Path(path)),
            Action::Range(_) if open.len() > MAX_DEPTH => {
                return Err("too many ranges within each other".to_owned());
            }
            Action::Range(path) => open.push((path, Vec::new())),
            Action::End => match open.pop() {
                Some((path, body)) if !open.is_empty() => push(&mut open, Item::Range(path, body)),
                _ => return Err("not in range, nothing to end".to_owned()),
            },
        }
        rest = reader.rest();
    }
    while open.len() > 1 {
        if let Some((path, body)) = open.pop() {
            push(&mut open, Item::Range(path, body));
        }
    }
    Ok(open.pop().map(|(_, items)| items).unwrap_or_default())
}

fn push(open: &mut [(Vec<Step>, Vec<Item>)], item: Item) {
    if let Some((_, items)) = open.last_mut() {
        items.push(item);
    }
}

struct Reader<'t> {
    text: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Reader { text, depth: 0 }
    }

    fn rest(self) -> &'t str {
        self.text
    }

    fn peek(&self) -> Option<char> {
        self.text.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.text = self.text.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn take_if(&mut self, start: &str) -> bool {
        match self.text.strip_prefix(start) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    /// Parses up to the closing brace, and consumes it.
    fn action(&mut self) -> Result<Action, String> {
        let mut steps = Vec::new();
        let mut is_range = false;
        loop {
            let Some(next) = self.peek() else {
                return Err("unclosed action".to_owned());
            };
            match next {
                '}' => {
                    self.take();
                    return Ok(if is_range {
                        Action::Range(steps)
                    } else {
                        Action::Path(steps)
                    });
                }
                letter if letter.is_alphabetic() || letter == '_' => match self.word() {
                    "range" if steps.is_empty() => is_range = true,
                    "end" if steps.is_empty() => {
                        self.skip_blanks();
                        if !self.take_if("}") {
                            return Err("unclosed action".to_owned());
                        }
                        return Ok(Action::End);
                    }
                    "true" => steps.push(Step::Literal(Value::Bool(true))),
                    "false" => steps.push(Step::Literal(Value::Bool(false))),
                    word => return Err(format!("unrecognized identifier {word}")),
                },
                _ => self.step(&mut steps)?,
            }
        }
    }

    fn skip_blanks(&mut self) {
        self.text = self.text.trim_start();
    }

    fn word(&mut self) -> &'t str {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = self.text.find(|letter| !is_part(letter));
        let (word, rest) = self.text.split_at(end.unwrap_or(self.text.len()));
        self.text = rest;
        word
    }

    /// Parses one step of a path.
    fn step(&mut self, steps: &mut Vec<Step>) -> Result<(), String> {
        match self.peek() {
            Some(blank) if blank.is_whitespace() => self.skip_blanks(),
            // The current object.
            Some('$' | '@') => {
                self.take();
            }
            Some('[') => {
                self.take();
                steps.push(self.brackets()?);
            }
            Some(quote @ ('"' | '\'')) => {
                self.take();
                steps.push(Step::Literal(Value::String(self.quoted(quote)?)));
            }
            Some('.') => self.dot(steps),
            Some(first) if first == '+' || first == '-' || first.is_ascii_digit() => {
                steps.push(self.number()?);
            }
            Some(other) => {
                return Err(format!(
                    "unrecognized character in action: U+{:04X} '{other}'",
                    u32::from(other)
                ));
            }
            None => return Err("unclosed action".to_owned()),
        }
        Ok(())
    }

    /// `.name`, `..`, `.*`.
    fn dot(&mut self, steps: &mut Vec<Step>) {
        self.take();
        if self.peek() == Some('.') {
            steps.push(Step::Recursive);
            self.take();
            if matches!(self.peek(), Some(letter) if letter.is_alphanumeric() || letter == '_') {
                self.field(steps);
            }
        } else {
            self.field(steps);
        }
    }

    fn field(&mut self, steps: &mut Vec<Step>) {
        let mut name = String::new();
        while let Some(next) = self.peek() {
            match next {
                '\\' => {
                    self.take();
                    name.extend(self.take());
                }
                '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' | '=' | '!' | '<' | '>' | ')' => {
                    break;
                }
                blank if blank.is_whitespace() => break,
                letter => {
                    self.take();
                    name.push(letter);
                }
            }
        }
        match name.as_str() {
            "" => {}
            "*" => steps.push(Step::Wildcard),
            _ => steps.push(Step::Field(name)),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, String> {
        let mut text = String::new();
        loop {
            match self.take() {
                None => return Err("unterminated quoted string".to_owned()),
                Some('\\') => text.push(match self.take() {
                    None => return Err("unterminated quoted string".to_owned()),
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some(other) => other,
                }),
                Some(next) if next == quote => return Ok(text),
                Some(next) => text.push(next),
            }
        }
    }

    fn number(&mut self) -> Result<Step, String> {
        let is_part = |it: char| it.is_ascii_digit() || matches!(it, '.' | '+' | '-');
        let end = self.text.find(|it| !is_part(it)).unwrap_or(self.text.len());
        let (text, rest) = self.text.split_at(end);
        self.text = rest;
        if let Ok(number) = text.parse::<i64>() {
            return Ok(Step::Literal(Value::from(number)));
        }
        match text.parse::<f64>() {
            Ok(number) => Ok(Step::Literal(Value::from(number))),
            Err(_) => Err(format!("cannot parse number {text}")),
        }
    }

    /// Parses what follows `[`, including the `]`.
    fn brackets(&mut self) -> Result<Step, String> {
        if self.take_if("?(") {
            return self.filter();
        }
        let mut parts = vec![String::new()];
        loop {
            let Some(next) = self.take() else {
                return Err("unterminated array".to_owned());
            };
            let part = parts.last_mut();
            match (next, part) {
                (']', _) => break,
                (',', _) => parts.push(String::new()),
                (quote @ ('"' | '\''), Some(part)) => {
                    part.push('\'');
                    part.push_str(&self.quoted(quote)?);
                    part.push('\'');
                }
                (other, Some(part)) => part.push(other),
                (_, None) => {}
            }
        }
        let mut steps = parts.iter().map(|part| subscript(part));
        if parts.len() == 1 {
            return steps.next().unwrap_or(Ok(Step::Wildcard));
        }
        let steps: Result<Vec<_>, _> = steps.map(|step| step.map(|step| vec![step])).collect();
        steps.map(Step::Union)
    }

    /// Parses what follows `[?(`, including the `)]`.
    fn filter(&mut self) -> Result<Step, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("too many filters within each other".to_owned());
        }
        let left = self.operand()?;
        let operator = self.operator();
        let right = match operator {
            Operator::Exists => Vec::new(),
            _ => self.operand()?,
        };
        if !self.take_if(")") {
            return Err(match self.peek() {
                None => "unterminated filter".to_owned(),
                Some(other) => format!("unexpected character in filter: {other}"),
            });
        }
        if !self.take_if("]") {
            return Err("unclosed array expect ]".to_owned());
        }
        self.depth -= 1;
        Ok(Step::Filter(Box::new(Filter {
            left,
            operator,
            right,
        })))
    }

    fn operand(&mut self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return Err("unterminated filter".to_owned()),
                Some(')' | '=' | '!' | '<' | '>') => return Ok(steps),
                Some(letter) if letter.is_alphabetic() => match self.word() {
                    "true" => steps.push(Step::Literal(Value::Bool(true))),
                    "false" => steps.push(Step::Literal(Value::Bool(false))),
                    word => return Err(format!("unrecognized identifier {word}")),
                },
                Some(_) => self.step(&mut steps)?,
            }
        }
    }

    fn operator(&mut self) -> Operator {
        const OPERATORS: [(&str, Operator); 6] = [
            ("==", Operator::Equal),
            ("!=", Operator::Unequal),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let mut operators = OPERATORS.iter();
        let found = operators.find(|(sign, _)| self.take_if(sign));
        found.map_or(Operator::Exists, |(_, operator)| *operator)
    }
}

/// `*`, `2`, `-1`, `1:3`, `::2`, `'a.b'`.
fn subscript(text: &str) -> Result<Step, String> {
    let text = text.trim();
    if text == "*" || text.is_empty() {
        return Ok(Step::Wildcard);
    }
    if let Some(name) = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')) {
        return Ok(Step::Field(name.to_owned()));
    }
    let invalid = || format!("invalid array index {text}");
    let mut numbers = [None; 3];
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > numbers.len() {
        return Err(invalid());
    }
    for (number, part) in numbers.iter_mut().zip(&parts) {
        if !part.is_empty() {
            *number = Some(part.trim().parse::<i64>().map_err(|_| invalid())?);
        }
    }
    let [from, to, step] = numbers;
    Ok(Step::Slice(Slice {
        from: from.unwrap_or(0),
        to,
        step,
        is_index: parts.len() == 1,
    }))
}
