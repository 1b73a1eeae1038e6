//! `awk` in its simple forms: `[-F SEPARATOR] '[CONDITION] {print …}'`.

use regex_lite::Regex;

use super::{Letters, inputs, usage};
use crate::kubectl::Output;
use crate::kubectl::shell::run::Run;

/// What is printed.
enum Piece {
    Text(String),
    Field(usize),
    LastField,
    LineNumber,
    FieldCount,
}

/// Which lines.
enum Condition {
    Always,
    Fits(Regex, bool),
    /// `NR>1`, `$3=="Running"`: what, how, with what.
    Compares(Piece, String, String),
}

pub(crate) fn awk(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "", "Fv", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("awk", &why),
    };
    let Some((program, files)) = letters.words.split_first() else {
        return Output::failure("usage: awk [-F fs] 'program' [file ...]", 2);
    };
    let Some((condition, print)) = read(program) else {
        return usage(
            "awk",
            &format!("{program:?}: only 'CONDITION {{print FIELDS}}' is simulated here"),
        );
    };
    let files = match inputs(run, "awk", files, stdin) {
        Ok(files) => files,
        Err(why) => return Output::failure(&why, 2),
    };
    let mut output = Output::default();
    let lines = files.iter().flat_map(|(_, text)| text.lines());
    for (index, line) in lines.enumerate() {
        let fields: Vec<&str> = match letters.value('F').filter(|it| *it != " ") {
            Some(separator) => line.split(separator).collect(),
            None => line.split_whitespace().collect(),
        };
        let row = Row {
            line,
            fields,
            number: index + 1,
        };
        if row.satisfies(&condition) {
            let words: Vec<String> = print
                .iter()
                .map(|pieces| pieces.iter().map(|piece| row.value(piece)).collect())
                .collect();
            output.say(words.join(" "));
        }
    }
    output
}

struct Row<'a> {
    line: &'a str,
    fields: Vec<&'a str>,
    number: usize,
}

impl Row<'_> {
    fn value(&self, piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => text.clone(),
            Piece::Field(0) => self.line.to_owned(),
            Piece::Field(number) => {
                let field = self.fields.get(number - 1);
                field.map(|field| (*field).to_owned()).unwrap_or_default()
            }
            Piece::LastField => {
                let field = self.fields.last();
                field.map(|field| (*field).to_owned()).unwrap_or_default()
            }
            Piece::LineNumber => self.number.to_string(),
            Piece::FieldCount => self.fields.len().to_string(),
        }
    }

    fn satisfies(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Always => true,
            Condition::Fits(regex, wanted) => regex.is_match(self.line) == *wanted,
            Condition::Compares(piece, operator, other) => {
                let value = self.value(piece);
                let ordering = match (value.parse::<f64>(), other.parse::<f64>()) {
                    (Ok(one), Ok(two)) => one.total_cmp(&two),
                    _ => value.cmp(other),
                };
                match operator.as_str() {
                    "==" => ordering.is_eq(),
                    "!=" => ordering.is_ne(),
                    ">=" => ordering.is_ge(),
                    "<=" => ordering.is_le(),
                    ">" => ordering.is_gt(),
                    "<" => ordering.is_lt(),
                    _ => false,
                }
            }
        }
    }
}

/// The condition, and the words to print, each of pieces.
fn read(program: &str) -> Option<(Condition, Vec<Vec<Piece>>)> {
    let program = program.trim();
    let (condition, action) = match program.find('{') {
        Some(open) if !program.starts_with('/') || program.get(1..open)?.contains('/') => {
            let action = program.get(open + 1..)?.strip_suffix('}')?;
            (program.get(..open)?.trim(), action.trim())
        }
        _ => (program, "print"),
    };
    let action = action.trim_end_matches(';').trim();
    let words = action.strip_prefix("print")?;
    if !words.is_empty() && !words.starts_with([' ', '$', '"', '(']) {
        return None;
    }
    let words = words.trim();
    let print = if words.is_empty() {
        vec![vec![Piece::Field(0)]]
    } else {
        pieces(words)?
    };
    Some((condition_of(condition)?, print))
}

fn condition_of(text: &str) -> Option<Condition> {
    if text.is_empty() {
        return Some(Condition::Always);
    }
    let (pattern, wanted) = match text.strip_prefix('!') {
        Some(rest) => (rest, false),
        None => (text, true),
    };
    if let Some(pattern) = pattern.strip_prefix('/') {
        let pattern = pattern.strip_suffix('/')?;
        return Some(Condition::Fits(Regex::new(pattern).ok()?, wanted));
    }
    let operators = ["==", "!=", ">=", "<=", ">", "<"];
    for operator in operators {
        if let Some((left, right)) = text.split_once(operator) {
            let mut left = pieces(left.trim())?;
            let piece = left.pop()?.pop()?;
            let right = right.trim().trim_matches('"').to_owned();
            return Some(Condition::Compares(piece, operator.to_owned(), right));
        }
    }
    None
}

/// Words between commas, of pieces that stand together.
fn pieces(text: &str) -> Option<Vec<Vec<Piece>>> {
    let mut words = vec![Vec::new()];
    let mut rest = text.trim();
    while !rest.is_empty() {
        let last = words.last_mut()?;
        if let Some(behind) = rest.strip_prefix(',') {
            words.push(Vec::new());
            rest = behind.trim_start();
            continue;
        }
        if let Some(behind) = rest.strip_prefix('"') {
            let (quoted, behind) = behind.split_once('"')?;
            last.push(Piece::Text(
                quoted.replace("\\t", "\t").replace("\\n", "\n"),
            ));
            rest = behind.trim_start();
            continue;
        }
        let names = [
            ("$NF", Piece::LastField),
            ("NF", Piece::FieldCount),
            ("NR", Piece::LineNumber),
        ];
        let named = names.into_iter().find(|(name, _)| rest.starts_with(name));
        if let Some((name, piece)) = named {
            last.push(piece);
            rest = rest.get(name.len()..)?.trim_start();
            continue;
        }
        let behind = rest.strip_prefix('$')?;
        let end = behind
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(behind.len());
        last.push(Piece::Field(behind.get(..end)?.parse().ok()?));
        rest = behind.get(end..)?.trim_start();
    }
    Some(words)
}
