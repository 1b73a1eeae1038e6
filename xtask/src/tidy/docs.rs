//! Paths in the documents: every link to a file, and every path in backticks that begins in one of the project's
//! folders, names a file or a folder that exists. A source file in backticks may be named by the end of its path. Symbols
//! in backticks (`Type::method`, `macro!`, `SOME_CONSTANT`) stand in some source file; in [`RECIPES`] so does every name
//! of a type, function or constant.

use super::{File, Problem};
use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

/// Names of files that are not there until a reader makes them.
const INVENTED: [&str; 3] = ["NAME", "NN-name", "TAG"];

/// The documents that say where to write what.
const RECIPES: [&str; 2] = ["CONTRIBUTING.md", "ARCHITECTURE.md"];

pub fn check(files: &[File]) -> Vec<Problem> {
    let known = known(files);
    let words = words(files);
    let mut problems = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| is_document(path)) {
        let has_recipes = RECIPES.iter().any(|name| path == Path::new(name));
        for (number, line) in prose(content) {
            let recipe = quoted(line).filter(|text| has_recipes && is_name(text));
            let symbols = symbols(line)
                .chain(recipe)
                .collect::<BTreeSet<&str>>()
                .into_iter();
            let gone = symbols.filter(|symbol| names(symbol).any(|it| !words.contains(it)));
            problems.extend(gone.map(|symbol| Problem {
                file: path.clone(),
                line: number,
                text: format!("names `{symbol}`, which no source file has"),
            }));
            let broken = paths(path, line).into_iter().filter(|named| {
                let is_end = is_source(named) && known.iter().any(|it| it.ends_with(named));
                !is_end && !known.contains(named.as_path())
            });
            problems.extend(broken.map(|named| Problem {
                file: path.clone(),
                line: number,
                text: format!("names {}, which does not exist", named.display()),
            }));
        }
    }
    problems
}

/// Documents of the project; samples of other tools' sites are written for those.
fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "md") && !path.iter().any(|it| it == "sample")
}

/// Every file and folder.
fn known(files: &[File]) -> BTreeSet<&Path> {
    let paths = files.iter().flat_map(|(path, _)| path.ancestors());
    paths.collect()
}

/// Every identifier of the sources.
fn words(files: &[File]) -> HashSet<&str> {
    let sources = files.iter().filter(|(path, _)| is_source(path));
    sources.flat_map(|(_, content)| names(content)).collect()
}

/// The identifiers in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_name(c)).filter(|it| !it.is_empty())
}

/// The symbols of Rust that a line of a document names: paths of modules and types, macros, and constants.
fn symbols(line: &str) -> impl Iterator<Item = &str> {
    quoted(line).filter(|text| {
        let is_path = text.contains("::") && text.split("::").all(is_identifier);
        let is_macro = text.strip_suffix('!').is_some_and(is_identifier);
        let is_constant =
            text.contains('_') && text.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let is_environment = text.starts_with("BERTH_") || text.starts_with("LC_");
        is_path || is_macro || (is_constant && !is_environment)
    })
}

/// The texts in backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a text is the name of a type, a constant, or a function of more than one word.
fn is_name(text: &str) -> bool {
    let is_long = text.starts_with(|c: char| c.is_ascii_uppercase()) || text.contains('_');
    is_identifier(text) && is_long && !INVENTED.contains(&text)
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The lines outside code blocks, with their numbers.
fn prose(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    content.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((at + 1, line))
    })
}

/// The paths that a line of a document names, from the project's root.
fn paths(document: &Path, line: &str) -> Vec<PathBuf> {
    let folder = document.parent().unwrap_or(Path::new(""));
    let linked = line.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        let target = target.split('#').next().unwrap_or_default();
        let is_file = !target.is_empty() && !target.contains(':');
        is_file.then(|| normal(&folder.join(target)))
    });
    let quoted = quoted(line).filter(|text| {
        let first = text.split('/').next().unwrap_or_default();
        let is_ours = is_source(Path::new(text)) || (*text != first && OURS.contains(&first));
        let exists_later = INVENTED.iter().any(|name| text.contains(name));
        is_ours && !exists_later && !text.contains([' ', '*', '{', '<', '…', ':'])
    });
    let quoted = quoted.map(|text| normal(Path::new(text)));
    linked.chain(quoted).collect()
}

/// Folders of the project in which a path in backticks can begin.
const OURS: [&str; 10] = [
    ".ci", "adapters", "crates", "docs", "fields", "fuzz", "src", "tests", "www", "xtask",
];

/// Whether documents name such a file by the end of its path.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "rs" || it == "mjs")
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(document: &str) -> Vec<String> {
        let files = [
            (PathBuf::from("docs/a.md"), document.to_owned()),
            (PathBuf::from("docs/b.md"), String::new()),
            (
                PathBuf::from("src/cli/run.rs"),
                "impl Cluster { fn apply() { text!(FIRST_KINDS) } }".to_owned(),
            ),
            (PathBuf::from("README.md"), String::new()),
        ];
        check(&files)
            .into_iter()
            .map(|it| format!("{}: {}", it.line, it.text))
            .collect()
    }

    #[test]
    fn names_of_missing_files_are_found() {
        assert_eq!(
            problems("[b](c.md)\n\n`cli/gone.rs`, `docs/c` and `src/cli/run.rs`"),
            [
                "1: names docs/c.md, which does not exist",
                "3: names cli/gone.rs, which does not exist",
                "3: names docs/c, which does not exist"
            ]
        );
    }

    #[test]
    fn symbols_are_those_of_the_sources() {
        assert_eq!(
            problems(
                "`Cluster::apply`, `text!`, `FIRST_KINDS`\n`Cluster::applied`, `word!`, `NO_KINDS`, `kube-scheduler`"
            ),
            ["`Cluster::applied`", "`NO_KINDS`", "`word!`"]
                .map(|it| format!("2: names {it}, which no source file has"))
        );
    }

    #[test]
    fn recipes_name_what_is_there() {
        let files = [
            (
                PathBuf::from("CONTRIBUTING.md"),
                "`Verb`, `is_local`\n`Noun`, `is_far`, `NAME`, `page`".to_owned(),
            ),
            (
                PathBuf::from("src/verb.rs"),
                "struct Verb { is_local: bool }".to_owned(),
            ),
        ];
        let found: Vec<String> = check(&files).into_iter().map(|it| it.text).collect();
        assert_eq!(
            found,
            ["`Noun`", "`is_far`"].map(|it| format!("names {it}, which no source file has"))
        );
    }

    #[test]
    fn names_of_files_that_exist_pass() {
        let document = "[b](b.md), [c](../README.md#top), [d](https://kubernetes.io/docs), `src/cli/`, `cli/run.rs`, `run.rs`, `pkg/cmd`,\n\
                        `www/lessons/NN-name.yaml`\n```\n[gone](gone.md)\n```";
        assert_eq!(problems(document), Vec::<String>::new());
    }
}
