//! Paths in the documents: every link to a file, and every path in backticks that begins in one of the project's
//! folders, names a file or a folder that exists. A source file in backticks may be named by the end of its path.

use super::{File, Problem};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Names of files that are not there until a reader makes them.
const INVENTED: [&str; 2] = ["NAME", "NN-name"];

pub fn check(files: &[File]) -> Vec<Problem> {
    let known = known(files);
    let mut problems = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| is_document(path)) {
        for (number, line) in prose(content) {
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
    let quoted = line.split('`').skip(1).step_by(2).filter(|text| {
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
            (PathBuf::from("src/cli/run.rs"), String::new()),
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
    fn names_of_files_that_exist_pass() {
        let document = "[b](b.md), [c](../README.md#top), [d](https://kubernetes.io/docs), `src/cli/`, `cli/run.rs`, `run.rs`, `pkg/cmd`,\n\
                        `www/lessons/NN-name.yaml`\n```\n[gone](gone.md)\n```";
        assert_eq!(problems(document), Vec::<String>::new());
    }
}
