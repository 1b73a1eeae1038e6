//! The attributes of a block, and what is wrong with the words of one.
//!
//! `adapters/attributes.json` is the table, `adapters/npm/fence.mjs` and `adapters/python/berth_docs/fences.py` know it,
//! too, and `adapters/misspelt.json` holds all three to the same complaints.

use std::sync::LazyLock;

use berth_session::{Version, closest};
use serde_json::{Map, Value};

/// The attributes with their values: a list of them, or what a value is.
static TABLE: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    // A test reads it; without it, there would be no attributes.
    serde_json::from_str(include_str!("../../../adapters/attributes.json")).unwrap_or_default()
});

/// How the table describes a value that is a number.
const NUMBER: &str = "a number: ";

/// Attributes that mean something for a block without a live element, too.
const OF_EVERY_BLOCK: [&str; 3] = ["cluster", "expect", "kubernetes"];

/// The words of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes<'a> {
    /// `berth`: the adapters add the element.
    pub is_live: bool,
    /// Those of the table with their values, in their order.
    pub given: Vec<(&'a str, &'a str)>,
    /// The other words, which are for the tool.
    pub rest: Vec<&'a str>,
}

/// Reads the words after the language.
pub fn of_words<'a>(words: &[&'a str]) -> Attributes<'a> {
    let mut attributes = Attributes::default();
    for word in words {
        match word.split_once('=') {
            Some((name, value)) if is_known(name) && !value.is_empty() => {
                attributes.given.push((name, unquoted(value)));
            }
            _ if *word == "berth" => attributes.is_live = true,
            _ => attributes.rest.push(word),
        }
    }
    attributes
}

/// Reads an option of a directive: `:name: value`.
pub fn option(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then(|| (name, value.trim()))
}

/// Whether the table has an attribute.
pub fn is_known(name: &str) -> bool {
    TABLE.contains_key(name)
}

/// A value without its quotes.
pub fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

impl<'a> Attributes<'a> {
    /// The value of an attribute.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        let given = self.given.iter().find(|(given, _)| *given == name);
        given.map(|(_, value)| *value)
    }

    /// The value of a word that is another tool's: `~` of `hidelines=~`.
    pub fn foreign(&self, name: &str) -> Option<&'a str> {
        let words = self.rest.iter().filter_map(|word| word.split_once('='));
        let mut values = words.filter(|(word, value)| *word == name && !value.is_empty());
        values.next().map(|(_, value)| unquoted(value))
    }

    /// Adds the options of a directive.
    pub fn add_options(&mut self, options: Vec<(&'a str, &'a str)>) {
        for (name, value) in options {
            match is_known(name) && !value.is_empty() {
                true => self.given.push((name, unquoted(value))),
                false => self.rest.push(name),
            }
        }
    }

    /// Misspelt attributes, and values that an attribute does not have.
    pub fn complaints(&self) -> Vec<String> {
        let values = self
            .given
            .iter()
            .filter_map(|(name, value)| refused(name, value));
        let words = self.rest.iter().filter_map(|word| self.misspelt(word));
        values.chain(words).collect()
    }

    /// What is wrong with a word that is not of the table. It may be for the tool, so only a near miss is one.
    fn misspelt(&self, word: &str) -> Option<String> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        if is_known(name) && (self.is_live || OF_EVERY_BLOCK.contains(&name)) {
            return Some(format!("{name} needs a value: {name}=…"));
        }
        let names = TABLE.keys().map(String::as_str);
        let mut names: Vec<&str> = names
            .filter(|name| self.is_live || OF_EVERY_BLOCK.contains(name))
            .collect();
        if !self.is_live && value.is_empty() {
            names.push("berth");
        }
        let meant = closest(name, names)?;
        Some(format!(
            "{name} is no attribute of a block (did you mean {meant}?)"
        ))
    }
}

/// What is wrong with the value of an attribute.
fn refused(name: &str, value: &str) -> Option<String> {
    if name == "kubernetes" {
        let refused = Version::parse(value).err();
        return refused.map(|why| format!("{name}={value}: {why}"));
    }
    match TABLE.get(name)? {
        Value::Array(known) => {
            let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
            if known.contains(&value) {
                return None;
            }
            let meant = closest(value, known.iter().copied());
            let meant = meant.map_or(String::new(), |meant| format!(" (did you mean {meant}?)"));
            let known = known.join(", ");
            Some(format!("{name}={value} is none of {known}{meant}"))
        }
        kind => {
            let wants_number = kind.as_str().is_some_and(|kind| kind.starts_with(NUMBER));
            let is_number = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit());
            (wants_number && !is_number).then(|| format!("{name}={value} is no number"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::fences::info;

    #[derive(serde::Deserialize)]
    struct Case {
        info: String,
        complaints: Vec<String>,
    }

    #[test]
    fn complaints_are_those_of_the_other_adapters() {
        let cases = include_str!("../../../adapters/misspelt.json");
        let cases: Vec<Case> = serde_json::from_str(cases).unwrap();
        for case in cases {
            let read = info::read(&case.info).unwrap();
            assert_eq!(
                read.attributes.complaints(),
                case.complaints,
                "{}",
                case.info
            );
        }
    }

    #[test]
    fn the_table_is_read() {
        for name in ["view", "cluster", "expect"] {
            assert!(is_known(name), "{name}");
        }
        let release = of_words(&["berth", "kubernetes=1.99"]);
        let complaints = release.complaints().join("\n");
        assert!(complaints.starts_with("kubernetes=1.99: "), "{complaints}");
    }

    /// A block that is not live belongs to the tool, but for what `berth docs` reads.
    #[test]
    fn a_plain_block_has_fewer_attributes() {
        let of = |words: &[&str]| of_words(words).complaints();
        assert!(of(&["stpe=3", "title=\"a\"", "{1,3}"]).is_empty());
        assert_eq!(of(&["expct=\"a: Bound\""]).len(), 1);
        assert_eq!(of(&["brth"]).len(), 1);
        assert_eq!(of(&["cluster"]).len(), 1);
    }
}
