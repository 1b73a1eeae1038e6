//! Parses the table of rules.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Call, calls, formats};
use berth_base::sort;

/// The texts of the table: Pods apart, because every visit validates Pods.
const PODS: &str = include_str!("pod.txt");
const OTHERS: [&str; 2] = [include_str!("parts.txt"), include_str!("objects.txt")];

static POD_TYPES: LazyLock<Types> = LazyLock::new(|| parse(&[PODS]));
static OTHER_TYPES: LazyLock<Types> = LazyLock::new(|| parse(&OTHERS));

type Types = BTreeMap<&'static str, Vec<Row>>;

/// The rules of one field.
pub(super) struct Row {
    pub key: &'static str,
    /// Names of fields, separated by commas: the rules apply if one of these is there. Empty: always.
    pub only: &'static str,
    pub each: Each,
    pub has_default: bool,
    pub rules: Vec<Rule>,
}

/// What a rule is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Each {
    /// The value itself.
    Whole,
    /// Each item of a list, at its index.
    Item,
    /// Each item of a list, at the place of the list.
    ItemHere,
    /// Each entry of a map, at its key.
    Entry,
}

pub(super) enum Rule {
    Required(&'static str),
    Always(Call),
    Call(Call),
    Type(&'static str),
    TypeHere(&'static str),
    In(Vec<&'static str>),
    Range(i64, i64),
    AtLeast(i64, &'static str),
    Longest(usize),
    Format(formats::Format),
    /// A format that an empty text does not have.
    RequiredFormat(formats::Format),
    /// The mode of a file.
    Mode,
}

/// The rows of a type; none if it has no rules.
pub(super) fn type_of(name: &str) -> &'static [Row] {
    match POD_TYPES.get(name) {
        Some(rows) => rows,
        None => other_type(name),
    }
}

/// Cold: kept out of the first download.
#[inline(never)]
fn other_type(name: &str) -> &'static [Row] {
    OTHER_TYPES.get(name).map_or(&[], Vec::as_slice)
}

fn parse(texts: &[&'static str]) -> Types {
    let mut types: Vec<(&'static str, Vec<Row>)> = Vec::new();
    let lines = texts.iter().flat_map(|text| text.lines());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            types.push((line, Vec::new()));
        } else if let Some((_, rows)) = types.last_mut() {
            rows.extend(row(line));
        }
    }
    sort::gather(types)
}

fn row(line: &'static str) -> Option<Row> {
    let words = words(line.trim());
    let (key, words) = words.split_first()?;
    let (key, each) = match *key {
        key if key.ends_with("[]") => (&key[..key.len() - 2], Each::Item),
        key if key.ends_with("[~]") => (&key[..key.len() - 3], Each::ItemHere),
        key if key.ends_with("{}") => (&key[..key.len() - 2], Each::Entry),
        key => (key, Each::Whole),
    };
    let (key, only) = key.split_once('?').unwrap_or((key, ""));
    Some(Row {
        key,
        only,
        each,
        has_default: words.iter().any(|word| word.starts_with("default=")),
        rules: words.iter().filter_map(|word| rule(word)).collect(),
    })
}

/// The words of a line; a quoted part may contain spaces.
fn words(line: &'static str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (place, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            ' ' if !quoted => {
                found.extend(line.get(start..place).filter(|word| !word.is_empty()));
                start = place + 1;
            }
            _ => {}
        }
    }
    found.extend(line.get(start..).filter(|word| !word.is_empty()));
    found
}

fn rule(word: &'static str) -> Option<Rule> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let value = value.trim_matches('"');
    Some(match name {
        "required" => Rule::Required(value),
        "in" => Rule::In(value.split(',').collect()),
        "range" => {
            let (least, most) = value.split_once("..")?;
            Rule::Range(least.parse().ok()?, most.parse().ok()?)
        }
        "min" => match value.parse().ok()? {
            0 => Rule::AtLeast(0, "must be greater than or equal to 0"),
            _ => Rule::AtLeast(1, "must be greater than 0"),
        },
        "max-length" => Rule::Longest(value.parse().ok()?),
        "mode" => Rule::Mode,
        name => {
            if let Some(name) = name.strip_prefix("@@") {
                return calls::of(name).map(Rule::Always);
            }
            if let Some(name) = name.strip_prefix('@') {
                return calls::of(name).map(Rule::Call);
            }
            if let Some(name) = name.strip_prefix('^') {
                return Some(Rule::TypeHere(name));
            }
            if name.starts_with(|letter: char| letter.is_ascii_uppercase()) {
                return Some(Rule::Type(name));
            }
            if let Some(name) = name.strip_prefix("required-") {
                return formats::of(name).map(Rule::RequiredFormat);
            }
            return formats::of(name).map(Rule::Format);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_table_is_a_rule_and_every_type_is_there() {
        for text in [&PODS].into_iter().chain(&OTHERS) {
            let lines = text.lines().filter(|line| line.starts_with(' '));
            for word in lines.flat_map(|line| words(line.trim()).into_iter().skip(1)) {
                match rule(word) {
                    Some(Rule::Type(name) | Rule::TypeHere(name)) => {
                        assert!(!type_of(name).is_empty(), "{name}");
                    }
                    Some(_) => {}
                    None => assert!(word.starts_with("default="), "{word}"),
                }
            }
        }
    }

    #[test]
    fn words_are_separated_by_spaces_outside_quotes() {
        let line = "name  required=\"must be set\" label";
        assert_eq!(words(line), ["name", "required=\"must be set\"", "label"]);
    }
}
