//! Just enough parsing of Rust for the rules: finds the modules that a file names.

use crate::layout::in_program;
use std::path::Path;

pub fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs")
}

/// `tests.rs`, `foo_tests.rs`, or anything in a folder `tests`.
pub fn is_test_file(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem == "tests"
        || stem.ends_with("_tests")
        || path.components().any(|part| part.as_os_str() == "tests")
}

/// The text up to the `#[cfg(test)]` that begins a module of tests.
pub fn without_tests(content: &str) -> &str {
    let mut from = 0;
    while let Some(found) = content[from..].find("#[cfg(test)]") {
        let start = from + found;
        let rest = content[start + "#[cfg(test)]".len()..].trim_start();
        if rest.starts_with("mod ") && at_line_start(content, start) {
            return &content[..start];
        }
        from = start + 1;
    }
    content
}

fn at_line_start(content: &str, at: usize) -> bool {
    content[..at].ends_with('\n') || at == 0
}

/// The same text with comments and the insides of string literals blanked, so
/// that line numbers stay and only code is left.
pub fn code_only(content: &str) -> String {
    let chars: Vec<char> = content.chars().collect();
    let mut code = String::with_capacity(content.len());
    let mut at = 0;
    while at < chars.len() {
        let end = match (chars[at], chars.get(at + 1)) {
            ('/', Some('/')) => end_of(&chars, at, |rest| rest[0] == '\n'),
            ('/', Some('*')) => end_of(&chars, at + 2, |rest| rest.starts_with(&['*', '/'])) + 2,
            ('"', _) => end_of_string(&chars, at),
            ('r', Some('"' | '#')) if !ends_in_word(&code) => end_of_raw_string(&chars, at),
            ('\'', Some(_)) => end_of_char(&chars, at),
            _ => at,
        };
        if end == at {
            code.push(chars[at]);
            at += 1;
            continue;
        }
        let end = end.min(chars.len());
        code.extend(
            chars[at..end]
                .iter()
                .map(|&c| if c == '\n' { c } else { ' ' }),
        );
        at = end;
    }
    code
}

fn ends_in_word(code: &str) -> bool {
    code.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn end_of(chars: &[char], from: usize, stop: impl Fn(&[char]) -> bool) -> usize {
    (from..chars.len())
        .find(|&at| stop(&chars[at..]))
        .unwrap_or(chars.len())
}

fn end_of_string(chars: &[char], at: usize) -> usize {
    let mut escaped = false;
    for (offset, &c) in chars[at + 1..].iter().enumerate() {
        if c == '"' && !escaped {
            return at + offset + 2;
        }
        escaped = c == '\\' && !escaped;
    }
    chars.len()
}

/// `r"…"` or `r#"…"#`; the same position for a raw identifier such as `r#type`.
fn end_of_raw_string(chars: &[char], at: usize) -> usize {
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    let open = at + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return at;
    }
    let close: Vec<char> = std::iter::once('"')
        .chain(std::iter::repeat_n('#', hashes))
        .collect();
    end_of(chars, open + 1, |rest| rest.starts_with(&close)) + close.len()
}

/// A character literal; the same position for a lifetime.
fn end_of_char(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => end_of(chars, at + 3, |rest| rest[0] == '\'') + 1,
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

/// A path that a file names, from the crate's root, and on which line.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
}

/// The prefix of the workspace's crates. Paths into them begin with the crate.
const CRATE_PREFIX: &str = "berth_";

/// Every path beginning with `crate::`, `super::` or a crate of the workspace, with groups
/// unfolded and `super` resolved against the file's module (inline modules are not followed).
pub fn named_paths(file: &Path, content: &str) -> Vec<Named> {
    let code = code_only(without_tests(content));
    let module = module_of(file);
    let mut named = Vec::new();
    for start in ["crate::", "super::", CRATE_PREFIX] {
        for (at, _) in code.match_indices(start) {
            if ends_in_word(&code[..at]) || code[..at].ends_with("::") {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let mut base = Vec::new();
            let mut rest = &code[at..];
            if let Some(after) = rest.strip_prefix("crate::") {
                rest = after;
            } else if let Some(after) = rest.strip_prefix(CRATE_PREFIX) {
                rest = after;
            } else {
                base.clone_from(&module);
                while let Some(after) = rest.strip_prefix("super::") {
                    base.pop();
                    rest = after;
                }
            }
            unfold(&base, rest, &mut |path| named.push(Named { path, line }));
        }
    }
    named
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn unfold(base: &[String], text: &str, found: &mut impl FnMut(Vec<String>)) {
    let mut path = base.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            for part in parts(group) {
                unfold(&path, part, found);
            }
            return;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        if end > 0 && &rest[..end] != "self" {
            path.push(rest[..end].to_string());
        }
        match rest[end..].trim_start().strip_prefix("::") {
            Some(after) => rest = after.trim_start(),
            None => break,
        }
    }
    found(path);
}

/// The comma-separated parts of a group whose `{` has been read.
fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                parts.push(&group[from..at]);
                from = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// `src/a/b.rs` is the module `a::b` of its package.
pub fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> = in_program(file)
        .unwrap_or(file)
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if module.last().is_some_and(|last| last == "lib") {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(file: &str, content: &str) -> Vec<String> {
        named_paths(Path::new(file), content)
            .into_iter()
            .map(|named| named.path.join("::"))
            .collect()
    }

    #[test]
    fn groups_are_unfolded() {
        let text = "use crate::{api::{self, Pod}, base::ids::Id,\n cluster};";
        let expected = ["api", "api::Pod", "base::ids::Id", "cluster"];
        assert_eq!(paths("src/sim.rs", text), expected);
    }

    #[test]
    fn supers_are_resolved() {
        let text = "fn f() { super::super::super::base::g(super::h) }";
        assert_eq!(
            paths("src/plugins/a/b.rs", text),
            ["base::g", "plugins::a::h"]
        );
    }

    #[test]
    fn comments_strings_and_tests_do_not_count() {
        let text = "// crate::a\n/* crate::b */ const S: &str = \"crate::c \\\" crate::d\";\n\
                    const R: &str = r#\"crate::e\"#; const C: char = '\"'; fn f<'a>(x: crate::g::T<'a>) {}\n\
                    #[cfg(test)]\nmod tests { use crate::h; }";
        assert_eq!(paths("src/x.rs", text), ["g::T"]);
    }

    #[test]
    fn lines_are_counted() {
        let named = named_paths(Path::new("src/x.rs"), "/*\n*/\nuse crate::y;");
        assert_eq!(named[0].line, 3);
    }

    #[test]
    fn other_crates_are_not_ours() {
        assert!(paths("src/x.rs", "use my_crate::y; $crate::z!();").len() <= 1);
    }

    #[test]
    fn crates_of_the_workspace_are_layers() {
        let text = "use berth_core::api::Pod; use berth_session::{Session, fork::Fork};";
        let expected = ["core::api::Pod", "session::Session", "session::fork::Fork"];
        assert_eq!(paths("src/x.rs", text), expected);
    }
}
