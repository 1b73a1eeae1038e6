//! Splits a template into texts and actions, and actions into tokens.

use berth_base::go_string::{self, Unread};

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// The tokens between `{{` and `}}`.
    Action(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether a blank precedes it.
    pub(super) is_spaced: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// `.`
    Dot,
    /// `.name`
    Field(String),
    /// `$`, `$name`
    Variable(String),
    /// A keyword or a function.
    Word(String),
    Text(String),
    Int(i64),
    Float(f64),
    Pipe,
    Open,
    Close,
    Comma,
    Declare,
    Assign,
}

/// Go's error, with the line at which it is.
pub(super) fn fault(source: &str, at: usize, message: &str) -> String {
    let before = source.get(..at).unwrap_or(source);
    let line = 1 + before.matches('\n').count();
    format!("template: output:{line}: {message}")
}

/// The parts of a template.
pub(super) fn parts(source: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut at = 0;
    let mut trims = false;
    loop {
        let rest = source.get(at..).unwrap_or_default();
        let length = rest.find("{{").unwrap_or(rest.len());
        let mut text = rest.get(..length).unwrap_or_default();
        let mut inside = at + length + 2;
        let body = source.get(inside..).unwrap_or_default();
        let mut marks = body.chars();
        let trims_before = marks.next() == Some('-') && marks.next().is_some_and(is_blank);
        if trims {
            text = text.trim_start_matches(is_blank);
        }
        if trims_before {
            text = text.trim_end_matches(is_blank);
            inside += 1;
        }
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        if length == rest.len() {
            return Ok(parts);
        }
        let (action, behind, trims_behind) = action(source, inside)?;
        parts.extend(action.map(Part::Action));
        (at, trims) = (behind, trims_behind);
    }
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

/// The tokens of an action, or none for a comment; where the text behind it starts, and whether that text is trimmed.
fn action(source: &str, start: usize) -> Result<(Option<Vec<Token>>, usize, bool), String> {
    let comment = source.get(start..).unwrap_or_default();
    if let Some(comment) = comment.trim_start_matches(is_blank).strip_prefix("/*") {
        let Some((_, behind)) = comment.split_once("*/") else {
            return Err(fault(source, start, "unclosed comment"));
        };
        let trimmed = behind.trim_start_matches(is_blank).strip_prefix("-}}");
        let plain = behind.strip_prefix("}}");
        let Some(behind) = plain.or(trimmed) else {
            return Err(fault(
                source,
                start,
                "comment ends before closing delimiter",
            ));
        };
        return Ok((None, source.len() - behind.len(), plain.is_none()));
    }
    let mut tokens = Vec::new();
    let mut at = start;
    let mut is_spaced = false;
    loop {
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with("}}") {
            return Ok((Some(tokens), at + 2, false));
        }
        if is_spaced && rest.starts_with("-}}") {
            return Ok((Some(tokens), at + 3, true));
        }
        let Some(first) = rest.chars().next() else {
            return Err(fault(source, at, "unclosed action"));
        };
        if is_blank(first) {
            at += 1;
            is_spaced = true;
            continue;
        }
        let (kind, length) = token(rest).map_err(|message| fault(source, at, &message))?;
        let end = at + length;
        tokens.push(Token {
            kind,
            start: at,
            end,
            is_spaced,
        });
        (at, is_spaced) = (end, false);
    }
}

fn word_length(text: &str) -> usize {
    let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

/// The token at the start of a text, and its length.
fn token(text: &str) -> Result<(Kind, usize), String> {
    for (mark, kind) in [
        (":=", Kind::Declare),
        ("=", Kind::Assign),
        ("|", Kind::Pipe),
        ("(", Kind::Open),
        (")", Kind::Close),
        (",", Kind::Comma),
    ] {
        if text.starts_with(mark) {
            return Ok((kind, mark.len()));
        }
    }
    let mut letters = text.chars();
    let first = letters.next().unwrap_or_default();
    let second = letters.next().unwrap_or_default();
    let named = |kind: fn(String) -> Kind, skip: usize| {
        let rest = text.get(skip..).unwrap_or_default();
        let length = word_length(rest);
        let name = rest.get(..length).unwrap_or_default().to_owned();
        Ok((kind(name), skip + length))
    };
    match first {
        '"' => quoted(text),
        '`' => match text.get(1..).and_then(|rest| rest.find('`')) {
            Some(end) => {
                let raw = text.get(1..=end).unwrap_or_default().to_owned();
                Ok((Kind::Text(raw), end + 2))
            }
            None => Err("unterminated raw quoted string".to_owned()),
        },
        '$' => named(Kind::Variable, 1),
        '.' if second == '_' || second.is_alphabetic() => named(Kind::Field, 1),
        '.' if !second.is_ascii_digit() => Ok((Kind::Dot, 1)),
        '_' => named(Kind::Word, 0),
        letter if letter.is_alphabetic() => named(Kind::Word, 0),
        '0'..='9' | '+' | '-' | '.' => number(text),
        other => Err(format!(
            "unrecognized character in action: U+{:04X} '{other}'",
            u32::from(other)
        )),
    }
}

fn number(text: &str) -> Result<(Kind, usize), String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
    let signed = usize::from(text.starts_with(['+', '-']));
    let rest = text.get(signed..).unwrap_or_default();
    let mut end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()) + signed;
    let exponent = text.get(end..).unwrap_or_default();
    if text.get(..end).is_some_and(|it| it.ends_with(['e', 'E']))
        && exponent.starts_with(['+', '-'])
    {
        let behind = exponent.get(1..).unwrap_or_default();
        end += 1 + behind
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(behind.len());
    }
    let word = text.get(..end).unwrap_or_default();
    let digits = word.replace('_', "");
    let (sign, size) = match digits.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, digits.strip_prefix('+').unwrap_or(&digits)),
    };
    let hexadecimal = size.strip_prefix("0x").or(size.strip_prefix("0X"));
    let int = match hexadecimal {
        Some(size) => i64::from_str_radix(size, 16).ok(),
        None => size.parse::<i64>().ok(),
    };
    if let Some(int) = int {
        return Ok((Kind::Int(sign * int), end));
    }
    match digits.parse::<f64>() {
        Ok(float) if size.starts_with(|it: char| it.is_ascii_digit() || it == '.') => {
            Ok((Kind::Float(float), end))
        }
        _ => Err(format!("bad number syntax: {word:?}")),
    }
}

/// A string in double quotes, with Go's escapes.
fn quoted(text: &str) -> Result<(Kind, usize), String> {
    let inside = text.strip_prefix('"').unwrap_or(text);
    match go_string::read(inside) {
        Ok((value, end)) => Ok((Kind::Text(value), text.len() - inside.len() + end)),
        Err(Unread::Unterminated) => Err("unterminated quoted string".to_owned()),
        Err(Unread::Escape) => Err("invalid syntax".to_owned()),
    }
}
