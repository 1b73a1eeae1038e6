//! The registry is the one list of plugins. Lists that the page needs as text have the same names: the editor's values all,
//! a lesson's answers those that filter; and a release enables none that is not registered.

use super::{File, Problem};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const REGISTRY: &str = "crates/scheduler/src/plugins/registry.rs";
const RULES: &str = "crates/scheduler/src/release/rules.rs";
const EDITOR: &str = "www/editor/values.mjs";

/// Begins a list of the plugins that filter, in any file of the program.
const FILTERS: &str = "const FILTER_PLUGINS";

pub fn check(files: &[File]) -> Vec<Problem> {
    let content = |name: &str| {
        let found = files.iter().find(|(path, _)| path == Path::new(name));
        found.map(|(_, content)| content.as_str())
    };
    let Some(registry) = content(REGISTRY) else {
        return Vec::new();
    };
    let registered = between(registry, "entry::<", '>');
    let filters: BTreeSet<&str> = registered
        .iter()
        .copied()
        .filter(|plugin| {
            files
                .iter()
                .any(|(path, content)| filters(path, content, plugin))
        })
        .collect();
    let mut problems = Vec::new();
    if let Some(editor) = content(EDITOR) {
        let listed = list(editor, "const PLUGINS");
        problems.extend(differ(EDITOR, &listed, &registered));
    }
    if let Some(rules) = content(RULES) {
        let enabled = ["plugin(\"", "gated(\""].map(|call| between(rules, call, '"'));
        let unknown = enabled
            .iter()
            .flatten()
            .filter(|it| !registered.contains(*it));
        problems.extend(
            unknown.map(|name| problem(RULES, format!("enables {name}, which is not registered"))),
        );
    }
    let lists = files
        .iter()
        .filter(|(path, content)| super::in_program(path).is_some() && content.contains(FILTERS));
    for (path, content) in lists {
        problems.extend(differ(path, &list(content, FILTERS), &filters));
    }
    problems
}

/// Whether this file lists the plugin with the extension point Filter.
fn filters(path: &Path, content: &str, plugin: &str) -> bool {
    path.starts_with("crates/scheduler/src/plugins")
        && content.split("extends!(").skip(1).any(|rest| {
            let list = rest.split(");").next().unwrap_or_default();
            list.split_once(':').is_some_and(|(name, points)| {
                name.trim() == plugin && points.split(',').any(|point| point.trim() == "Filter")
            })
        })
}

/// Every text between `start` and `end`.
fn between<'t>(text: &'t str, start: &str, end: char) -> BTreeSet<&'t str> {
    let rests = text.split(start).skip(1);
    rests
        .filter_map(|rest| rest.split(end).next())
        .filter(|name| !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric()))
        .filter(|name| *name != "P")
        .collect()
}

/// The quoted names of the list that begins so.
fn list<'t>(text: &'t str, start: &str) -> BTreeSet<&'t str> {
    let list = text.split_once(start).map_or("", |(_, rest)| rest);
    let list = list.split("];").next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).collect()
}

fn differ(
    path: impl AsRef<Path>,
    listed: &BTreeSet<&str>,
    wanted: &BTreeSet<&str>,
) -> Option<Problem> {
    let differing: Vec<&str> = listed.symmetric_difference(wanted).copied().collect();
    let text = format!(
        "lists other plugins than {REGISTRY}: {}",
        differing.join(", ")
    );
    (!differing.is_empty()).then(|| problem(path, text))
}

fn problem(path: impl AsRef<Path>, text: String) -> Problem {
    Problem {
        file: PathBuf::from(path.as_ref()),
        line: 1,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(editor: &str, rules: &str, lesson: &str) -> Vec<String> {
        let registry = "entry::<One>(|_, _| …)\nentry::<Two>(…)\nfn entry<P: Registered>";
        let plugin = "crates/scheduler/src/plugins/one.rs";
        let files = [
            (REGISTRY, registry),
            (
                plugin,
                "extends!(One: PreFilter, Filter);\nextends!(Two: PreFilter);",
            ),
            (EDITOR, editor),
            (RULES, rules),
            ("src/ui/lesson.rs", lesson),
        ];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
        check(&files)
            .into_iter()
            .map(|it| format!("{}: {}", it.file.display(), it.text))
            .collect()
    }

    #[test]
    fn lists_are_those_of_the_registry() {
        let editor = "const PLUGINS = [\"One\", \"Two\"];";
        let rules = "plugin(\"One\", 0), gated(\"Two\", 0)";
        let lesson = "const FILTER_PLUGINS: [&str; 1] = [\"One\"];";
        assert_eq!(problems(editor, rules, lesson), Vec::<String>::new());
        assert_eq!(
            problems("const PLUGINS = [\"One\"];", rules, lesson).len(),
            1
        );
        assert_eq!(
            problems(editor, "plugin(\"Three\", 0)", lesson),
            [format!("{RULES}: enables Three, which is not registered")]
        );
        let other = "const FILTER_PLUGINS: [&str; 1] = [\"Two\"];";
        assert_eq!(
            problems(editor, rules, other),
            [format!(
                "src/ui/lesson.rs: lists other plugins than {REGISTRY}: One, Two"
            )]
        );
    }
}
