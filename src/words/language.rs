//! The language in use, and what the macros of `berth-words` expand to. The language of the source is English. The others
//! are found when the page is compiled, one catalogue each, and are installed when they are chosen.

mod catalogue;
mod separators;

pub use catalogue::{install, is_installed};
pub use separators::{and, and_also, colon, comma, full_stop, semicolon, space};

use std::cell::Cell;
use std::fmt::{self, Display};

use berth_protocol::sentence::{filled, without_context};
use catalogue::{Catalogue, installed};

/// Makes Cargo compile the page again when a catalogue changes; `build.rs` notices new ones. Nothing refers to it, so no
/// module contains it.
const _: &[&str] = berth_words::catalogues!();

/// What is known of a language without its catalogue.
#[derive(Debug, PartialEq, Eq)]
struct About {
    tag: &'static str,
    name: &'static str,
    percent: usize,
    address: &'static str,
}

/// The languages of the catalogues, by tag.
const FOUND: &[About] = berth_words::languages!();

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language(&'static About);

impl Language {
    /// The language of the source, which has no catalogue.
    pub const SOURCE: Self = Self(&About {
        tag: "en",
        name: "EN",
        percent: 100,
        address: "",
    });

    /// All languages, that of the source first.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::SOURCE).chain(Self::translated())
    }

    /// The languages of the catalogues.
    pub fn translated() -> impl Iterator<Item = Self> {
        FOUND.iter().map(Self)
    }

    /// The language of a tag: the one with this tag, or else a variant of the same language (`zh-CN` for `zh-Hans`).
    pub fn of_tag(tag: &str) -> Option<Self> {
        let same = Self::all().find(|it| it.tag().eq_ignore_ascii_case(tag));
        let is_variant = |it: &Self| primary(it.tag()).eq_ignore_ascii_case(primary(tag));
        same.or_else(|| Self::all().find(is_variant))
    }

    /// The BCP 47 tag.
    pub fn tag(self) -> &'static str {
        self.0.tag
    }

    /// Its own name for itself, in short.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// How many of the sentences are translated, in percent, rounded down.
    pub fn percent(self) -> usize {
        self.0.percent
    }

    /// The address of its catalogue. The hash in it keeps a browser from using an older one.
    pub fn address(self) -> &'static str {
        self.0.address
    }

    pub fn is_source(self) -> bool {
        self == Self::SOURCE
    }
}

/// The subtag of the language itself: `zh` of `zh-CN`.
fn primary(tag: &str) -> &str {
    tag.split_once('-').map_or(tag, |(language, _)| language)
}

/// Whether a file has the texts of another in the language of a catalogue: `NAME.TAG.yaml`.
pub fn is_translation(name: &str) -> bool {
    let stem = name.rsplit_once('.').map(|(stem, _)| stem);
    let tag = stem.and_then(|stem| Some(stem.rsplit_once('.')?.1));
    Language::translated().any(|it| Some(it.tag()) == tag)
}

impl Default for Language {
    fn default() -> Self {
        Self::SOURCE
    }
}

thread_local! {
    /// The catalogue in use; `None` in the language of the source.
    static CURRENT: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
}

/// The language in use.
pub fn current() -> Language {
    CURRENT.get().map_or(Language::SOURCE, Catalogue::language)
}

/// Sets the language, if its catalogue is installed.
pub fn set_current(language: Language) {
    CURRENT.set(installed(language));
}

/// Calls `tell` in English, for data that must not depend on the language in use.
pub fn in_english<T>(tell: impl FnOnce() -> T) -> T {
    let before = CURRENT.take();
    let told = tell();
    CURRENT.set(before);
    told
}

/// The part of addresses at kubernetes.io that leads to its documentation in the language in use.
pub fn docs() -> &'static str {
    let own = CURRENT.get().and_then(|catalogue| catalogue.head("docs"));
    own.unwrap_or("docs")
}

/// A sentence in the language in use, or else in English.
#[inline(never)]
fn translated(key: &'static str) -> &'static str {
    let own = CURRENT.get().and_then(|catalogue| catalogue.plain(key));
    // A translation has no context.
    without_context(own.unwrap_or(key))
}

/// A sentence without values; made by `text!`. It is not comparable: properties hold [`Text::get`], so that what shows
/// them is drawn again in another language.
#[derive(Clone, Copy, Debug)]
pub struct Text(&'static str);

impl Text {
    /// For `text!`, which warns at compile time if there is no translation.
    pub const fn new(key: &'static str) -> Self {
        Self(key)
    }

    /// The text in the language in use.
    pub fn get(self) -> &'static str {
        translated(self.0)
    }

    /// The text in the language in use, as a `String`.
    pub fn to_owned(self) -> String {
        self.get().to_owned()
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

/// Texts in `html!`.
#[cfg(feature = "ui")]
mod shown {
    use yew::virtual_dom::{VNode, VText};
    use yew::{AttrValue, html::IntoPropValue};

    use super::Text;

    impl From<Text> for AttrValue {
        fn from(text: Text) -> Self {
            Self::Static(text.get())
        }
    }

    impl IntoPropValue<AttrValue> for Text {
        fn into_prop_value(self) -> AttrValue {
            self.into()
        }
    }

    impl IntoPropValue<Option<AttrValue>> for Text {
        fn into_prop_value(self) -> Option<AttrValue> {
            Some(self.into())
        }
    }

    impl IntoPropValue<VNode> for Text {
        #[inline(never)]
        fn into_prop_value(self) -> VNode {
            VText::new(self.get()).into()
        }
    }
}

/// A sentence with values, in the order in which the source's sentence names them; made by `say!`.
#[inline(never)]
pub fn say(key: &'static str, values: &[&dyn Display]) -> String {
    rendered(translated(key), key, values)
}

/// The sentence for a count; made by `counted!`. English has one for 1 and one for other counts; `many` is the key of the
/// catalogues.
#[inline(never)]
pub fn counted(
    count: usize,
    one: &'static str,
    many: &'static str,
    values: &[&dyn Display],
) -> String {
    let own = CURRENT
        .get()
        .and_then(|catalogue| catalogue.counted(many, count));
    let english = if count == 1 { one } else { many };
    rendered(own.unwrap_or(english), many, values)
}

fn rendered(sentence: &str, key: &str, values: &[&dyn Display]) -> String {
    let text = filled(sentence, key, values);
    match CURRENT.get() {
        Some(catalogue) if catalogue.is_dense() => catalogue::tightened(&text),
        _ => text,
    }
}

/// A number with separated thousands.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
