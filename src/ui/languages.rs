//! Chooses the page's language, and fetches its catalogue: English needs none.

use std::cell::OnceCell;

use js_sys::Intl::PluralRules;
use js_sys::{Array, Object};

use super::address::Address;
use super::files;
use super::persistence::storage;
use crate::words;
use crate::words::language::{self, Language};

/// The storage name of the chosen language.
const CHOSEN: &str = "language";

/// The language of the address, else of the last choice, else of the browser.
pub fn wanted(address: &Address) -> Language {
    let chosen = || Language::of_tag(&storage::get(CHOSEN)?);
    let browsers = || Language::of_tag(&gloo::utils::window().navigator().language()?);
    let language = address.language.or_else(chosen).or_else(browsers);
    language.unwrap_or_default()
}

/// Remembers the visitor's choice.
pub fn choose(language: Language) {
    storage::set(CHOSEN, language.tag());
}

/// Fetches for later the catalogues of the languages that the browser's settings name, so that the reader may choose them.
pub async fn fetch() {
    let listed = gloo::utils::window().navigator().languages();
    let listed = listed.iter().filter_map(|tag| tag.as_string());
    let listed: Vec<Language> = listed.filter_map(|tag| Language::of_tag(&tag)).collect();
    for language in Language::translated().filter(|it| listed.contains(it)) {
        files::fetch(language.address()).await;
    }
}

/// Switches the language. `false`: its catalogue cannot be fetched, and the language stays.
pub async fn switch_to(language: Language) -> bool {
    if !language::is_installed(language) {
        let Some(text) = files::fetch(language.address()).await else {
            return false;
        };
        language::install(language, text, category(language.tag()));
    }
    language::set_current(language);
    let document = gloo::utils::document();
    document.set_title(words::PAGE_TITLE.get());
    // If the attribute cannot be set, only hyphenation and voices are wrong.
    let _ = gloo::utils::document_element().set_attribute("lang", language.tag());
    true
}

/// The plural category of a count in a language.
fn category(tag: &'static str) -> impl Fn(usize) -> String {
    let rules = OnceCell::new();
    move |count| {
        let rules =
            rules.get_or_init(|| PluralRules::new(&Array::of1(&tag.into()), &Object::new()));
        rules.select(count as f64).into()
    }
}
