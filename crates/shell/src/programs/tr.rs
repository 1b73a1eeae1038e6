//! `tr`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn tr(_: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("tr", arguments, "ds", "", &[])?;
    let set = |index: usize| {
        letters
            .words
            .get(index)
            .map_or(Vec::new(), |word| set(word))
    };
    let (from, to) = (set(0), set(1));
    let mut text = String::new();
    for letter in stdin.chars() {
        let place = from.iter().position(|it| *it == letter);
        let made = match place {
            None => letter,
            Some(_) if letters.has('d') => continue,
            Some(index) => to.get(index).or(to.last()).copied().unwrap_or(letter),
        };
        let squeezes = letters.has('s')
            && (to.is_empty() && place.is_some() || to.contains(&made))
            && text.ends_with(made);
        if !squeezes {
            text.push(made);
        }
    }
    Ok(Output::text(text))
}

/// The characters of `a-z`, `[:space:]`, `\n`.
fn set(word: &str) -> Vec<char> {
    let word = word.replace("\\n", "\n").replace("\\t", "\t");
    let word = word.replace("[:space:]", " \t\n\r");
    let word = word.replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z");
    let mut set = Vec::new();
    let mut rest = word.chars();
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) => {
                set.extend((first..=last).take(1_000));
                rest = ahead;
            }
            _ => set.push(first),
        }
    }
    set
}
