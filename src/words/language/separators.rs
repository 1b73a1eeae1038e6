//! What stands between the parts of a text: in each language, what a sentence has between its two placeholders.

use berth_words::known;

use super::translated;

fn between(key: &'static str) -> &'static str {
    let (_, after) = translated(key).split_once('}').unwrap_or_default();
    after.rsplit_once('{').unwrap_or_default().0
}

/// The separator of the names of a list.
pub fn comma() -> &'static str {
    between(known!("{first}, {second} | names of a list"))
}

/// The separator of parts of a sentence.
pub fn semicolon() -> &'static str {
    between(known!("{first}; {second}"))
}

/// The separator after a label.
pub fn colon() -> &'static str {
    between(known!("{label}: {text}"))
}

/// The separator before the last of several names.
pub fn and() -> &'static str {
    between(known!("{first} and {second}"))
}

/// The separator of two clauses.
pub fn and_also() -> &'static str {
    between(known!("{first} and {second} | clauses"))
}

/// The separator of sentences.
pub fn space() -> &'static str {
    between(known!("{first} {second} | sentences"))
}

/// What ends a sentence before the next one.
pub fn full_stop() -> &'static str {
    between(known!("{first}. {second}"))
}
