//! Chooses the page's language, and fetches its catalogue: English needs none.

use berth_words::catalogue_hash;

use super::address::Address;
use super::files;
use super::persistence::storage;
use crate::words;
use crate::words::language::{self, Language};

/// The catalogue's address. Its hash keeps a browser from using an older one.
const CATALOGUE: &str = concat!("./zh-CN.txt?", catalogue_hash!());
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

/// Fetches the catalogue for later if the browser's settings name its language, so that the reader may choose it.
pub async fn fetch() {
    let listed = gloo::utils::window().navigator().languages();
    let mut listed = listed.iter().filter_map(|tag| tag.as_string());
    if listed.any(|tag| Language::of_tag(&tag) == Some(Language::Chinese)) {
        files::fetch(CATALOGUE).await;
    }
}

/// Switches the language. `false`: its catalogue cannot be fetched, and the language stays.
pub async fn switch_to(language: Language) -> bool {
    if !language::is_installed(language) {
        let Some(text) = files::fetch(CATALOGUE).await else {
            return false;
        };
        language::install(text);
    }
    language::set_current(language);
    let document = gloo::utils::document();
    document.set_title(words::PAGE_TITLE.get());
    // If the attribute cannot be set, only hyphenation and voices are wrong.
    let _ = gloo::utils::document_element().set_attribute("lang", language.tag());
    true
}
