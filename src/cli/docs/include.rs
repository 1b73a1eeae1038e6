//! Files that pages show: Hugo's `code_sample`, Sphinx' `literalinclude`, mdBook's `{{#include}}`, and snippets of MkDocs.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use berth_session::Printable;

/// Endings of files with manifests. A page can make nothing else be read.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// The default language of kubernetes.io, whose examples stand in for those that are not translated.
const DEFAULT_LANGUAGE: &str = "en";

/// A file that a page names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include<'a> {
    /// In the page's folder, or below `content/LANGUAGE/examples`, as on kubernetes.io.
    Sample(&'a str),
    /// From the page's folder.
    Beside(&'a str),
    /// In a folder that the tool's configuration names; often one above the page.
    Above(&'a str),
    /// Some lines of a file.
    Part,
}

/// Where a file is.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    File(PathBuf),
    /// Only the tool knows.
    Elsewhere,
    /// Why it is nowhere.
    Nothing(String),
}

/// The file that is the only line of a block.
pub fn of_block<'a>(lines: &'a [Cow<'a, str>]) -> Option<Include<'a>> {
    let is_include = |line: &str| INCLUDES.iter().any(|start| line.starts_with(start));
    let mut written = lines
        .iter()
        .map(|line| line.trim())
        .filter(|it| !it.is_empty());
    let first = written.next()?;
    if written.next().is_some() {
        let includes = lines.iter().any(|line| is_include(line.trim()));
        return includes.then_some(Include::Part);
    }
    if let Some(rest) = first.strip_prefix("{{#include ") {
        let name = rest.strip_suffix("}}")?.trim();
        return Some(match name.contains(':') {
            true => Include::Part,
            false => Include::Beside(name),
        });
    }
    if let Some(rest) = first.strip_prefix("--8<-- ") {
        let name = rest.trim().trim_matches(['"', '\'']);
        return Some(match name.contains(':') {
            true => Include::Part,
            false => Include::Above(name),
        });
    }
    is_include(first).then_some(Include::Part)
}

/// How lines begin that are replaced by a file.
const INCLUDES: [&str; 5] = [
    "{{#include",
    "{{#rustdoc_include",
    "{{#playground",
    "--8<--",
    "-8<-",
];

/// Looks for a file.
pub fn find(page: &Path, include: Include) -> Found {
    let folder = page.parent().unwrap_or(Path::new(""));
    let (name, places) = match include {
        Include::Part => return Found::Elsewhere,
        Include::Sample(name) => {
            let mut places = vec![folder.to_path_buf()];
            places.extend(examples(page));
            (name, places)
        }
        Include::Beside(name) => (name, vec![folder.to_path_buf()]),
        Include::Above(name) => (name, folder.ancestors().map(Path::to_path_buf).collect()),
    };
    let path = Path::new(name);
    let has_ending = |ending: &&str| path.extension().is_some_and(|it| it == *ending);
    // A sample is below the examples; what begins with a slash, below a folder that the tool knows.
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let is_sample = matches!(include, Include::Sample(_));
    if !ENDINGS.iter().any(has_ending) || path.has_root() || climbs && is_sample {
        return Found::Elsewhere;
    }
    let mut files = places.iter().map(|place| place.join(path));
    match files.find(|file| file.is_file()) {
        Some(file) => Found::File(file),
        None if matches!(include, Include::Above(_)) => Found::Elsewhere,
        None => Found::Nothing(format!("{}: no such file", Printable(name))),
    }
}

/// The folders of examples for a page below `content/LANGUAGE`.
fn examples(page: &Path) -> Vec<PathBuf> {
    let above = |page: &Path| {
        let content = page
            .ancestors()
            .find(|it| it.file_name().is_some_and(|it| it == "content"))?;
        let language = page.strip_prefix(content).ok()?.components().next()?;
        let languages = [language.as_os_str(), DEFAULT_LANGUAGE.as_ref()];
        let folders = languages.map(|language| content.join(language).join("examples"));
        Some(folders.to_vec())
    };
    above(page)
        // The command may have been run below the folder.
        .or_else(|| above(&page.canonicalize().ok()?))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let lines: Vec<Cow<str>> = text.split('\n').map(Cow::from).collect();
        of_block(&lines).map(|include| format!("{include:?}"))
    }

    #[test]
    fn a_block_of_one_line_may_be_a_file() {
        for (text, expected) in [
            ("{{#include ../pod.yaml}}\n", "Beside(\"../pod.yaml\")"),
            ("{{#include pod.yaml:2:10}}", "Part"),
            (
                "--8<-- \"examples/pod.yaml\"",
                "Above(\"examples/pod.yaml\")",
            ),
            ("kind: Pod\n{{#include rest.yaml}}", "Part"),
            ("--8<--\npod.yaml\n--8<--", "Part"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(of("kind: Pod"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn nothing_but_manifests_is_read() {
        let page = Path::new("docs/page.md");
        for include in [
            Include::Beside("notes.txt"),
            Include::Beside("/etc/pod.yaml"),
            Include::Sample("../../secret.yaml"),
            Include::Above("missing.yaml"),
        ] {
            assert_eq!(find(page, include), Found::Elsewhere, "{include:?}");
        }
        let missing = find(page, Include::Beside("missing.yaml"));
        assert_eq!(
            missing,
            Found::Nothing("missing.yaml: no such file".to_owned())
        );
    }
}
