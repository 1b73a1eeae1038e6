//! Expands words: braces, variables, command substitution, file names.

use super::files::fits;
use super::limits::{Bounded, MAX_BYTES, TOO_LONG};
use super::parse::ARRAYS;
use super::run::Run;
use super::syntax::{Change, Part, Word};
use super::{arithmetic, expansion};

/// The folder of the files of `<(…)`.
pub(super) const DESCRIPTORS: &str = "/dev/fd/";

/// Maximum characters that are compared to trim a value by a pattern.
const MAX_TRIES: usize = 100_000_000;

/// Maximum number of words after expansion.
const MAX_WORDS: usize = 10_000;

impl Run<'_> {
    /// The expanded words of a command.
    pub(super) fn words(&mut self, words: &[Word]) -> Vec<String> {
        let mut all = Vec::new();
        let mut bytes = 0;
        for word in words {
            for word in braces(word) {
                let fields = self.fields(&word);
                bytes += fields.iter().map(String::len).sum::<usize>();
                if bytes > MAX_BYTES {
                    self.fail(TOO_LONG.to_owned());
                    return all;
                }
                all.extend(fields);
                if all.len() > MAX_WORDS {
                    all.truncate(MAX_WORDS);
                    return all;
                }
            }
        }
        self.allowance.spend(bytes);
        all
    }

    /// Expands a word without splitting it: the value of a variable, the name of a file, a here-document.
    pub(super) fn text(&mut self, word: &Word) -> String {
        let mut text = Bounded::default();
        for (index, part) in word.iter().enumerate() {
            match part {
                Part::Bare(bare) if index == 0 => text.push(&self.tilde(bare)),
                Part::Bare(plain) | Part::Quoted(plain) => text.push(plain),
                part => text.push(&self.value(part)),
            }
        }
        text.whole().unwrap_or_else(|why| {
            self.fail(why.to_owned());
            String::new()
        })
    }

    /// The fields that a word without braces expands to.
    fn fields(&mut self, word: &Word) -> Vec<String> {
        let mut fields = Vec::new();
        let mut bytes = 0;
        let mut current: Option<String> = None;
        let mut is_pattern = false;
        for (index, part) in word.iter().enumerate() {
            if bytes > MAX_BYTES {
                self.fail(TOO_LONG.to_owned());
                return fields;
            }
            match part {
                Part::Bare(bare) => {
                    is_pattern |= bare.contains(['*', '?']);
                    let text = if index == 0 {
                        self.tilde(bare)
                    } else {
                        bare.clone()
                    };
                    current.get_or_insert_default().push_str(&text);
                }
                Part::Quoted(text) => current.get_or_insert_default().push_str(text),
                Part::Variable { quoted: true, .. } | Part::Command { quoted: true, .. } => {
                    let value = self.value(part);
                    bytes += value.len();
                    current.get_or_insert_default().push_str(&value);
                }
                part => {
                    let value = self.value(part);
                    bytes += value.len();
                    if value.starts_with(char::is_whitespace) {
                        fields.extend(current.take());
                    }
                    let mut pieces = value.split_whitespace().peekable();
                    while let Some(piece) = pieces.next() {
                        current.get_or_insert_default().push_str(piece);
                        if pieces.peek().is_some() || value.ends_with(char::is_whitespace) {
                            fields.extend(current.take());
                        }
                    }
                }
            }
        }
        fields.extend(current);
        if is_pattern && let [pattern] = fields.as_slice() {
            let files = self.matching_files(pattern);
            if !files.is_empty() {
                return files;
            }
        }
        fields
    }

    fn tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", super::files::HOME)
            }
            _ => text.to_owned(),
        }
    }

    /// The value of an expansion.
    fn value(&mut self, part: &Part) -> String {
        match part {
            Part::Bare(text) | Part::Quoted(text) => text.clone(),
            Part::Variable { name, change, .. } => {
                let value = self.variable(name).unwrap_or_default();
                self.changed(name, value, change)
            }
            Part::Process(text) => self.process(text),
            Part::Command { text, .. } => self.substitute(text),
            Part::Arithmetic(text) => {
                let text = self.text(&expansion::expandable(text));
                let variable = |name: &str| self.variable(name).unwrap_or_default();
                match arithmetic::value(&text, &variable) {
                    Ok(value) => value.to_string(),
                    Err(why) => {
                        self.fail(why);
                        String::new()
                    }
                }
            }
        }
    }

    /// A variable's value, modified as `${…}` asks.
    fn changed(&mut self, name: &str, value: String, change: &Change) -> String {
        match change {
            Change::None => value,
            Change::Otherwise(word) if value.is_empty() => self.text(word),
            Change::Otherwise(_) => value,
            Change::Without {
                at_end,
                longest,
                pattern,
            } => {
                let pattern = self.text(pattern);
                // Every cut is tried.
                let tries = value.len().saturating_mul(value.len() + pattern.len());
                if pattern.contains(['*', '?']) {
                    if tries > MAX_TRIES {
                        let why = "patterns in long values are not simulated here";
                        self.fail(format!("${{{name}}}: {why}"));
                        return String::new();
                    }
                    self.allowance.spend(tries / 4);
                }
                without(&value, &pattern, *at_end, *longest).to_owned()
            }
            Change::Unsupported if name.contains('[') => {
                self.fail(format!("${{{name}}}: not simulated here: {ARRAYS}"));
                String::new()
            }
            Change::Unsupported => {
                self.fail(format!("${{{name}}}: bad substitution"));
                String::new()
            }
        }
    }

    /// Writes the output of a command to a file, and returns the file's name.
    fn process(&mut self, text: &str) -> String {
        let printed = self.substitute_whole(text);
        // Like bash, count down from 63.
        let is_free = |number: &u32| self.host.file(&format!("{DESCRIPTORS}{number}")).is_none();
        let number = (0..64).rev().find(is_free).unwrap_or_default();
        let name = format!("{DESCRIPTORS}{number}");
        if let Err(why) = self.store(&name, printed) {
            self.fail(format!("{name}: {why}"));
        }
        name
    }
}

/// A text without the prefix or suffix that matches a pattern.
fn without<'a>(text: &'a str, pattern: &str, at_end: bool, longest: bool) -> &'a str {
    if !pattern.contains(['*', '?']) {
        let rest = match at_end {
            true => text.strip_suffix(pattern),
            false => text.strip_prefix(pattern),
        };
        return rest.unwrap_or(text);
    }
    let marks = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let cuts: Vec<usize> = marks.collect();
    let splits = cuts.into_iter().filter_map(|at| text.split_at_checked(at));
    let mut kept = splits
        .filter(|(head, tail)| fits(pattern, if at_end { tail } else { head }))
        .map(|(head, tail)| if at_end { head } else { tail });
    // The cuts run from left to right: the first removes the longest suffix, or the shortest prefix.
    let found = if at_end == longest {
        kept.next()
    } else {
        kept.next_back()
    };
    found.unwrap_or(text)
}

/// Expands the braces of a word: `{a,b}` and `{1..3}` yield several words.
pub fn braces(word: &Word) -> Vec<Word> {
    let mut done = Vec::new();
    let mut waiting = vec![word.clone()];
    let mut bytes = 0;
    while let Some(word) = waiting.pop() {
        if done.len() + waiting.len() > MAX_WORDS || bytes > MAX_BYTES {
            done.push(word);
            continue;
        }
        let found = word
            .iter()
            .enumerate()
            .find_map(|(index, part)| match part {
                Part::Bare(text) => {
                    alternatives(text).map(|(from, to, all)| (index, from, to, all))
                }
                _ => None,
            });
        let Some((index, from, to, all)) = found else {
            done.push(word);
            continue;
        };
        let Some(Part::Bare(text)) = word.get(index) else {
            continue;
        };
        for choice in all.into_iter().rev() {
            let before = text.get(..from).unwrap_or_default();
            let behind = text.get(to..).unwrap_or_default();
            let mut made = word.clone();
            bytes += text.len();
            if let Some(part) = made.get_mut(index) {
                *part = Part::Bare(format!("{before}{choice}{behind}"));
            }
            waiting.push(made);
        }
    }
    done
}

/// The first braces of a text that expand: their byte range and their alternatives.
fn alternatives(text: &str) -> Option<(usize, usize, Vec<String>)> {
    for (open, _) in text.match_indices('{') {
        let inner = text.get(open + 1..)?;
        let mut depth = 0_u32;
        let mut commas = Vec::new();
        let close = inner.char_indices().find_map(|(index, letter)| {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => return Some(index),
                '}' => depth -= 1,
                ',' if depth == 0 => commas.push(index),
                _ => {}
            }
            None
        });
        let Some(close) = close else { continue };
        let body = inner.get(..close)?;
        let to = open + 1 + close + 1;
        if !commas.is_empty() {
            let mut all = Vec::new();
            let mut start = 0;
            for comma in commas.into_iter().chain([close]) {
                all.push(inner.get(start..comma)?.to_owned());
                start = comma + 1;
            }
            return Some((open, to, all));
        }
        if let Some(all) = sequence(body) {
            return Some((open, to, all));
        }
    }
    None
}

/// `1..10`, `01..10`, `3..1`.
fn sequence(body: &str) -> Option<Vec<String>> {
    let (first, last) = body.split_once("..")?;
    let (from, to) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
    if from.abs_diff(to) > MAX_WORDS as u64 {
        return None;
    }
    let padded = [first, last].into_iter().any(|it| {
        let digits = it.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    });
    let width = if padded {
        first.len().max(last.len())
    } else {
        0
    };
    let word = |number: i64| format!("{number:0width$}");
    Some(if from <= to {
        (from..=to).map(word).collect()
    } else {
        (to..=from).rev().map(word).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::bare;

    #[test]
    fn braces_make_several_words() {
        let made = |text: &str| -> Vec<String> {
            let words = braces(&vec![Part::Bare(text.to_owned())]);
            words
                .iter()
                .map(|word| bare(word).unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!(made("a{1..3}b"), ["a1b", "a2b", "a3b"]);
        assert_eq!(
            made("{a,b{c,d}}x{3..1}"),
            [
                "ax3", "ax2", "ax1", "bcx3", "bcx2", "bcx1", "bdx3", "bdx2", "bdx1"
            ]
        );
        assert_eq!(made("{08..10}"), ["08", "09", "10"]);
        for literal in ["{.items[*]}", "{}", "{..}", "{a}", "{1..99999999}", "a}{b"] {
            assert_eq!(made(literal), [literal], "{literal}");
        }
    }
}
