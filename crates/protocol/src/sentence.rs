//! Sentences with placeholders, `{name}`, that are filled at run time.

use std::fmt::{Display, Write};

/// Separates a sentence from the context that distinguishes homonyms: `Open | button`.
const CONTEXT: &str = " | ";

/// A sentence without its context.
pub fn without_context(sentence: &str) -> &str {
    sentence
        .split_once(CONTEXT)
        .map_or(sentence, |(text, _)| text)
}

/// A sentence with its placeholders replaced. `key`: the sentence that gives the values' order.
pub fn filled(sentence: &str, key: &str, values: &[&dyn Display]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in placeholders(key) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = String::new();
    let mut rest = sentence;
    for (before, name) in placeholders(sentence) {
        text.push_str(before);
        let place = names.iter().position(|known| *known == name);
        if let Some(value) = place.and_then(|place| values.get(place)) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{value}");
        }
        rest = rest
            .get(before.len() + name.len() + 2..)
            .unwrap_or_default();
    }
    text + without_context(rest)
}

/// The placeholders of a sentence, each with the text before it.
pub fn placeholders(sentence: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        let (before, inside) = rest.split_once('{')?;
        let (name, after) = inside.split_once('}')?;
        rest = after;
        Some((before, name))
    })
}
