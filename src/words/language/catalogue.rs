//! Installed catalogues. `berth_catalogue` has their format.

use std::cell::RefCell;
use std::collections::BTreeMap;

use berth_catalogue::{OTHER, Translation, head, translations};

use super::Language;

/// The translations of a language.
pub struct Catalogue {
    language: Language,
    text: &'static str,
    /// By sentence of the source and plural category; the category of a sentence that is said of any count is empty.
    sentences: BTreeMap<(&'static str, &'static str), &'static str>,
    /// CLDR's plural category of a count.
    category: Box<dyn Fn(usize) -> String>,
    is_dense: bool,
}

thread_local! {
    /// They are never dropped, so that texts are `'static` in each language.
    static INSTALLED: RefCell<Vec<&'static Catalogue>> = const { RefCell::new(Vec::new()) };
}

/// The catalogue of a language, if it is installed.
pub fn installed(language: Language) -> Option<&'static Catalogue> {
    let is_own = |it: &&&Catalogue| it.language == language;
    INSTALLED.with_borrow(|all| all.iter().find(is_own).copied())
}

/// Whether the language has all it needs.
pub fn is_installed(language: Language) -> bool {
    language.is_source() || installed(language).is_some()
}

/// Installs a catalogue. `category` is CLDR's plural category of a count in its language.
pub fn install(language: Language, text: String, category: impl Fn(usize) -> String + 'static) {
    let text: &'static str = text.leak();
    let keyed = |it: Translation<'static>| ((it.english, it.category), it.text);
    let catalogue = Catalogue {
        language,
        text,
        sentences: translations(text).map(keyed).collect(),
        category: Box::new(category),
        is_dense: head(text, "spaces") == Some("none"),
    };
    INSTALLED.with_borrow_mut(|all| all.push(Box::leak(Box::new(catalogue))));
}

impl Catalogue {
    pub fn language(&self) -> Language {
        self.language
    }

    /// A value of the catalogue's head.
    pub fn head(&self, key: &str) -> Option<&'static str> {
        head(self.text, key)
    }

    /// Whether the language has no spaces between its letters.
    pub fn is_dense(&self) -> bool {
        self.is_dense
    }

    /// The translation of a sentence that is said of any count.
    pub fn plain(&self, key: &str) -> Option<&'static str> {
        self.form(key, "")
    }

    /// The translation of a sentence that counts.
    pub fn counted(&self, key: &str, count: usize) -> Option<&'static str> {
        self.plain(key)
            .or_else(|| self.form(key, &(self.category)(count)))
            .or_else(|| self.form(key, OTHER))
    }

    fn form(&self, key: &str, category: &str) -> Option<&'static str> {
        self.sentences.get(&(key, category)).copied()
    }
}

/// Text without spaces between wide letters. A translation has spaces around its placeholders, which are right beside names
/// and numbers only.
#[inline(never)]
pub fn tightened(text: &str) -> String {
    let is_wide = |letter: char| letter >= '\u{2e80}';
    let mut tight = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let before = tight.chars().next_back();
        let is_between = letter == ' '
            && before.is_some_and(is_wide)
            && letters.peek().copied().is_some_and(is_wide);
        if !is_between {
            tight.push(letter);
        }
    }
    tight
}
