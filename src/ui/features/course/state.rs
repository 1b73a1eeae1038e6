//! The course as its files have it.

use serde::Deserialize;

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

/// A text in both languages; the Chinese one is empty if it is not translated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Texts {
    pub en: String,
    #[serde(rename = "zh-CN", default)]
    pub zh_cn: String,
}

impl Texts {
    /// The text in a language, `zh-CN` or another.
    pub fn of(&self, language: &str) -> &str {
        match language.starts_with("zh") && !self.zh_cn.is_empty() {
            true => &self.zh_cn,
            false => &self.en,
        }
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
