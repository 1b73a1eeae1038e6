//! `awk`, as far as tutorials type it: `PATTERN {print VALUES}`, either part alone, and several of them.
//!
//! Patterns: `/A/`, comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `!~`), `!` and `&&`. Values: fields, `NR`, `NF`,
//! numbers and strings, concatenated.

use regex_lite::Regex;

use super::echo::unescaped;
use super::sed::until_mark;
use super::{Letters, inputs, usage};
use crate::limits::{Bounded, MAX_BYTES, TOO_LONG};
use crate::run::Run;
use crate::{Failure, Output};

/// Comparisons in the order in which they are tried: longer ones come before their prefixes.
const COMPARISONS: [&str; 6] = ["==", "!=", ">=", "<=", ">", "<"];

#[derive(Clone, Debug)]
enum Value {
    Text(String),
    /// `$N`; `$0` is the line.
    Field(usize),
    /// `$NF`.
    LastField,
    /// `NR`.
    LineNumber,
    /// `NF`.
    FieldCount,
}

#[derive(Clone, Debug)]
enum Condition {
    Matches(Vec<Value>, Regex),
    Compares(Vec<Value>, &'static str, Vec<Value>),
    Not(Box<Condition>),
}

/// What is printed of a line that meets all conditions: the values, separated by spaces.
#[derive(Clone, Debug)]
struct Rule {
    conditions: Vec<Condition>,
    printed: Vec<Vec<Value>>,
}

pub(super) fn awk(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("awk", arguments, "", "F", &[])?;
    let Some((program, files)) = letters.words.split_first() else {
        let why = "usage: awk [-F fs] 'program' [file ...]";
        return Err(Failure::new(2, why));
    };
    let Some(rules) = rules(program) else {
        let why = "only PATTERN {print …} is simulated here";
        return Err(usage("awk", &format!("{program:?}: {why}")));
    };
    let files = inputs(run, "awk", files, stdin).map_err(|failure| failure.with_code(2))?;
    let separator = letters.value('F').filter(|separator| *separator != " ");
    let mut printed = String::new();
    let lines = files.iter().flat_map(|(_, text)| text.lines());
    for (number, text) in (1..).zip(lines) {
        let fields = match separator {
            Some(separator) => text.split(separator).collect(),
            None => text.split_whitespace().collect(),
        };
        let line = Line {
            text,
            number,
            fields,
        };
        for rule in &rules {
            line.print(rule, &mut printed)
                .map_err(|why| usage("awk", why))?;
        }
    }
    Ok(Output::text(printed))
}

struct Line<'t> {
    text: &'t str,
    number: usize,
    fields: Vec<&'t str>,
}

impl Line<'_> {
    /// Appends what a rule prints of this line.
    fn print(&self, rule: &Rule, printed: &mut String) -> Result<(), &'static str> {
        for condition in &rule.conditions {
            if !self.holds(condition)? {
                return Ok(());
            }
        }
        for (place, values) in rule.printed.iter().enumerate() {
            printed.push_str(if place > 0 { " " } else { "" });
            printed.push_str(&self.concatenated(values)?);
            if printed.len() > MAX_BYTES {
                return Err(TOO_LONG);
            }
        }
        printed.push('\n');
        Ok(())
    }

    fn holds(&self, condition: &Condition) -> Result<bool, &'static str> {
        Ok(match condition {
            Condition::Matches(values, regex) => regex.is_match(&self.concatenated(values)?),
            Condition::Compares(left, operator, right) => {
                let (left, right) = (self.concatenated(left)?, self.concatenated(right)?);
                let ordering = match (left.parse::<f64>(), right.parse::<f64>()) {
                    (Ok(left), Ok(right)) => left.total_cmp(&right),
                    _ => left.cmp(&right),
                };
                match *operator {
                    "==" => ordering.is_eq(),
                    "!=" => ordering.is_ne(),
                    ">=" => ordering.is_ge(),
                    "<=" => ordering.is_le(),
                    ">" => ordering.is_gt(),
                    _ => ordering.is_lt(),
                }
            }
            Condition::Not(condition) => !self.holds(condition)?,
        })
    }

    fn concatenated(&self, values: &[Value]) -> Result<String, &'static str> {
        let mut text = Bounded::default();
        for value in values {
            text.push(&self.value(value));
        }
        text.whole()
    }

    fn value(&self, value: &Value) -> String {
        let field = match value {
            Value::Text(text) => Some(text.as_str()),
            Value::Field(0) => Some(self.text),
            Value::Field(number) => self.fields.get(number - 1).copied(),
            Value::LastField => self.fields.last().copied(),
            Value::LineNumber => return self.number.to_string(),
            Value::FieldCount => return self.fields.len().to_string(),
        };
        field.unwrap_or_default().to_owned()
    }
}

/// The rules of a program; `None` if it uses anything that is not simulated.
fn rules(program: &str) -> Option<Vec<Rule>> {
    let mut reader = Reader { rest: program };
    let mut rules = Vec::new();
    loop {
        reader.skip_separators();
        if reader.rest.is_empty() {
            return (!rules.is_empty()).then_some(rules);
        }
        rules.push(reader.rule()?);
    }
}

struct Reader<'p> {
    rest: &'p str,
}

impl Reader<'_> {
    /// Skips what separates rules.
    fn skip_separators(&mut self) {
        let is_separator = |letter: char| letter == ';' || letter.is_whitespace();
        self.rest = self.rest.trim_start_matches(is_separator);
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let Some(rest) = rest.strip_prefix(text) else {
            return false;
        };
        self.rest = rest;
        true
    }

    fn rule(&mut self) -> Option<Rule> {
        let mut conditions = Vec::new();
        if !self.rest.starts_with('{') {
            conditions.push(self.condition()?);
            while self.eat("&&") {
                conditions.push(self.condition()?);
            }
        }
        let mut printed = Vec::new();
        if self.eat("{") {
            self.eat("print").then_some(())?;
            if !self.eat("}") {
                printed.push(self.values()?);
                while self.eat(",") {
                    printed.push(self.values()?);
                }
                self.eat(";");
                self.eat("}").then_some(())?;
            }
        }
        if printed.is_empty() {
            printed.push(vec![Value::Field(0)]);
        }
        Some(Rule {
            conditions,
            printed,
        })
    }

    fn condition(&mut self) -> Option<Condition> {
        if self.eat("!") {
            return Some(Condition::Not(Box::new(self.condition()?)));
        }
        if self.eat("/") {
            return Some(Condition::Matches(vec![Value::Field(0)], self.regex()?));
        }
        let values = self.values()?;
        if self.eat("!~") {
            let matches = Condition::Matches(values, self.pattern()?);
            return Some(Condition::Not(Box::new(matches)));
        }
        if self.eat("~") {
            return Some(Condition::Matches(values, self.pattern()?));
        }
        let operator = COMPARISONS
            .into_iter()
            .find(|operator| self.eat(operator))?;
        Some(Condition::Compares(values, operator, self.values()?))
    }

    /// A regular expression between slashes.
    fn pattern(&mut self) -> Option<Regex> {
        self.eat("/").then(|| self.regex())?
    }

    /// A regular expression after its opening slash.
    fn regex(&mut self) -> Option<Regex> {
        let (text, rest) = until_mark(self.rest, '/')?;
        self.rest = rest;
        Regex::new(&text).ok()
    }

    /// One value or more, side by side.
    fn values(&mut self) -> Option<Vec<Value>> {
        let mut values = vec![self.value()?];
        while let Some(value) = self.value() {
            values.push(value);
        }
        Some(values)
    }

    fn value(&mut self) -> Option<Value> {
        if self.eat("\"") {
            let (text, rest) = until_mark(self.rest, '"')?;
            self.rest = rest;
            return Some(Value::Text(unescaped(&text)));
        }
        let is_field = self.eat("$");
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let behind = rest.trim_start_matches(|letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')
        });
        let word = rest.strip_suffix(behind)?;
        let value = match (is_field, word) {
            (false, "NR") => Value::LineNumber,
            (false, "NF") => Value::FieldCount,
            (true, "NF") => Value::LastField,
            (true, number) => Value::Field(number.parse().ok()?),
            (false, number) => {
                // `inf` and `nan` are names.
                number
                    .starts_with(|letter: char| letter.is_ascii_digit())
                    .then_some(())?;
                number.parse::<f64>().ok()?;
                Value::Text(number.to_owned())
            }
        };
        self.rest = behind;
        Some(value)
    }
}
