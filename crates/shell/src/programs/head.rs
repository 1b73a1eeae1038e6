//! `head` and `tail`.

use super::{Letters, all_text, joined, usage};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn head(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    lines(run, "head", arguments, stdin, |count, total| {
        let count = match count.strip_prefix('-') {
            Some(but) => total.saturating_sub(but.parse().ok()?),
            None => count.parse().ok()?,
        };
        Some((0, count))
    })
}

pub(super) fn tail(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    lines(run, "tail", arguments, stdin, |count, total| {
        let start = match count.strip_prefix('+') {
            Some(from) => from.parse::<usize>().ok()?.saturating_sub(1),
            None => total.saturating_sub(count.trim_start_matches('-').parse().ok()?),
        };
        Some((start, usize::MAX))
    })
}

/// `range` maps the value of `-n` and the number of lines to the first line to print and the count of lines.
fn lines(
    run: &Run<'_>,
    program: &str,
    arguments: &[String],
    stdin: &str,
    range: fn(&str, usize) -> Option<(usize, usize)>,
) -> Result<Output, Failure> {
    // `head -5` is `head -n 5`.
    let spelled: Vec<String> = arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| match argument.strip_prefix('-') {
            // In `-n -5` it is the value of `-n`.
            _ if index > 0 && arguments[index - 1] == "-n" => argument.clone(),
            Some(digits) if digits.parse::<u64>().is_ok() => format!("-n{digits}"),
            _ => argument.clone(),
        })
        .collect();
    let letters = Letters::read(program, &spelled, "qvf", "n", &[])?;
    let text = all_text(run, program, &letters.words, stdin)?;
    let count = letters.value('n').unwrap_or("10");
    match range(count, text.lines().count()) {
        Some((start, count)) => Ok(joined(text.lines().skip(start).take(count))),
        None => {
            let why = format!("invalid number of lines: '{count}'");
            Err(usage(program, &why))
        }
    }
}
