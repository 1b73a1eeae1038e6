//! `sort`.

use super::{Letters, all_text, joined};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn sort(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let letters = Letters::read("sort", arguments, "rnuVfbh", "kt", &[("reverse", 'r')])?;
    let text = all_text(run, "sort", &letters.words, stdin)?;
    let key_flag = letters.value('k').unwrap_or_default();
    let by_number = letters.has('n') || letters.has('h') || key_flag.contains('n');
    let separator = letters.value('t').and_then(|it| it.chars().next());
    let key = |line: &str| -> String {
        let Some(skipped) = digits(key_flag).and_then(|column| column.checked_sub(1)) else {
            return line.to_owned();
        };
        match separator {
            Some(separator) => {
                let field = line.split(separator).nth(skipped);
                field.unwrap_or_default().to_owned()
            }
            None => {
                let fields: Vec<&str> = line.split_whitespace().skip(skipped).collect();
                fields.join(" ")
            }
        }
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let by_key = |one: &str, other: &str| {
        let (first, second) = (key(one), key(other));
        if by_number {
            number_of(&first).total_cmp(&number_of(&second))
        } else {
            first.cmp(&second)
        }
    };
    if letters.has('u') {
        // Of lines with equal keys, the first is kept.
        lines.sort_by(|one, other| by_key(one, other));
        lines.dedup_by(|one, other| by_key(one, other).is_eq());
    } else {
        lines.sort_by(|one, other| by_key(one, other).then_with(|| one.cmp(other)));
    }
    if letters.has('r') {
        lines.reverse();
    }
    Ok(joined(lines))
}

/// The first number in `-k 2,2n`.
fn digits(key: &str) -> Option<usize> {
    let digits = key.trim_start_matches(|it: char| !it.is_ascii_digit());
    let end = digits.find(|it: char| !it.is_ascii_digit());
    digits.get(..end.unwrap_or(digits.len()))?.parse().ok()
}

/// The number that a text begins with; 0 if there is none.
fn number_of(text: &str) -> f64 {
    let text = text.trim_start();
    let end = text
        .find(|it: char| !it.is_ascii_digit() && !"-.".contains(it))
        .unwrap_or(text.len());
    let number = text.get(..end).and_then(|it| it.parse().ok());
    number.unwrap_or(0.0)
}
