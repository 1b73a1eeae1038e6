//! Files that nothing uses.
//!
//! A Rust file is used if a `mod` declaration leads to it from a crate's root. Any other file is used if another file
//! names it, if one beside it or in the folder above names it without its ending, or if its whole folder is read.

use super::source::{code_only, is_rust};
use super::{File, Problem};
use crate::layout::{CATALOGUES, language_of, tag_in};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Files that tools and people look for by their names.
const KNOWN: [&str; 24] = [
    ".ci/run",
    ".cargo/config.toml",
    ".github/pull_request_template.md",
    ".gitignore",
    ".npmrc",
    "ARCHITECTURE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "GOVERNANCE.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "Trunk.toml",
    "build.rs",
    "clippy.toml",
    "index.html",
    "package-lock.json",
    "package.json",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "src/lib.rs",
    "src/main.rs",
];

/// Folders of which every file with this ending is read, whatever its name.
const READ_WHOLE: [(&str, &str); 16] = [
    (".github/ISSUE_TEMPLATE", ".yml"),
    (".github/workflows", ".yml"),
    ("adapters/hugo/sample/layouts", ".html"),
    ("adapters/mdbook/sample/src", ".md"),
    ("adapters/python", ""),
    ("cases", ".yaml"),
    ("crates/scheduler/tests/recorded", ".json"),
    ("docs/decisions", ".md"),
    ("packaging/npm", ""),
    ("packaging/python", ""),
    ("tests/browser", ".test.mjs"),
    ("tests/browser/frozen", ".json"),
    ("tests/browser/long", ".test.mjs"),
    ("tests/it/lives/transcripts", ".txt"),
    ("tests/scenarios/seeds", ""),
    (CATALOGUES, ".txt"),
];

/// Folders with files in the languages of the page, `NAME.TAG.yaml`.
const TRANSLATED: [&str; 2] = ["www/lessons", "www/scenarios"];

/// Folders of a package of which every file, or every folder with a `main.rs`, is a crate.
const CRATE_FOLDERS: [&str; 5] = ["benches", "examples", "fuzz_targets", "src/bin", "tests"];

pub fn check(files: &[File]) -> Vec<Problem> {
    let modules = reachable_modules(files);
    let named = names(files);
    files
        .iter()
        .map(|(path, _)| path)
        .filter(|path| {
            if is_rust(path) {
                !modules.contains(path.as_path())
            } else {
                !is_known(path, files)
                    && !is_read_whole(path)
                    && !is_translation(path, files)
                    && !is_named(path, &named)
            }
        })
        .map(|path| Problem {
            file: path.clone(),
            line: 1,
            text: if is_rust(path) {
                "no `mod` leads here: declare the module or delete the file".to_string()
            } else {
                "no file names this one: use it, delete it, or, if its folder is read whole, enter \
                 that in xtask/src/tidy/unused.rs"
                    .to_string()
            },
        })
        .collect()
}

/// Folders with a `Cargo.toml`, from the project's root.
fn packages(files: &[File]) -> Vec<&Path> {
    files
        .iter()
        .filter(|(path, _)| path.ends_with("Cargo.toml"))
        .filter_map(|(path, _)| path.parent())
        .collect()
}

/// One of [`KNOWN`], in the project's root or in a package.
fn is_known(path: &Path, files: &[File]) -> bool {
    packages(files)
        .into_iter()
        .chain([Path::new("")])
        .filter_map(|package| path.strip_prefix(package).ok())
        .any(|inside| KNOWN.iter().any(|known| inside == Path::new(known)))
}

fn is_read_whole(path: &Path) -> bool {
    let name = path.to_string_lossy();
    READ_WHOLE
        .iter()
        .any(|(folder, ending)| path.starts_with(folder) && name.ends_with(ending))
}

/// Whether a file is in the language of a catalogue.
fn is_translation(path: &Path, files: &[File]) -> bool {
    let is_place = TRANSLATED.iter().any(|folder| path.starts_with(folder));
    let mut tags = files.iter().filter_map(|(path, _)| language_of(path));
    is_place && tags.any(|tag| tag_in(path) == Some(tag))
}

/// For every file name, with and without its ending, the files that contain it.
type Names<'a> = BTreeMap<&'a str, BTreeSet<&'a Path>>;

fn names(files: &[File]) -> Names<'_> {
    let wanted: BTreeSet<&str> = files
        .iter()
        .filter(|(path, _)| !is_rust(path))
        .flat_map(|(path, _)| [path.file_name(), path.file_stem()])
        .filter_map(|name| name?.to_str())
        .collect();
    let mut names = Names::new();
    for (path, content) in files {
        for word in content.split(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c)) {
            if let Some(name) = wanted.get(word.trim_end_matches('.')) {
                names.entry(name).or_default().insert(path);
            }
        }
    }
    names
}

/// Whether another file names this one. Only file names are compared: paths may be relative to any folder.
fn is_named(path: &Path, names: &Names) -> bool {
    let named_by = |name: Option<&OsStr>| {
        name.and_then(|name| names.get(name.to_str()?))
            .into_iter()
            .flatten()
            .filter(|other| **other != path)
    };
    let is_near = |other: &Path| {
        path.ancestors()
            .skip(1)
            .take(2)
            .any(|it| other.parent() == Some(it))
    };
    named_by(path.file_name()).next().is_some()
        || named_by(path.file_stem()).any(|other| is_near(other))
}

/// The Rust files that belong to some crate.
fn reachable_modules(files: &[File]) -> BTreeSet<&Path> {
    let sources: BTreeMap<&Path, &str> = files
        .iter()
        .filter(|(path, _)| is_rust(path))
        .map(|(path, content)| (path.as_path(), content.as_str()))
        .collect();
    let packages = packages(files);
    let mut reached = BTreeSet::new();
    let mut open: Vec<(&Path, bool)> = sources
        .keys()
        .filter(|path| packages.iter().any(|package| is_root(path, package)))
        .map(|path| (*path, true))
        .collect();
    while let Some((path, is_root)) = open.pop() {
        if !reached.insert(path) {
            continue;
        }
        for file in declared(path, sources[path], is_root) {
            let found = sources.get_key_value(file.as_path());
            open.extend(found.map(|(path, _)| (*path, false)));
        }
    }
    reached
}

/// Whether a file is a crate's root in a package.
fn is_root(path: &Path, package: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(package) else {
        return false;
    };
    KNOWN.iter().any(|known| inside == Path::new(known))
        || CRATE_FOLDERS.iter().any(|folder| {
            let Ok(name) = inside.strip_prefix(folder) else {
                return false;
            };
            let depth = name.components().count();
            depth == 1 || (depth == 2 && name.ends_with("main.rs"))
        })
}

/// For every `mod name;`, its file.
fn declared(path: &Path, content: &str, is_root: bool) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let children = if is_root {
        folder.to_path_buf()
    } else {
        path.with_extension("")
    };
    let raw: Vec<&str> = content.lines().collect();
    let code = code_only(content);
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let Some(name) = declared_module(line) else {
            continue;
        };
        let attribute = raw[..at]
            .iter()
            .rev()
            .map(|line| line.trim())
            .take_while(|line| line.starts_with("#["))
            .find_map(|line| line.strip_prefix("#[path = \"")?.strip_suffix("\"]"));
        found.push(match attribute {
            Some(file) => normal(&folder.join(file)),
            None => children.join(format!("{name}.rs")),
        });
    }
    found
}

/// `name` of a line `mod name;`, with or without visibility.
fn declared_module(line: &str) -> Option<&str> {
    let (before, after) = line.trim().split_once("mod ")?;
    let before = before.trim_end();
    let is_declaration = before.is_empty() || before.starts_with("pub") || before.ends_with(']');
    let name = after.strip_suffix(';')?;
    is_declaration.then(|| name.trim().trim_start_matches("r#"))
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(files: &[(&str, &str)]) -> Vec<String> {
        let mut files: Vec<File> = files
            .iter()
            .map(|(path, content)| (PathBuf::from(path), content.to_string()))
            .collect();
        files.push(("Cargo.toml".into(), String::new()));
        check(&files)
            .iter()
            .map(|problem| problem.file.display().to_string())
            .collect()
    }

    #[test]
    fn modules_are_followed_from_the_roots() {
        let files = [
            (
                "src/lib.rs",
                "pub mod a;\n// mod d;\n#[cfg(test)]\nmod tests;",
            ),
            ("src/tests.rs", ""),
            ("src/a.rs", "pub(crate) mod b;"),
            ("src/a/b.rs", "mod c;"),
            (
                "src/a/b/c.rs",
                "/* mod e; */ const TEXT: &str = \"\nmod f;\n\";",
            ),
            ("src/bin/tool.rs", "fn main() {}"),
            (
                "tests/it/main.rs",
                "mod one;\n#[path = \"../../far/two.rs\"]\nmod two;",
            ),
            ("tests/it/one.rs", ""),
            ("far/two.rs", ""),
        ];
        assert_eq!(unused(&files), [""; 0]);
        let lost = [
            "src/d.rs",
            "src/a/b/e.rs",
            "src/a/b/f.rs",
            "tests/it/three.rs",
        ];
        for path in lost {
            let mut files = files.to_vec();
            files.push((path, ""));
            assert_eq!(unused(&files), [path]);
        }
    }

    #[test]
    fn packages_beside_the_root_have_roots_of_their_own() {
        let files = [
            ("crates/core/Cargo.toml", ""),
            ("crates/core/src/lib.rs", "mod api;"),
            ("crates/core/src/api.rs", ""),
            ("crates/core/api.rs", ""),
        ];
        assert_eq!(unused(&files), ["crates/core/api.rs"]);
    }

    #[test]
    fn other_files_are_named_by_files_that_are_not_themselves() {
        let files = [
            ("index.html", "<link href=\"www/page.css\">"),
            ("www/page.css", ""),
            ("www/old-page.css", "/* old-page.css */"),
            ("www/scenarios/index.json", "[{\"slug\": \"first\"}]"),
            ("www/scenarios/first.yaml", ""),
            ("www/scenarios/second.yaml", ""),
            ("www/scenarios/first.pl.yaml", ""),
            ("www/scenarios/first.fr.yaml", ""),
            ("src/words/pl.txt", ""),
            ("src/lib.rs", "// index.json; second is named far away"),
            ("docs/picture.png", ""),
        ];
        let lost = [
            "www/old-page.css",
            "www/scenarios/second.yaml",
            "www/scenarios/first.fr.yaml",
            "docs/picture.png",
        ];
        assert_eq!(unused(&files), lost);
    }
}
