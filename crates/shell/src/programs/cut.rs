//! `cut`.

use super::{Letters, all_text, joined, usage};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn cut(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("cut", arguments, "s", "dfc", &[])?;
    let text = all_text(run, "cut", &letters.words, stdin)?;
    let (list, by_letter) = match (letters.value('f'), letters.value('c')) {
        (Some(list), _) => (list, false),
        (None, Some(list)) => (list, true),
        (None, None) => {
            let why = "you must specify a list of bytes, characters, or fields";
            return Err(usage("cut", why));
        }
    };
    let Some(ranges) = ranges(list) else {
        return Err(usage("cut", &format!("invalid field value '{list}'")));
    };
    let takes = |index: usize| {
        let number = index + 1;
        ranges
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&number))
    };
    let separator = letters.value('d').and_then(|it| it.chars().next());
    let separator = separator.unwrap_or('\t');
    let cut = |line: &str| -> Option<String> {
        let mut kept = String::new();
        if by_letter {
            let characters = line.chars().enumerate();
            kept.extend(
                characters
                    .filter(|(index, _)| takes(*index))
                    .map(|(_, it)| it),
            );
            return Some(kept);
        }
        if !line.contains(separator) {
            return (!letters.has('s')).then(|| line.to_owned());
        }
        let fields = line.split(separator).enumerate();
        for (number, (_, field)) in fields.filter(|(index, _)| takes(*index)).enumerate() {
            if number > 0 {
                kept.push(separator);
            }
            kept.push_str(field);
        }
        Some(kept)
    };
    let lines: Vec<String> = text.lines().filter_map(cut).collect();
    Ok(joined(lines.iter().map(String::as_str)))
}

/// `1,3-5,7-`.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    let range = |part: &str| {
        let (from, to) = match part.split_once('-') {
            None => {
                let number = part.parse().ok()?;
                (number, number)
            }
            Some(("", to)) => (1, to.parse().ok()?),
            Some((from, "")) => (from.parse().ok()?, usize::MAX),
            Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
        };
        (0 < from && from <= to).then_some((from, to))
    };
    list.split(',').map(range).collect()
}
