//! `cargo xtask tidy`: the project rules that neither the compiler nor
//! clippy knows.
//!
//! - Layers depend on each other only along the arrows ([`layers`]).
//! - No source file of the program is longer than 700 lines (tests excluded).
//! - No file names a package registry's host, and lock files hold none ([`hosts`]).
//! - The pinned tools have the same version wherever they are named ([`pins`]).
//! - The editor's descriptions of fields are up to date ([`fields`]).
//! - Every file is used ([`unused`]).
//! - A module with submodules is `x.rs` beside `x/`, never `x/mod.rs`.
//! - Documents name files that exist ([`docs`]).
//! - No text installs a package of strangers ([`package`]).
//! - Custom properties of style sheets are defined and used ([`properties`]).
//! - Lists of plugins have the names of the registry ([`plugins`]).
//! - `Session` has few methods, in one file ([`session`]).
//! - Translations are of sentences of the source ([`translations`]).
//! - Comments use the field's words ([`wording`]).
//!
//! What clippy can check stays with clippy: `[lints]` in Cargo.toml and
//! clippy.toml ban panics, wall clocks, threads and overlong functions.

mod docs;
mod fields;
mod hosts;
mod layers;
mod package;
mod pins;
mod plugins;
mod properties;
mod session;
mod source;
mod translations;
mod unused;
mod wording;

use crate::layout::{SITE, in_program};
use crate::process::{Result, root};
use std::path::{Path, PathBuf};

/// Longer files fail. Most aim at 150 to 250 lines.
const MAX_LINES: usize = 700;

/// Folders without files of the project.
const FOREIGN: [&str; 6] = [".git", ".tools", "dist", "node_modules", SITE, "target"];

/// One violation of a rule: `file:line: what is wrong and what to do`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    file: PathBuf,
    line: usize,
    text: String,
}

/// Checks the whole project and prints every problem.
pub fn tidy() -> Result {
    let files = files(&root())?;
    let problems = check(&files);
    for problem in &problems {
        let (file, line) = (problem.file.display(), problem.line);
        println!("{file}:{line}: {}", problem.text);
    }
    match problems.len() {
        0 => {
            println!("{} files are tidy.", files.len());
            Ok(())
        }
        1 => Err("1 violation of the project rules".to_string()),
        n => Err(format!("{n} violations of the project rules")),
    }
}

/// A file: its path from the project's root, and its text (empty if it is not UTF-8).
type File = (PathBuf, String);

fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    problems.extend(layers::check(files));
    problems.extend(hosts::check(files));
    problems.extend(pins::check(files));
    problems.extend(plugins::check(files));
    problems.extend(fields::check(files));
    problems.extend(unused::check(files));
    problems.extend(docs::check(files));
    problems.extend(properties::check(files));
    problems.extend(session::check(files));
    problems.extend(package::check(files));
    problems.extend(translations::check(files));
    problems.extend(wording::check(files));
    for (path, content) in files {
        problems.extend(too_long(path, content));
        problems.extend(unnamed(path));
    }
    problems.sort();
    problems
}

/// Every tab of an editor, and every line of a panic, names its module.
fn unnamed(path: &Path) -> Option<Problem> {
    path.ends_with("mod.rs").then(|| Problem {
        file: path.to_path_buf(),
        line: 1,
        text: "name this file after its module, beside the folder: `x.rs`, not `x/mod.rs`"
            .to_owned(),
    })
}

fn too_long(path: &Path, content: &str) -> Option<Problem> {
    if in_program(path).is_none() || !source::is_rust(path) || source::is_test_file(path) {
        return None;
    }
    let lines = source::without_tests(content).lines().count();
    (lines > MAX_LINES).then(|| Problem {
        file: path.to_path_buf(),
        line: MAX_LINES + 1,
        text: format!("{lines} lines; split the file, {MAX_LINES} is the limit"),
    })
}

/// Every file of the project, sorted.
fn files(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if !FOREIGN.iter().any(|foreign| name == *foreign) && !is_cache(&path) {
                    folders.push(path);
                }
            } else {
                let content =
                    std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let content = String::from_utf8(content).unwrap_or_default();
                let path = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                files.push((path, content));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether cargo or another tool has tagged the folder as a cache.
fn is_cache(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_fail_and_long_tests_do_not() {
        let long = "// a line\n".repeat(MAX_LINES + 1);
        assert!(too_long(Path::new("src/base/ids.rs"), &long).is_some());
        assert!(too_long(Path::new("crates/core/src/ids.rs"), &long).is_some());
        assert!(too_long(Path::new("src/base/tests.rs"), &long).is_none());
        assert!(too_long(Path::new("tests/long.rs"), &long).is_none());
        let tested = format!("//! Short.\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert!(too_long(Path::new("src/base/ids.rs"), &tested).is_none());
    }

    #[test]
    fn files_have_the_name_of_their_module() {
        assert!(unnamed(Path::new("src/base/mod.rs")).is_some());
        assert!(unnamed(Path::new("src/base.rs")).is_none());
    }
}
