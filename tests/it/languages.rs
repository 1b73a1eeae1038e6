//! The languages of the page beside English: which there are, and what they have.

use std::fs;
use std::path::Path;

use berth::words::language::{self, Language};
use berth_session::SourceFile;

fn catalogue(language: Language) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/words");
    fs::read_to_string(folder.join(format!("{}.txt", language.tag()))).unwrap()
}

/// Whether everything has a translation to the language.
pub fn is_complete(language: Language) -> bool {
    berth_catalogue::head(&catalogue(language), "complete") == Some("yes")
}

/// Calls `tell` in a language.
pub fn spoken<T>(language: Language, tell: impl FnOnce() -> T) -> T {
    if !language::is_installed(language) {
        language::install(language, catalogue(language), |_| "other".to_owned());
    }
    language::set_current(language);
    let told = tell();
    language::set_current(Language::SOURCE);
    told
}

/// The translations of a file of the page, by language: a complete language has all.
pub fn translations(file: &Path) -> Vec<(Language, SourceFile)> {
    let read = |language: Language| {
        let path = file.to_string_lossy();
        let path = berth_protocol::link::translation_of(&path, language.tag());
        let name = Path::new(&path).file_name()?.to_string_lossy().into_owned();
        match fs::read_to_string(&path) {
            Ok(text) => Some((language, SourceFile::new(name, text))),
            Err(error) if is_complete(language) => panic!("{path}: {error}"),
            Err(_) => None,
        }
    };
    Language::translated().filter_map(read).collect()
}

#[test]
fn a_complete_language_has_every_sentence() {
    for language in Language::translated() {
        let (percent, is_complete) = (language.percent(), is_complete(language));
        assert!(
            percent == 100 || !is_complete,
            "{}: {percent} %",
            language.tag()
        );
    }
    assert!(Language::translated().any(is_complete));
}
