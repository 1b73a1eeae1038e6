//! The descriptions of fields must be generated (`cargo xtask fields`) by the current generator, from
//! the version of Kubernetes' schemas that the program itself is built with.

use super::{File, Problem};
use crate::fields::{FILE, FOLDER, KINDS, WHOLE, stamp};
use std::path::{Path, PathBuf};

pub fn check(files: &[File]) -> Vec<Problem> {
    let content = |name: &str| {
        let found = files.iter().find(|(path, _)| path == Path::new(name));
        found.map_or("", |(_, content)| content.as_str())
    };
    let mut problems = Vec::new();
    let mut problem = |file: &str, text: String| {
        problems.push(Problem {
            file: PathBuf::from(file),
            line: 1,
            text,
        });
    };
    let lock = format!("{FOLDER}/Cargo.lock");
    let (own, theirs) = (version(content("Cargo.lock")), version(content(&lock)));
    if own != theirs {
        problem(
            &lock,
            format!(
                "names k8s-openapi {}, the program {}: update it, then run `cargo xtask fields`",
                theirs.unwrap_or("in no version"),
                own.unwrap_or("in no version"),
            ),
        );
    }
    // Sorted by path, as `cargo xtask fields` takes them.
    let folder = Path::new(FOLDER).join("src");
    let mut sources = vec![content(KINDS), content(&lock)];
    let inside = files.iter().filter(|(path, _)| path.starts_with(&folder));
    sources.extend(inside.map(|(_, content)| content.as_str()));
    let made = format!("\"made\":\"{}\"", stamp(&sources));
    for file in [FILE, WHOLE] {
        if !content(file).contains(&made) {
            let text = "is not what the generator would write: run `cargo xtask fields`";
            problem(file, text.to_string());
        }
    }
    problems
}

fn version(lock: &str) -> Option<&str> {
    let (_, rest) = lock.split_once("name = \"k8s-openapi\"\n")?;
    rest.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(program: &str, generator: &str, made: &str) -> Vec<File> {
        let lock = |version| format!("name = \"k8s-openapi\"\nversion = \"{version}\"\n");
        [
            ("Cargo.lock", lock(program)),
            ("fields/Cargo.lock", lock(generator)),
            ("fields/src/main.rs", "fn main() {}".to_string()),
            (KINDS, "macro_rules! kinds".to_string()),
            (FILE, format!("{{\"made\":\"{made}\"}}")),
            (WHOLE, format!("{{\"made\":\"{made}\"}}")),
        ]
        .map(|(path, content)| (PathBuf::from(path), content))
        .to_vec()
    }

    #[test]
    fn descriptions_are_as_new_as_their_generator() {
        let lock = "name = \"k8s-openapi\"\nversion = \"1.0.0\"\n";
        let made = stamp(&["macro_rules! kinds", lock, "fn main() {}"]);
        assert_eq!(check(&files("1.0.0", "1.0.0", &made)), []);
        assert_eq!(check(&files("1.0.0", "1.0.0", "old")).len(), 2);
        assert_eq!(check(&files("1.1.0", "1.0.0", &made)).len(), 1);
    }
}
