//! `awk`: rules of a pattern and an action, as far as one-liners use them.
//!
//! Patterns: `BEGIN`, `END`, `/A/`, `!/A/`, comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `!~`) with `&&` and
//! `||`, and ranges of these. Actions: `print`, `printf`, `NAME = …`, `NAME += …`, `NAME++`, and `next`. Values:
//! fields, `NR`, `NF`, variables, numbers and strings, concatenated or with `+` and `-` between them.

mod read;

use std::cell::Cell;
use std::collections::BTreeMap;

use regex_lite::Regex;

use super::echo::formatted;
use super::{Letters, inputs, usage};
use crate::limits::{Bounded, MAX_BYTES, MAX_HELD, TOO_LONG};
use crate::run::Run;
use crate::{Failure, Output};

/// An expression.
#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Name(String),
    /// `$N`.
    Field(Box<Value>),
    /// Concatenated values.
    Joined(Vec<Value>),
    Sum(Box<Value>, char, Box<Value>),
}

#[derive(Clone, Debug)]
enum Condition {
    Always,
    Matches(Value, Regex),
    Compares(Value, &'static str, Value),
    IsSet(Value),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Clone, Debug)]
enum Pattern {
    Begin,
    End,
    Line(Condition),
    Range {
        from: Condition,
        to: Condition,
        is_inside: bool,
    },
}

#[derive(Clone, Debug)]
enum Action {
    Print(Vec<Value>),
    Printf(Value, Vec<Value>),
    Set(String, Value),
    Next,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: Pattern,
    actions: Vec<Action>,
}

pub(super) fn awk(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("awk", arguments, "", "Fv", &[])?;
    let Some((program, files)) = letters.words.split_first() else {
        let why = "usage: awk [-F fs] 'program' [file ...]";
        return Err(Failure::new(2, why));
    };
    let Some(mut rules) = read::rules(program) else {
        let why = "only PATTERN {print …} and the like are simulated here";
        return Err(usage("awk", &format!("{program:?}: {why}")));
    };
    let files = inputs(run, "awk", files, stdin).map_err(|failure| failure.with_code(2))?;
    let mut state = State {
        separator: letters.value('F').filter(|it| *it != " "),
        ..State::default()
    };
    for pair in letters.values('v') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        state.set_bytes += value.len();
        state.variables.insert(name.to_owned(), value.to_owned());
    }
    let mut play = |state: &mut State<'_>, is_wanted: fn(&Pattern) -> bool| {
        for rule in rules.iter_mut().filter(|rule| is_wanted(&rule.pattern)) {
            if state.fits(&mut rule.pattern) && !state.act(&rule.actions)? {
                break;
            }
        }
        Ok::<(), String>(())
    };
    let mut play_all = || {
        play(&mut state, |pattern| matches!(pattern, Pattern::Begin))?;
        for line in files.iter().flat_map(|(_, text)| text.lines()) {
            state.line = line;
            state.number += 1;
            play(&mut state, |pattern| {
                matches!(pattern, Pattern::Line(_) | Pattern::Range { .. })
            })?;
        }
        play(&mut state, |pattern| matches!(pattern, Pattern::End))
    };
    play_all().map_err(|why: String| usage("awk", &why))?;
    Ok(Output::text(state.printed))
}

/// The state of a running program.
#[derive(Default)]
struct State<'a> {
    line: &'a str,
    number: usize,
    separator: Option<&'a str>,
    variables: BTreeMap<String, String>,
    printed: String,
    /// Bytes of the variables that the program set.
    set_bytes: usize,
    /// A text became too long.
    is_full: Cell<bool>,
}

impl State<'_> {
    fn fields(&self) -> Vec<&str> {
        match self.separator {
            Some(separator) => self.line.split(separator).collect(),
            None => self.line.split_whitespace().collect(),
        }
    }

    fn joined(&self, values: &[Value], between: &str) -> String {
        let mut text = Bounded::default();
        for (place, value) in values.iter().enumerate() {
            text.push(if place > 0 { between } else { "" });
            text.push(&self.value(value));
        }
        text.whole().unwrap_or_else(|_| {
            self.is_full.set(true);
            String::new()
        })
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => text.clone(),
            Value::Name(name) => match name.as_str() {
                "NR" => self.number.to_string(),
                "NF" => self.fields().len().to_string(),
                name => self.variables.get(name).cloned().unwrap_or_default(),
            },
            Value::Field(number) => match number_of(&self.value(number)) {
                number if number < 1.0 => self.line.to_owned(),
                number => {
                    let fields = self.fields();
                    let found = (1_u32..)
                        .zip(fields)
                        .find(|(at, _)| f64::from(*at) >= number);
                    found.map_or_else(String::new, |(_, field)| field.to_owned())
                }
            },
            Value::Joined(values) => self.joined(values, ""),
            Value::Sum(one, operator, other) => {
                let (one, other) = (number_of(&self.value(one)), number_of(&self.value(other)));
                shown(if *operator == '+' {
                    one + other
                } else {
                    one - other
                })
            }
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Always => true,
            Condition::Matches(value, regex) => regex.is_match(&self.value(value)),
            Condition::Compares(one, operator, other) => {
                let (one, other) = (self.value(one), self.value(other));
                let ordering = match (one.parse::<f64>(), other.parse::<f64>()) {
                    (Ok(one), Ok(other)) => one.total_cmp(&other),
                    _ => one.cmp(&other),
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
            Condition::IsSet(value) => !matches!(self.value(value).as_str(), "" | "0"),
            Condition::Not(condition) => !self.holds(condition),
            Condition::All(all) => all.iter().all(|it| self.holds(it)),
            Condition::Any(any) => any.iter().any(|it| self.holds(it)),
        }
    }

    /// Whether a pattern matches the current line.
    fn fits(&self, pattern: &mut Pattern) -> bool {
        match pattern {
            Pattern::Begin | Pattern::End => true,
            Pattern::Line(condition) => self.holds(condition),
            Pattern::Range {
                from,
                to,
                is_inside,
            } => {
                let fits = *is_inside || self.holds(from);
                // A range may end on the line on which it begins.
                *is_inside = fits && !self.holds(to);
                fits
            }
        }
    }

    /// Runs actions; returns whether further rules process this line.
    fn act(&mut self, actions: &[Action]) -> Result<bool, String> {
        for action in actions {
            match action {
                Action::Print(values) => {
                    let line = self.joined(values, " ");
                    self.printed.push_str(&line);
                    self.printed.push('\n');
                }
                Action::Printf(format, values) => {
                    let mut printed = std::mem::take(&mut self.printed);
                    let mut words = values.iter().map(|it| self.value(it));
                    formatted(&self.value(format), &mut || words.next(), &mut printed)?;
                    self.printed = printed;
                }
                Action::Set(name, value) => {
                    let value = self.value(value);
                    self.set_bytes += value.len();
                    let before = self.variables.insert(name.clone(), value);
                    self.set_bytes -= before.map_or(0, |before| before.len());
                }
                Action::Next => return Ok(false),
            }
            if self.is_full.get() || self.printed.len() > MAX_BYTES || self.set_bytes > MAX_HELD {
                return Err(TOO_LONG.to_owned());
            }
        }
        Ok(true)
    }
}

/// The number that a text begins with; 0 if there is none.
fn number_of(text: &str) -> f64 {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(at, it)| !(it.is_ascii_digit() || *it == '.' || *at == 0 && "+-".contains(*it)))
        .map_or(text.len(), |(at, _)| at);
    let number = text.get(..end).and_then(|it| it.parse().ok());
    number.unwrap_or(0.0)
}

/// A number as awk prints it, with six significant digits.
fn shown(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    if !number.is_finite() {
        return "inf".to_owned();
    }
    let whole = format!("{:.0}", number.abs().trunc()).len();
    let decimals = 6_usize.saturating_sub(whole);
    let text = format!("{number:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
