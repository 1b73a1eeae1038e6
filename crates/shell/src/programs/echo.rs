//! `echo` and `printf`.

use super::usage;
use crate::limits::{MAX_BYTES, TOO_LONG};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn echo(_: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let flags = arguments
        .iter()
        .take_while(|it| matches!(it.as_str(), "-n" | "-e" | "-ne" | "-en" | "-E"))
        .count();
    let (flags, words) = arguments.split_at(flags);
    let has = |letter: char| flags.iter().any(|it| it.contains(letter));
    let mut text = words.join(" ");
    if has('e') {
        text = unescaped(&text);
    }
    if !has('n') {
        text.push('\n');
    }
    Ok(Output::text(text))
}

pub(super) fn printf(_: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let Some((format, words)) = arguments.split_first() else {
        return Err(usage("bash: printf", "usage: printf format [arguments]"));
    };
    let mut text = String::new();
    let mut words = words.iter();
    loop {
        let left = words.len();
        formatted(format, &mut || words.next().cloned(), &mut text)
            .map_err(|why| usage("bash: printf", &why))?;
        if text.len() > MAX_BYTES {
            return Err(usage("bash: printf", TOO_LONG));
        }
        if words.len() == 0 || words.len() == left {
            return Ok(Output::text(text));
        }
    }
}

/// Applies a format once: `%s`, `%d` and `%%`, with a width (`%-10s`, `%02d`).
pub(super) fn formatted(
    format: &str,
    next: &mut dyn FnMut() -> Option<String>,
    text: &mut String,
) -> Result<(), String> {
    let format = unescaped(format);
    let mut rest = format.as_str();
    while let Some((before, behind)) = rest.split_once('%') {
        if text.len() > MAX_BYTES {
            return Err(TOO_LONG.to_owned());
        }
        text.push_str(before);
        let directive = behind.trim_start_matches(|it: char| it.is_ascii_digit() || it == '-');
        let flags = behind.strip_suffix(directive).unwrap_or_default();
        let mut letters = directive.chars();
        let value = match letters.next() {
            Some('s') => next().unwrap_or_default(),
            Some('d') => next().unwrap_or_else(|| "0".to_owned()),
            Some('%') => "%".to_owned(),
            _ => {
                let given: String = behind.chars().take(flags.len() + 1).collect();
                return Err(format!("%{given}: only %s, %d and %% are simulated here"));
            }
        };
        let width = flags.trim_start_matches(['-', '0']).parse().unwrap_or(0);
        let width: usize = std::cmp::min(width, 1_000);
        text.push_str(&if flags.starts_with('-') {
            format!("{value:<width$}")
        } else if flags.starts_with('0') {
            format!("{value:0>width$}")
        } else {
            format!("{value:>width$}")
        });
        rest = letters.as_str();
    }
    text.push_str(rest);
    Ok(())
}

/// A text with the escapes `\n`, `\t` and `\\` replaced.
pub(super) fn unescaped(text: &str) -> String {
    let mut made = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            made.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => made.push('\n'),
            Some('t') => made.push('\t'),
            Some('\\') | None => made.push('\\'),
            Some(other) => {
                made.push('\\');
                made.push(other);
            }
        }
    }
    made
}
