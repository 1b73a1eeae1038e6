//! `sort`.

use std::cmp::Ordering;

use super::{Letters, all_text, joined, not_simulated};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn sort(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let letters = Letters::read("sort", arguments, "rnufh", "kt", &[("reverse", 'r')])?;
    let text = all_text(run, "sort", &letters.words, stdin)?;
    let key_flag = letters.value('k').unwrap_or_default();
    if let Some(letter) = key_flag
        .chars()
        .find(|it| !"0123456789,.rnfh".contains(*it))
    {
        return Err(not_simulated("sort", letter));
    }
    // A key with letters of its own does not inherit those of the command.
    let inherits = !key_flag.contains(|it: char| it.is_ascii_alphabetic());
    let has = |letter| key_flag.contains(letter) || inherits && letters.has(letter);
    let (by_number, by_size, folds) = (has('n'), has('h'), has('f'));
    let (reverses_key, reverses_rest) = (has('r'), letters.has('r'));
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
    let by_key = |a: &str, b: &str| {
        let (first, second) = (key(a), key(b));
        let order = if by_size {
            let (first, second) = (size_of(&first), size_of(&second));
            first.0.cmp(&second.0).then(first.1.total_cmp(&second.1))
        } else if by_number {
            number_of(&first).0.total_cmp(&number_of(&second).0)
        } else if folds {
            first.to_ascii_uppercase().cmp(&second.to_ascii_uppercase())
        } else {
            first.cmp(&second)
        };
        reversed(order, reverses_key)
    };
    if letters.has('u') {
        // Of lines with equal keys, the first is kept.
        lines.sort_by(|a, b| by_key(a, b));
        lines.dedup_by(|a, b| by_key(a, b).is_eq());
    } else {
        lines.sort_by(|a, b| by_key(a, b).then_with(|| reversed(a.cmp(b), reverses_rest)));
    }
    Ok(joined(lines))
}

fn reversed(order: Ordering, reverses: bool) -> Ordering {
    if reverses { order.reverse() } else { order }
}

/// The first number in `-k 2,2n`.
fn digits(key: &str) -> Option<usize> {
    let digits = key.trim_start_matches(|it: char| !it.is_ascii_digit());
    let end = digits.find(|it: char| !it.is_ascii_digit());
    digits.get(..end.unwrap_or(digits.len()))?.parse().ok()
}

/// The number that a text begins with, and what follows it; 0 if there is none.
fn number_of(text: &str) -> (f64, &str) {
    let text = text.trim_start();
    let end = text
        .find(|it: char| !it.is_ascii_digit() && !"-.".contains(it))
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.parse().unwrap_or(0.0), rest)
}

/// What `-h` compares: the unit first (its place in `KMGTPE`, negated with the number), then the number, as GNU's
/// does. `2000Ki` is thus less than `1Mi`, and zero has no unit.
fn size_of(text: &str) -> (i32, f64) {
    let (number, rest) = number_of(text);
    let unit = match rest.chars().next() {
        Some('k' | 'K') => 1,
        Some('M') => 2,
        Some('G') => 3,
        Some('T') => 4,
        Some('P') => 5,
        Some('E') => 6,
        _ => 0,
    };
    if number == 0.0 {
        (0, number)
    } else if number < 0.0 {
        (-unit, number)
    } else {
        (unit, number)
    }
}
