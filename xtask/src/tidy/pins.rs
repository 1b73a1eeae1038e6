//! Several files name a tool's version; they must agree, or Trunk would
//! download a different one.

use super::{File, Problem};
use crate::tools::WASM_BINDGEN;
use std::path::{Path, PathBuf};

pub fn check(files: &[File]) -> Vec<Problem> {
    let content = |name: &str| {
        let found = files.iter().find(|(path, _)| path == Path::new(name));
        found.map_or("", |(_, content)| content.as_str())
    };
    let trunk = content("Trunk.toml");
    let mut problems = Vec::new();
    let mut must_agree = |file: &str, found: Option<String>, wanted: &str| {
        // A file that names no version is ignored.
        if let Some(found) = found.filter(|found| found != wanted) {
            problems.push(Problem {
                file: PathBuf::from(file),
                line: 1,
                text: format!("names version {found}, other files name {wanted}"),
            });
        }
    };
    must_agree(
        "Trunk.toml",
        quoted_after(trunk, "wasm_bindgen"),
        WASM_BINDGEN,
    );
    let locked = content("Cargo.lock")
        .split_once("name = \"wasm-bindgen\"\n")
        .and_then(|(_, rest)| quoted_after(rest, "version"));
    must_agree("Cargo.lock", locked, WASM_BINDGEN);
    problems
}

/// The first quoted text after `key` at the beginning of a line.
fn quoted_after(text: &str, key: &str) -> Option<String> {
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(key))?;
    line.split('"').nth(1).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_must_agree() {
        let trunk = |bindgen: &str| {
            let content = format!("[tools]\nwasm_bindgen = \"{bindgen}\"\n");
            check(&[("Trunk.toml".into(), content)]).len()
        };
        assert_eq!(trunk(WASM_BINDGEN), 0);
        assert_eq!(trunk("0.2.1"), 1);
    }

    #[test]
    fn the_lock_file_counts() {
        let lock = "[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.1.0\"\n";
        assert_eq!(check(&[("Cargo.lock".into(), lock.to_string())]).len(), 1);
    }
}
