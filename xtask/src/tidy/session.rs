//! `Session` stays small: what is asked about a session, and what changes it, are functions of their own modules.
//!
//! - Only `session.rs` has an `impl Session`, with fewer than 40 public methods.
//! - No module of the crate names what the crate's root exports: `Session` comes from `session.rs`, the rest from where
//!   it is defined.

use super::source::{code_only, is_rust, is_test_file, named_paths, without_tests};
use super::{File, Problem};
use std::path::Path;

const FOLDER: &str = "crates/session/src";
const HOME: &str = "crates/session/src/session.rs";
const ROOT: &str = "crates/session/src/lib.rs";

/// The type has fewer public methods.
const MAX_METHODS: usize = 40;

pub fn check(files: &[File]) -> Vec<Problem> {
    let sources = files.iter().filter(|(path, _)| {
        path.starts_with(FOLDER) && path != Path::new(ROOT) && is_rust(path) && !is_test_file(path)
    });
    sources
        .flat_map(|(path, content)| {
            let methods = match path == Path::new(HOME) {
                true => too_many(path, content),
                false => elsewhere(path, content),
            };
            methods.into_iter().chain(from_root(path, content))
        })
        .collect()
}

fn too_many(path: &Path, content: &str) -> Option<Problem> {
    let code = code_only(without_tests(content));
    let (before, methods) = code.split_once("impl Session {")?;
    let methods = methods.split("\n}").next().unwrap_or_default();
    let count = methods.matches("\n    pub fn ").count();
    (count >= MAX_METHODS).then(|| Problem {
        file: path.to_path_buf(),
        line: before.matches('\n').count() + 1,
        text: format!(
            "`Session` has {count} public methods; make what can be asked about it a function of its own module"
        ),
    })
}

fn elsewhere(path: &Path, content: &str) -> Option<Problem> {
    let code = code_only(without_tests(content));
    let line = code.lines().position(|line| {
        let inherent = line.strip_prefix("impl Session");
        inherent.is_some_and(|rest| rest.trim() == "{")
    })?;
    Some(Problem {
        file: path.to_path_buf(),
        line: line + 1,
        text: format!(
            "methods of `Session` are in {HOME}; make this a function that takes a session"
        ),
    })
}

fn from_root(path: &Path, content: &str) -> Vec<Problem> {
    let is_item = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    named_paths(path, content)
        .into_iter()
        .filter(|named| named.path.first().is_some_and(|name| is_item(name)))
        .map(|named| Problem {
            file: path.to_path_buf(),
            line: named.line,
            text: format!(
                "`{}` is named by way of the crate's root; name the module that defines it",
                named.path.join("::")
            ),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, content: &str) -> Vec<(usize, String)> {
        let files = [(path.into(), content.to_owned())];
        let problems = check(&files).into_iter();
        problems
            .map(|problem| (problem.line, problem.text))
            .collect()
    }

    #[test]
    fn methods_outside_the_type_s_own_file_are_found() {
        let text = "use crate::session::Session;\n\nimpl Session {\n    pub fn fork(&self) {}\n}\n";
        let found = problems("crates/session/src/fork.rs", text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, 3);
        let asked = "pub fn frame(session: &Session) {}\n\nimpl From<Session> for Frame {\n}\n";
        assert_eq!(problems("crates/session/src/fork.rs", asked), []);
        assert_eq!(problems("crates/session/src/fork/tests.rs", text), []);
    }

    #[test]
    fn the_number_of_public_methods_is_limited() {
        let of = |count: usize| {
            let methods = "    pub fn a(&self) {}\n".repeat(count);
            format!(
                "impl Session {{\n{methods}    fn b(&self) {{}}\n}}\n\nimpl Other {{\n    pub fn c() {{}}\n}}\n"
            )
        };
        let home = "crates/session/src/session.rs";
        assert_eq!(problems(home, &of(MAX_METHODS - 1)), []);
        assert_eq!(problems(home, &of(MAX_METHODS)).len(), 1);
    }

    #[test]
    fn items_of_the_root_are_named_by_their_modules() {
        let found = problems(
            "crates/session/src/frame/devices.rs",
            "use crate::{Session, history::Now};\n",
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with("`Session` is named"), "{found:?}");
        let fine = "use super::Fleet;\nuse crate::session::Session;\n";
        assert_eq!(problems("crates/session/src/frame/devices.rs", fine), []);
    }
}
