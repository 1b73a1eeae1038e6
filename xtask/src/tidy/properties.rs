//! Custom properties of the page's style sheets: every one that is read is set somewhere, and every one that is set is
//! read. The page's code sets some of them, in style attributes or by name.

use super::{File, Problem};
use std::path::Path;

/// The file and the folders in which the page reads and sets custom properties.
const PAGE: [&str; 3] = ["index.html", "src/ui", "www"];

/// Endings of files that can do so.
const ENDINGS: [&str; 5] = ["css", "html", "js", "mjs", "rs"];

/// One place that names a custom property.
struct Mention<'a> {
    file: &'a Path,
    line: usize,
    /// `--name`. Code that appends the rest at run time leaves a prefix that ends with `-`.
    name: &'a str,
    reads: bool,
    sets: bool,
}

pub fn check(files: &[File]) -> Vec<Problem> {
    let mentions: Vec<Mention> = files
        .iter()
        .filter(|(path, _)| is_page(path))
        .flat_map(|(path, content)| mentions(path, content))
        .collect();
    let matches = |one: &str, other: &str| {
        one == other
            || (one.ends_with('-') && other.starts_with(one))
            || (other.ends_with('-') && one.starts_with(other))
    };
    let is_set = |name: &str| mentions.iter().any(|it| it.sets && matches(it.name, name));
    let is_read = |name: &str| mentions.iter().any(|it| it.reads && matches(it.name, name));
    let problem = |mention: &Mention| {
        let name = mention.name;
        let text = if !is_set(name) {
            format!("nothing sets {name}: define it or use one that exists")
        } else if !is_read(name) {
            format!("nothing reads {name}: delete it")
        } else {
            return None;
        };
        Some(Problem {
            file: mention.file.to_path_buf(),
            line: mention.line,
            text,
        })
    };
    mentions.iter().filter_map(problem).collect()
}

fn is_page(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        && PAGE.iter().any(|part| path.starts_with(part))
}

fn mentions<'a>(file: &'a Path, content: &'a str) -> Vec<Mention<'a>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut found = Vec::new();
    for (number, line) in content.lines().enumerate() {
        for (at, dashes) in line.match_indices("--") {
            let (before, rest) = line.split_at(at);
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            // `class--modifier`, a comment's dashes, or a name that code makes at run time.
            if before.ends_with(is_name) || name == dashes {
                continue;
            }
            let is_quoted = before.ends_with('"') && after.starts_with('"');
            let reads = is_quoted || before.ends_with("var(");
            let sets = is_quoted || after.trim_start().starts_with(':');
            if reads || sets {
                found.push(Mention {
                    file,
                    line: number + 1,
                    name,
                    reads,
                    sets,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn problems(css: &str, code: &str) -> Vec<String> {
        let files = [
            (PathBuf::from("src/ui/part.rs"), code.to_owned()),
            (PathBuf::from("tests/browser/a.mjs"), "--far: 1".to_owned()),
            (PathBuf::from("www/page.css"), css.to_owned()),
        ];
        check(&files)
            .into_iter()
            .map(|it| format!("{}:{}: {}", it.file.display(), it.line, it.text))
            .collect()
    }

    #[test]
    fn properties_without_a_definition_or_a_use_are_found() {
        assert_eq!(
            problems(
                ":root { --ink: #000; --gone: 1px; }\na { color: var(--ink); top: var(--far); }\nb { left: var(--paper, 0); }",
                "format!(\"--at:{place}\")"
            ),
            [
                "src/ui/part.rs:1: nothing reads --at: delete it",
                "www/page.css:1: nothing reads --gone: delete it",
                "www/page.css:2: nothing sets --far: define it or use one that exists",
                "www/page.css:3: nothing sets --paper: define it or use one that exists",
            ]
        );
    }

    #[test]
    fn code_sets_and_reads_properties() {
        let css = ":root { --sound-0: #000; --fit-w: 1; }\n.a--b:hover { left: var(--at); top: calc(var(--fit) * var(--fit-w)); }\n/* -- */";
        let code = "format!(\"--at:{place:.2}\"); set_property(\"--fit\", x); format!(\"var(--sound-{depth})\"); format!(\"var(--{token})\")";
        assert_eq!(problems(css, code), Vec::<String>::new());
    }
}
