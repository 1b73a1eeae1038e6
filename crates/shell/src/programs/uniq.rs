//! `uniq`.

use super::{Letters, all_text};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn uniq(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let letters = Letters::read("uniq", arguments, "cdui", "", &[("count", 'c')])?;
    let text = all_text(run, "uniq", &letters.words, stdin)?;
    let mut groups: Vec<(&str, usize)> = Vec::new();
    let equal = |a: &str, b: &str| match letters.has('i') {
        true => a.eq_ignore_ascii_case(b),
        false => a == b,
    };
    for line in text.lines() {
        match groups.last_mut() {
            Some((last, count)) if equal(last, line) => *count += 1,
            _ => groups.push((line, 1)),
        }
    }
    let mut output = Output::default();
    for (line, count) in groups {
        if letters.has('d') && count == 1 || letters.has('u') && count > 1 {
            continue;
        }
        if letters.has('c') {
            output.line(format!("{count:>7} {line}"));
        } else {
            output.line(line);
        }
    }
    Ok(output)
}
