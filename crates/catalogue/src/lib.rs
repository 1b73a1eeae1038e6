//! The format of a catalogue, the translations of a language:
//!
//! ```text
//! name: polski
//! docs: pl/docs
//!
//! # board
//!
//! Pending Pods
//! Oczekujące Pody
//!
//! {pods} Pods
//! one: {pods} Pod
//! few: {pods} Pody
//! other: {pods} Podów
//! ```
//!
//! The lines before the first blank one are the head. Each paragraph after it is a sentence of the source and, below it,
//! its translation, or one for each plural category of CLDR that the language has. A sentence alone is not translated
//! yet. Lines that begin with `#` are comments.

/// The category that every language has, and the form for counts whose own form is missing.
pub const OTHER: &str = "other";

/// CLDR's plural categories.
const CATEGORIES: [&str; 6] = ["zero", "one", "two", "few", "many", OTHER];

/// The translation of a sentence, or one of its plural forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation<'t> {
    /// Its line in the text, from 1.
    pub line: usize,
    /// The sentence of the source.
    pub english: &'t str,
    /// Its plural category; empty: it is said of any count.
    pub category: &'t str,
    pub text: &'t str,
}

/// A value of the head.
pub fn head<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.lines().take_while(|line| !line.is_empty());
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

/// The sentences, each with its line: those without a translation, too.
pub fn sentences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter_map(|line| match line {
        Line::Sentence(line, english) => Some((line, english)),
        Line::Translation(_) => None,
    })
}

/// The translations.
pub fn translations(text: &str) -> impl Iterator<Item = Translation<'_>> {
    lines(text).filter_map(|line| match line {
        Line::Sentence(..) => None,
        Line::Translation(translation) => Some(translation),
    })
}

enum Line<'t> {
    Sentence(usize, &'t str),
    Translation(Translation<'t>),
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let numbered = (1..).zip(text.lines());
    let body = numbered.skip_while(|(_, line)| !line.is_empty());
    let mut paragraph = "";
    let lines = body.filter(|(_, text)| !text.starts_with('#'));
    lines.filter_map(move |(line, text)| {
        let english = paragraph;
        if english.is_empty() || text.is_empty() {
            paragraph = text;
            return (!text.is_empty()).then_some(Line::Sentence(line, text));
        }
        let (category, text) = form(text).unwrap_or(("", text));
        Some(Line::Translation(Translation {
            line,
            english,
            category,
            text,
        }))
    })
}

/// The category and the text of a line that is a plural form.
fn form(line: &str) -> Option<(&str, &str)> {
    let form = line.split_once(": ")?;
    CATEGORIES.contains(&form.0).then_some(form)
}

#[cfg(test)]
mod tests {
    use super::{head, sentences, translations};

    const POLISH: &str = "\
name: polski
docs: pl/docs

# Names, of which the first is not translated.

Share

# Plurals.
{pods} Pods
one: {pods} Pod
other: {pods} Podów
Other: this
";

    #[test]
    fn the_head_ends_with_its_paragraph() {
        assert_eq!(head(POLISH, "name"), Some("polski"));
        assert_eq!(head(POLISH, "docs"), Some("pl/docs"));
        for missing in ["nam", "one", "complete"] {
            assert_eq!(head(POLISH, missing), None);
        }
    }

    #[test]
    fn a_paragraph_is_a_sentence_and_its_forms() {
        let found = translations(POLISH).map(|it| (it.line, it.english, it.category, it.text));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                (10, "{pods} Pods", "one", "{pods} Pod"),
                (11, "{pods} Pods", "other", "{pods} Podów"),
                (12, "{pods} Pods", "", "Other: this"),
            ]
        );
        let found: Vec<_> = sentences(POLISH).collect();
        assert_eq!(found, [(6, "Share"), (9, "{pods} Pods")]);
    }
}
