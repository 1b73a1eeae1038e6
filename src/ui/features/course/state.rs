//! The course as its files have it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::words::language::Language;

/// The course (`www/lessons/course.json`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Course {
    pub chapters: Vec<Chapter>,
    pub glossary: Vec<Term>,
}

/// A chapter of the course.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Chapter {
    pub title: Texts,
    pub lessons: Vec<Listed>,
}

/// A lesson of the course.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Listed {
    /// The name of its file.
    pub slug: String,
    pub title: Texts,
    pub minutes: u32,
    pub exam: Vec<String>,
}

/// A term of the glossary, which texts link as `#term`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Term {
    pub term: String,
    pub text: Texts,
    /// Other names of it, as a list with commas; empty without.
    #[serde(default)]
    pub also: Texts,
}

/// A text by the tags of the languages that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Texts(BTreeMap<String, String>);

impl Texts {
    /// A text in its own language, which stands for those without a translation.
    pub fn new(text: String) -> Self {
        Self::default().with(Language::SOURCE.tag(), text)
    }

    #[must_use]
    pub fn with(mut self, language: &str, text: String) -> Self {
        self.0.insert(language.to_owned(), text);
        self
    }

    /// The text in a language, or else in its own.
    pub fn of(&self, language: &str) -> &str {
        let in_language = |tag| self.0.get(tag).filter(|text| !text.is_empty());
        let text = in_language(language).or_else(|| in_language(Language::SOURCE.tag()));
        text.map_or("", String::as_str)
    }
}

impl Course {
    /// The lessons in learning order.
    pub fn lessons(&self) -> impl Iterator<Item = &Listed> {
        self.chapters.iter().flat_map(|chapter| &chapter.lessons)
    }

    /// The number of a lesson, from 1.
    pub fn number(&self, slug: &str) -> Option<usize> {
        Some(self.lessons().position(|lesson| lesson.slug == slug)? + 1)
    }
}

/// A lesson as its files have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    pub slug: String,
    pub text: String,
    /// In the language of the page, if that is not the lesson's own.
    pub translation: Option<String>,
}
