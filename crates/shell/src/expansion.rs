//! Parses `$NAME`, `${…}`, `$(…)` and `$((…))` within words.

use super::lex::unclosed;
use super::syntax::{Change, Fault, Part, Word};

/// Maximum nesting of expansions.
const MAX_DEPTH: usize = 40;

/// The parts of a text in double quotes, and the text after the closing quote.
pub(super) fn double(text: &str, depth: usize) -> Result<(Word, &str), Fault> {
    // Empty quotes make an empty word, not no word.
    let mut parts = vec![Part::Quoted(String::new())];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '"' => return Ok((parts, behind)),
            '\\' => {
                let escaped = behind.chars().next();
                match escaped {
                    Some('\n') => {}
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => add(&mut parts, escaped),
                    Some(other) => {
                        add(&mut parts, '\\');
                        add(&mut parts, other);
                    }
                    None => break,
                }
                rest = behind
                    .get(escaped.map_or(0, char::len_utf8)..)
                    .unwrap_or_default();
                continue;
            }
            '$' | '`' if starts_expansion(rest) => {
                let (part, behind) = expansion(rest, true, depth)?;
                parts.extend(part);
                rest = behind;
                continue;
            }
            other => add(&mut parts, other),
        }
        rest = behind;
    }
    Err(unclosed('"'))
}

/// Adds a quoted character.
fn add(parts: &mut Word, letter: char) {
    if let Some(Part::Quoted(text)) = parts.last_mut() {
        text.push(letter);
    } else {
        parts.push(Part::Quoted(letter.to_string()));
    }
}

/// Parses the expansions in a here-document or an arithmetic expression.
pub(super) fn expandable(text: &str) -> Word {
    let mut parts = Word::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\\' if behind.starts_with(['$', '\\', '`']) => {
                behind.chars().take(1).for_each(|it| add(&mut parts, it));
                behind = behind.get(1..).unwrap_or_default();
            }
            '\\' if behind.starts_with('\n') => behind = behind.get(1..).unwrap_or_default(),
            '$' | '`' if starts_expansion(rest) => match expansion(rest, true, 0) {
                Ok((part, after)) => {
                    parts.extend(part);
                    behind = after;
                }
                Err(_) => add(&mut parts, letter),
            },
            other => add(&mut parts, other),
        }
        rest = behind;
    }
    parts
}

/// Whether an expansion begins here; a lone `$` is an ordinary character.
pub(super) fn starts_expansion(text: &str) -> bool {
    let Some(behind) = text.strip_prefix('$') else {
        return text.starts_with('`');
    };
    let next = behind.chars().next();
    next.is_some_and(|next| {
        next == '{' || next == '(' || is_name_letter(next) || "?$!#@*".contains(next)
    })
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// An expansion, and the text after it.
pub(super) fn expansion(
    text: &str,
    quoted: bool,
    depth: usize,
) -> Result<(Option<Part>, &str), Fault> {
    if depth > MAX_DEPTH {
        return Err(Fault::Wrong(
            "bash: expansions are nested too deeply".to_owned(),
        ));
    }
    if let Some(behind) = text.strip_prefix('`') {
        let (command, rest) = behind.split_once('`').ok_or_else(|| unclosed('`'))?;
        let text = command.to_owned();
        return Ok((Some(Part::Command { text, quoted }), rest));
    }
    if let Some(behind) = text.strip_prefix("$((")
        && let Some(end) = closing(behind, ')')
        && let Some(rest) = behind.get(end..).and_then(|it| it.strip_prefix("))"))
    {
        let sum = behind.get(..end).unwrap_or_default().to_owned();
        return Ok((Some(Part::Arithmetic(sum)), rest));
    }
    if let Some(behind) = text.strip_prefix("$(") {
        let end = closing(behind, ')').ok_or_else(|| unclosed(')'))?;
        let text = behind.get(..end).unwrap_or_default().to_owned();
        let rest = behind.get(end + 1..).unwrap_or_default();
        return Ok((Some(Part::Command { text, quoted }), rest));
    }
    if let Some(behind) = text.strip_prefix("${") {
        let end = closing(behind, '}').ok_or_else(|| unclosed('}'))?;
        let inner = behind.get(..end).unwrap_or_default();
        let rest = behind.get(end + 1..).unwrap_or_default();
        return Ok((Some(braced(inner, quoted, depth)?), rest));
    }
    let behind = text.get(1..).unwrap_or_default();
    let is_special = behind.starts_with(['?', '$', '!', '#', '@', '*']);
    let is_digit = behind.starts_with(|letter: char| letter.is_ascii_digit());
    let end = if is_special || is_digit {
        1
    } else {
        behind
            .find(|letter| !is_name_letter(letter))
            .unwrap_or(behind.len())
    };
    let (name, rest) = behind.split_at_checked(end).unwrap_or((behind, ""));
    let name = name.to_owned();
    let part = Part::Variable {
        name,
        change: Change::None,
        quoted,
    };
    Ok((Some(part), rest))
}

/// Parses the inside of `${…}`: a name, and how its value is modified.
fn braced(inner: &str, quoted: bool, depth: usize) -> Result<Part, Fault> {
    let variable = |name: &str, change| Part::Variable {
        name: name.to_owned(),
        change,
        quoted,
    };
    if inner == "?" || inner == "#" {
        return Ok(variable(inner, Change::None));
    }
    let end = inner
        .find(|letter| !is_name_letter(letter))
        .unwrap_or(inner.len());
    let (name, behind) = inner.split_at_checked(end).unwrap_or((inner, ""));
    let word = |text: &str| {
        let closed = format!("{text}\"");
        double(&closed, depth + 1).map(|(parts, _)| parts)
    };
    let operators = [":-", "-", "##", "#", "%%", "%"];
    let operator = operators.into_iter().find(|it| behind.starts_with(it));
    let rest = behind
        .get(operator.map_or(0, str::len)..)
        .unwrap_or_default();
    let change = match operator {
        None if behind.is_empty() && !name.is_empty() => Change::None,
        Some(":-" | "-") if !name.is_empty() => Change::Otherwise(word(rest)?),
        Some(operator) if !name.is_empty() => Change::Without {
            at_end: operator.starts_with('%'),
            longest: operator.len() == 2,
            pattern: word(rest)?,
        },
        _ => return Ok(variable(inner, Change::Unsupported)),
    };
    Ok(variable(name, change))
}

/// The offset of the bracket that closes one opened before the text, ignoring quoted text and nested brackets.
pub(super) fn closing(text: &str, close: char) -> Option<usize> {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_usize;
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(letters.next()),
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, letter) if letter == open => depth += 1,
            (None, letter) if letter == close => {
                if depth == 0 {
                    return Some(index);
                }
                depth -= 1;
            }
            (None, _) => {}
        }
    }
    None
}
