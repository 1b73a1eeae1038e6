//! Every translation is of a sentence, and is written as the head of its catalogue asks. A complete catalogue has those of
//! the scripts; other sentences that it lacks are warnings of the compiler.

use super::{File, Problem};
use crate::layout::{CATALOGUES, language_of};
use berth_catalogue::{head, sentences, translations};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where sentences stand in the source, beside those of [`CATALOGUES`].
const REMARKS: &str = "crates/protocol/src/remark/table.rs";

/// Scripts with sentences, `say("…")`. In the catalogues, the script's name is their context.
const SCRIPTS: [&str; 4] = [
    "www/bookmarklet.js",
    "www/embed.js",
    "www/fault.js",
    "xtask/src/node/site.mjs",
];

/// The context of the editor's sentences, most of which are CodeMirror's.
const OF_EDITOR: &str = " | editor";

pub fn check(files: &[File]) -> Vec<Problem> {
    let is_source = |file: &&File| {
        let path = file.0.to_string_lossy();
        path.starts_with(CATALOGUES) && path.ends_with(".rs") || path == REMARKS
    };
    let sources = files.iter().filter(is_source);
    let mut said: BTreeSet<&str> = sources.flat_map(|(_, text)| literals(text)).collect();
    let scripted: Vec<Scripted> = files.iter().flat_map(scripted).collect();
    said.extend(scripted.iter().map(|it| it.sentence.as_str()));
    let mut problems = Vec::new();
    for (path, catalogue) in files.iter().filter(|(path, _)| language_of(path).is_some()) {
        problems.extend(
            found(catalogue, &said)
                .into_iter()
                .map(|(line, text)| Problem {
                    file: path.clone(),
                    line,
                    text,
                }),
        );
        if head(catalogue, "complete") == Some("yes") {
            let translated: BTreeSet<&str> = translations(catalogue).map(|it| it.english).collect();
            let missing = scripted
                .iter()
                .filter(|it| !translated.contains(it.sentence.as_str()));
            problems.extend(missing.map(|it| Problem {
                file: it.file.clone(),
                line: it.line,
                text: format!("add a translation to {}: {}", path.display(), it.sentence),
            }));
        }
    }
    problems
}

/// A sentence of a script, with its context.
struct Scripted {
    file: PathBuf,
    line: usize,
    sentence: String,
}

fn scripted((path, text): &File) -> Vec<Scripted> {
    let Some(name) = path.file_stem().and_then(OsStr::to_str) else {
        return Vec::new();
    };
    if !SCRIPTS.iter().any(|script| path == Path::new(script)) {
        return Vec::new();
    }
    let said = (1..).zip(text.lines()).flat_map(|(line, text)| {
        let said = text.split("say(\"").skip(1);
        said.filter_map(move |rest| Some((line, rest.split_once('"')?.0)))
    });
    let with_context = said.map(|(line, sentence)| Scripted {
        file: path.clone(),
        line,
        sentence: format!("{sentence} | {name}"),
    });
    with_context.collect()
}

/// What is wrong with a catalogue, by line. `said`: the sentences of the source.
fn found(catalogue: &str, said: &BTreeSet<&str>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, english) in sentences(catalogue) {
        if !said.contains(english) && !english.ends_with(OF_EDITOR) {
            let text = "no sentence of the source: remove it with its translation";
            found.push((line, text.to_owned()));
        }
    }
    let is_dense = head(catalogue, "spaces") == Some("none");
    let avoided = head(catalogue, "avoid");
    for translation in translations(catalogue) {
        let (line, text) = (translation.line, translation.text);
        if is_dense && is_half_width(text) {
            found.push((
                line,
                "half-width punctuation behind a wide letter".to_owned(),
            ));
        }
        if let Some(word) = avoided.filter(|word| text.contains(word)) {
            found.push((line, format!("the catalogue's head says to avoid {word}")));
        }
    }
    found
}

/// The contents of the string literals of the program's part of a source text.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let program = text.split("#[cfg(test)]\nmod tests").next();
    let code = program.into_iter().flat_map(str::lines);
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Whether Latin punctuation follows a wide letter.
fn is_half_width(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters
        .windows(2)
        .any(|pair| matches!(pair, [before, ',' | ';' | '?' | '!'] if *before >= '\u{4e00}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, catalogue: &str) -> Vec<(usize, String)> {
        let files = [("src/words/a.rs", source), ("src/words/pl.txt", catalogue)];
        let files = files.map(|(path, text)| (path.into(), text.to_owned()));
        let problems = check(&files).into_iter();
        problems.map(|it| (it.line, it.text)).collect()
    }

    #[test]
    fn a_translation_of_no_sentence_is_found_with_its_line() {
        let source = "pub const A: Text = text!(\"Share\");\n// \"Open\"\n";
        assert_eq!(found(source, "name: a\n\nShare\n分享\n"), []);
        let gone = found(source, "name: a\n\nShare\n分享\n\nOpen\n打开\n");
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0, 6);
    }

    #[test]
    fn a_complete_catalogue_has_the_sentences_of_the_scripts() {
        let script = "say(\"Play\") : say(\"Stop\")";
        let check = |catalogue: &str| {
            let files = [("www/embed.js", script), ("src/words/pl.txt", catalogue)];
            check(&files.map(|(path, text)| (path.into(), text.to_owned())))
        };
        assert_eq!(check("name: a\n\nPlay | embed\nb\n"), []);
        let missing = check("complete: yes\n\nPlay | embed\nb\n\nall | editor\nc\n");
        assert_eq!(missing.len(), 1);
        assert!(missing[0].text.ends_with("pl.txt: Stop | embed"));
        assert_eq!(check("name: a\n\nPlay | fault\nb\n").len(), 1);
    }

    #[test]
    fn a_dense_language_is_punctuated_in_full_width() {
        let source = "text!(\"A, b\")";
        let dense = |text: &str| found(source, &format!("spaces: none\n\nA, b\n{text}\n"));
        assert_eq!(dense("甲，b"), []);
        assert_eq!(dense("甲,b")[0].0, 4);
        assert_eq!(found(source, "name: a\n\nA, b\n갑, b\n"), []);
    }

    #[test]
    fn a_catalogue_avoids_what_its_head_says() {
        let avoided = found("text!(\"You\")", "avoid: 您\n\nYou\nother: 您\n");
        assert_eq!(avoided[0].0, 4);
        assert!(avoided[0].1.ends_with("avoid 您"));
    }
}
