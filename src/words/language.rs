//! The language of the page, and what the macros of `berth-words` expand to. English is in the source; the
//! catalogue of another language is installed when that language is chosen.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

use berth_protocol::sentence::{filled, without_context};

/// Makes Cargo compile the page again when the catalogue changes. Nothing refers to it, so no module contains it.
const _: &str = include_str!("zh-CN.txt");

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Chinese,
}

impl Language {
    /// The BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// The language of a tag: `zh`, `zh-Hans`; `None` if the page does not have it.
    pub fn of_tag(tag: &str) -> Option<Self> {
        match tag.split('-').next()? {
            "en" => Some(Self::English),
            "zh" => Some(Self::Chinese),
            _ => None,
        }
    }

    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its own name for itself, in short.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "EN",
            Self::Chinese => "中文",
        }
    }
}

/// Translations by the sentences of the source.
type Catalogue = BTreeMap<&'static str, &'static str>;

thread_local! {
    /// The catalogue in use; `None` in English.
    static CURRENT: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
    /// The catalogue that was installed last. It is never dropped, so that texts are `'static` in each language.
    static INSTALLED: Cell<Option<&'static Catalogue>> = const { Cell::new(None) };
}

/// Whether the catalogue is installed.
pub fn is_installed(language: Language) -> bool {
    language == Language::English || INSTALLED.get().is_some()
}

/// The language in use.
pub fn current() -> Language {
    if CURRENT.get().is_some() {
        Language::Chinese
    } else {
        Language::English
    }
}

/// Sets the language, if its catalogue is installed.
pub fn set_current(language: Language) {
    CURRENT.set(match language {
        Language::English => None,
        Language::Chinese => INSTALLED.get(),
    });
}

/// Calls `tell` in English, for data that must not depend on the language in use.
pub fn in_english<T>(tell: impl FnOnce() -> T) -> T {
    let before = CURRENT.take();
    let told = tell();
    CURRENT.set(before);
    told
}

/// Installs the Chinese catalogue; see `crates/words` for its format.
pub fn install(text: String) {
    let text: &'static str = Box::leak(text.into_boxed_str());
    let mut lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut catalogue = Catalogue::new();
    while let (Some(english), Some(chinese)) = (lines.next(), lines.next()) {
        catalogue.insert(english, chinese);
    }
    INSTALLED.set(Some(Box::leak(Box::new(catalogue))));
}

/// A sentence in the language in use.
#[inline(never)]
fn translated(key: &'static str) -> &'static str {
    let chinese = CURRENT.get().and_then(|catalogue| catalogue.get(key));
    let shown = chinese.copied().unwrap_or(key);
    // A translation has no context.
    without_context(shown)
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

/// The sentence for one, or that for any other count; made by `counted!`. `many` is the catalogue's key.
#[inline(never)]
pub fn counted(
    count: usize,
    one: &'static str,
    many: &'static str,
    values: &[&dyn Display],
) -> String {
    let is_english = CURRENT.get().is_none();
    let sentence = if is_english && count == 1 {
        one
    } else {
        translated(many)
    };
    rendered(sentence, many, values)
}

fn rendered(sentence: &str, key: &str, values: &[&dyn Display]) -> String {
    let text = filled(sentence, key, values);
    match current() {
        Language::English => text,
        Language::Chinese => tightened(&text),
    }
}

/// Chinese without spaces between its own letters. A translation has spaces around its placeholders, which are right
/// beside names and numbers only.
#[inline(never)]
fn tightened(text: &str) -> String {
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

/// The separator of the names of a list.
pub fn comma() -> &'static str {
    match current() {
        Language::English => ", ",
        Language::Chinese => "、",
    }
}

/// The separator of parts of a sentence.
pub fn semicolon() -> &'static str {
    match current() {
        Language::English => "; ",
        Language::Chinese => "；",
    }
}

/// The separator after a label.
pub fn colon() -> &'static str {
    match current() {
        Language::English => ": ",
        Language::Chinese => "：",
    }
}

/// The separator before the last of several names.
pub fn and() -> &'static str {
    match current() {
        Language::English => " and ",
        Language::Chinese => " 和 ",
    }
}

/// The separator of two clauses.
pub fn and_also() -> &'static str {
    match current() {
        Language::English => " and ",
        Language::Chinese => "，且",
    }
}

/// The separator of sentences.
pub fn space() -> &'static str {
    match current() {
        Language::English => " ",
        Language::Chinese => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, counted, current, install, is_installed, number, say, set_current};

    #[test]
    fn sentences_are_said_in_the_language_in_use() {
        let waits = || say("{pod} waits for {gate}.", &[&"web", &"a.b/c"]);
        let pods = |count| counted(count, "{pods} Pod", "{pods} Pods", &[&number(count)]);
        assert!(!is_installed(Language::Chinese));
        set_current(Language::Chinese);
        assert_eq!(waits(), "web waits for a.b/c.");
        assert_eq!((pods(1), pods(2)), ("1 Pod".into(), "2 Pods".into()));
        install("# Names.\n{pod} waits for {gate}.\n{gate}：{pod} 在等待\n\n{pods} Pods\n{pods} 个 Pod\n".into());
        set_current(Language::Chinese);
        assert_eq!(current(), Language::Chinese);
        assert_eq!(waits(), "a.b/c：web 在等待");
        assert_eq!(
            (pods(1), pods(2000)),
            ("1 个 Pod".into(), "2,000 个 Pod".into())
        );
        assert_eq!(
            say("new here | menu", &[]),
            "new here",
            "an older catalogue"
        );
        assert_eq!(
            say("{pod} waits for {gate}.", &[&"它", &"门"]),
            "门：它在等待"
        );
        set_current(Language::English);
        assert_eq!(waits(), "web waits for a.b/c.");
    }

    #[test]
    fn tags_name_languages() {
        assert_eq!(Language::of_tag("zh-Hans-CN"), Some(Language::Chinese));
        assert_eq!(Language::of_tag("en"), Some(Language::English));
        assert_eq!(Language::of_tag("fr"), None);
    }
}
