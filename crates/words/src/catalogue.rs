//! The catalogues beside the sentences of the crate that calls the macros: all files `src/words/*.txt`, each named after
//! its language's tag. `berth_catalogue` has their format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use berth_catalogue::{OTHER, Translation, head, translations};

use super::sentence::names;

/// The folder of the catalogues, from that of the crate.
const FOLDER: &str = "src/words";

/// The translations of a language.
#[derive(Debug, PartialEq)]
pub struct Catalogue {
    /// The language's BCP 47 tag.
    tag: String,
    /// The language's own name.
    name: String,
    /// Whether no sentence may lack its translation.
    is_complete: bool,
    hash: u64,
    /// Translations by their plural category, by their English sentences.
    sentences: BTreeMap<String, BTreeMap<String, String>>,
}

/// The catalogues, sorted by tag.
///
/// # Errors
/// If one of them cannot be read.
pub fn all() -> Result<&'static [Catalogue], String> {
    // One compilation expands many macros.
    static ALL: OnceLock<Result<Vec<Catalogue>, String>> = OnceLock::new();
    let all = ALL.get_or_init(read_all).as_ref();
    all.map(Vec::as_slice).map_err(Clone::clone)
}

fn read_all() -> Result<Vec<Catalogue>, String> {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&folder).join(FOLDER);
    let wrong = |path: &Path, error| format!("{}: {error}", path.display());
    let entries = std::fs::read_dir(&folder).map_err(|error| wrong(&folder, error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| {
        let tag = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).map_err(|error| wrong(path, error))?;
        Catalogue::read(&tag, &text)
    });
    read.collect()
}

impl Catalogue {
    fn read(tag: &str, text: &str) -> Result<Self, String> {
        let name = head(text, "name");
        let mut catalogue = Self {
            tag: tag.to_owned(),
            name: name.unwrap_or_default().to_owned(),
            is_complete: head(text, "complete") == Some("yes"),
            hash: fnv1a(text),
            sentences: BTreeMap::new(),
        };
        let file = catalogue.file();
        if name.is_none() {
            return Err(format!("{file}:1: begin with `name: ` and its own name"));
        }
        for translation in translations(text) {
            let Translation { line, english, .. } = translation;
            let forms = catalogue.sentences.entry(english.to_owned()).or_default();
            let (category, text) = (translation.category, translation.text.to_owned());
            if forms.insert(category.to_owned(), text).is_some() {
                return Err(format!(
                    "{file}:{line}: the second translation of: {english}"
                ));
            }
            if forms.len() > 1 && forms.contains_key("") {
                return Err(format!("{file}:{line}: with and without plural: {english}"));
            }
        }
        Ok(catalogue)
    }

    /// The catalogue's file, from the folder of the crate.
    fn file(&self) -> String {
        format!("{FOLDER}/{}.txt", self.tag)
    }

    /// What is wrong with the translation of a sentence.
    fn fault(&self, english: &str, is_counted: bool) -> Result<Option<String>, String> {
        let Some(forms) = self.sentences.get(english) else {
            return Ok(None);
        };
        for (category, text) in forms {
            if !category.is_empty() && !is_counted {
                return Ok(Some("has plural forms, but is not counted".to_owned()));
            }
            let (own, wanted) = (sorted(text)?, sorted(english)?);
            // As English says `a Pod`, a form may leave out the count.
            let is_right = match category.as_str() {
                "" | OTHER => own == wanted,
                _ => own.is_subset(&wanted),
            };
            if !is_right {
                let join = |names: BTreeSet<&str>| Vec::from_iter(names).join(", ");
                return Ok(Some(format!(
                    "has other placeholders: {} instead of {}",
                    join(own),
                    join(wanted)
                )));
            }
        }
        let is_whole = forms.contains_key("") || forms.contains_key(OTHER);
        Ok((!is_whole).then(|| format!("lacks the form `{OTHER}`")))
    }
}

/// The FNV-1a hash of a text.
fn fnv1a(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

fn sorted(sentence: &str) -> Result<BTreeSet<&str>, String> {
    Ok(names(sentence)?.into_iter().collect())
}

/// Looks a sentence up in all catalogues; returns what to say if a complete one lacks it.
///
/// # Errors
/// If a translation does not fit.
pub fn check(
    catalogues: &[Catalogue],
    english: &str,
    is_counted: bool,
) -> Result<Option<String>, String> {
    for catalogue in catalogues {
        if let Some(fault) = catalogue.fault(english, is_counted)? {
            return Err(format!("the translation in {} {fault}", catalogue.file()));
        }
    }
    let lacks = |it: &&Catalogue| it.is_complete && !it.sentences.contains_key(english);
    let files: Vec<String> = catalogues
        .iter()
        .filter(lacks)
        .map(Catalogue::file)
        .collect();
    let files = files.join(" and to ");
    Ok((!files.is_empty()).then(|| format!("add a translation to {files}: {english}")))
}

/// A list of the languages as Rust code. All sentences are those of all catalogues: a complete one has them all.
pub fn languages(catalogues: &[Catalogue]) -> String {
    let sentences = catalogues.iter().flat_map(|it| it.sentences.keys());
    let all = sentences.collect::<BTreeSet<_>>().len().max(1);
    let mut code = String::new();
    for Catalogue {
        tag,
        name,
        hash,
        sentences,
        ..
    } in catalogues
    {
        let percent = 100 * sentences.len() / all;
        // Writing to a string cannot fail.
        let _ = write!(
            code,
            "crate::words::language::About {{
                tag: {tag:?}, name: {name:?}, percent: {percent}, address: \"./{tag}.txt?{hash:016x}\"
            }},"
        );
    }
    format!("&[{code}]")
}

/// A list of the catalogues' texts as Rust code, in the order of [`languages`].
pub fn texts(catalogues: &[Catalogue]) -> String {
    let file = |it: &Catalogue| {
        let file = it.file();
        format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\")),")
    };
    let files: String = catalogues.iter().map(file).collect();
    format!("&[{files}]")
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, check, languages, texts};

    /// One that is complete, and one that is not.
    fn catalogues() -> [Catalogue; 2] {
        let polish = "name: polski\n\n{pods} Pods\none: Pod\nfew: {pods} Pody\nother: {pods} Podów\n\nShare\n";
        let chinese = "name: 中文\ncomplete: yes\n\nShare\n分享\n\n{pods} Pods\n{pods} 个 Pod\n";
        [("pl", polish), ("zh-CN", chinese)].map(|(tag, text)| Catalogue::read(tag, text).unwrap())
    }

    #[test]
    fn a_catalogue_may_be_incomplete_unless_it_says_that_it_is_not() {
        let check = |english| check(&catalogues(), english, true);
        assert_eq!(check("Share"), Ok(None));
        assert_eq!(check("{pods} Pods"), Ok(None));
        let missing = "add a translation to src/words/zh-CN.txt: Open";
        assert_eq!(check("Open"), Ok(Some(missing.to_owned())));
        let polish = Catalogue::read("pl", "name: polski\ncomplete: yes\n").unwrap();
        let [_, chinese] = catalogues();
        let missing = super::check(&[polish, chinese], "Open", false)
            .unwrap()
            .unwrap();
        assert!(missing.contains("src/words/pl.txt and to src/words/zh-CN.txt"));
    }

    #[test]
    fn every_form_has_the_placeholders_of_its_sentence() {
        let fault = |forms: &str, is_counted| {
            let text = format!("name: polski\n\n{{pods}} Pods\n{forms}\n");
            let polish = Catalogue::read("pl", &text).unwrap();
            check(&[polish], "{pods} Pods", is_counted)
                .err()
                .unwrap_or_default()
        };
        for (forms, is_counted, wrong) in [
            ("{pods} Podów", false, ""),
            ("one: Pod\nother: {pods} Podów", true, ""),
            ("one: Pod\nother: {pods} Podów", false, "not counted"),
            (
                "one: {pod}\nother: {pods} Podów",
                true,
                "pod instead of pods",
            ),
            ("Podów", true, " instead of pods"),
            ("other: Podów", true, " instead of pods"),
            ("one: Pod", true, "lacks the form `other`"),
        ] {
            let found = fault(forms, is_counted);
            assert!(
                found.contains(wrong) && found.is_empty() == wrong.is_empty(),
                "{forms}: {found}"
            );
        }
    }

    #[test]
    fn a_sentence_has_one_translation() {
        for (text, wrong) in [
            (
                "Share\n分享\n",
                "src/words/zh-CN.txt:1: begin with `name: `",
            ),
            ("name: 中文\n\nShare\n分享\nOpen\n打开\n", ":5: the second"),
            ("name: 中文\n\nShare\n分享\n打开\n", ":5: the second"),
            ("name: 中文\n\nA\n甲\n\nA\n乙\n", ":7: the second"),
            ("name: 中文\n\nA\n甲\nother: 乙\n", ":5: with and without"),
        ] {
            let error = Catalogue::read("zh-CN", text).unwrap_err();
            assert!(error.contains(wrong), "{text}: {error}");
        }
    }

    #[test]
    fn the_languages_are_found_with_their_share() {
        let code = languages(&catalogues());
        assert!(
            code.contains("tag: \"pl\", name: \"polski\", percent: 50, address: \"./pl.txt?"),
            "{code}"
        );
        assert!(code.contains("name: \"中文\", percent: 100, "), "{code}");
        assert!(texts(&catalogues()).contains("\"/src/words/pl.txt\""));
        assert_eq!(
            (languages(&[]), texts(&[])),
            ("&[]".to_owned(), "&[]".to_owned())
        );
    }
}
