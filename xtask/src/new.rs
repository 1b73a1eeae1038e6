//! `cargo xtask new plugin|verb|lesson|feature NAME`: the files with which a recipe of CONTRIBUTING.md begins, listed where
//! they must be. A new plugin rejects nothing, a new verb refuses, a new lesson breaks its rules, and a new feature of the
//! page is drawn nowhere, until they are written.

use crate::layout;
use crate::process::{Result, read, root, write};
use std::path::PathBuf;

const USAGE: &str =
    "usage: cargo xtask new plugin NodeColor | verb cordon-all | lesson 31-slug | feature ruler";

/// A file, and its text.
type File = (PathBuf, String);

/// Makes the files of `args`: what, and its name.
pub fn new(args: &[String]) -> Result {
    let [what, name] = args else {
        return Err(USAGE.to_owned());
    };
    let old = |path: &str| read(&root().join(path));
    let (files, next) = match what.as_str() {
        "plugin" => (plugin(name, old)?, PLUGIN_NEXT),
        "verb" => (verb(name, old)?, VERB_NEXT),
        "lesson" => {
            let languages = layout::complete_languages(&root())?;
            (lesson(name, &languages, old)?, LESSON_NEXT)
        }
        "feature" => (feature(name, old)?, FEATURE_NEXT),
        _ => return Err(USAGE.to_owned()),
    };
    // The first ones are new, and nothing is written if one of them is there.
    for (path, _) in &files {
        let is_new = path.to_string_lossy().contains(&file_name(name));
        if is_new && root().join(path).exists() {
            return Err(format!("{} exists", path.display()));
        }
    }
    for (path, text) in files {
        write(&root().join(&path), text)?;
        println!("{}", path.display());
    }
    println!("{next}");
    Ok(())
}

const PLUGIN_NEXT: &str = "\
It compiles, is registered, and rejects nothing: write its rule, its facts and its test. Then, by CONTRIBUTING.md,
\"Add a plugin\": its events, its place among the default plugins, and the lists that `cargo xtask tidy` names.";
const VERB_NEXT: &str = "It compiles and refuses: write what it does, its flags and its test (CONTRIBUTING.md, \"Add a verb\").";
const LESSON_NEXT: &str = "\
Write its texts, its start and its goals (docs/lessons.md); `cargo run -- test FILE -v` plays it. Move its line of
index.json into its chapter, and run `cargo xtask snapshots` once it keeps the rules.";
const FEATURE_NEXT: &str = "\
It compiles, and nothing draws it: call its `view` where it belongs, give it a part of the `Store`, and write its sentences
(CONTRIBUTING.md, \"Add a panel\").";

fn plugin(name: &str, old: impl Fn(&str) -> Result<String>) -> Result<Vec<File>> {
    let is_type = name.starts_with(|it: char| it.is_ascii_uppercase())
        && name.chars().all(|it| it.is_ascii_alphanumeric());
    if !is_type {
        return Err(format!(
            "{name:?} is not the name of a type, as NodeColor is"
        ));
    }
    let module = file_name(name);
    let folder = "crates/scheduler/src/plugins";
    let modules = with_module(&old(&format!("{folder}.rs"))?, "pub mod", &module)?;
    let registry = old(&format!("{folder}/registry.rs"))?;
    let import = format!("use super::{module}::{name};");
    let registry = before(
        &registry,
        |line| line.starts_with("use super::") && line > &*import,
        &import,
    )?;
    let entry = format!("        entry::<{name}>(|_, _| Box::new({name})),");
    let registry = before(&registry, |line| line == "    ]", &entry)?;
    let text = PLUGIN
        .replace("NAME", name)
        .replace("PACKAGE", &name.to_lowercase());
    Ok(vec![
        (format!("{folder}/{module}.rs").into(), text),
        (format!("{folder}.rs").into(), modules),
        (format!("{folder}/registry.rs").into(), registry),
    ])
}

fn verb(name: &str, old: impl Fn(&str) -> Result<String>) -> Result<Vec<File>> {
    if name.is_empty() || !name.chars().all(|it| it.is_ascii_lowercase() || it == '-') {
        return Err(format!("{name:?} is not the name of a verb, as cordon is"));
    }
    let module = file_name(name);
    let constant = module.to_uppercase();
    let folder = "crates/kubectl/src/cmd";
    let verbs = with_module(&old(&format!("{folder}.rs"))?, "mod", &module)?;
    let row = format!("    {module}::{constant},");
    let (head, list) = verbs
        .split_once("const VERBS: &[Verb] = &[\n")
        .ok_or("cmd.rs has no list `VERBS`")?;
    let list = before(list, |line| line > &*row || line == "];", &row)?;
    let verbs = format!("{head}const VERBS: &[Verb] = &[\n{list}");
    let text = VERB.replace("CONSTANT", &constant).replace("NAME", name);
    Ok(vec![
        (format!("{folder}/{module}.rs").into(), text),
        (format!("{folder}.rs").into(), verbs),
    ])
}

/// `languages`: the tags of those to which it is translated.
fn lesson(
    name: &str,
    languages: &[String],
    old: impl Fn(&str) -> Result<String>,
) -> Result<Vec<File>> {
    let is_slug = name.split_once('-').is_some_and(|(number, slug)| {
        number.len() == 2
            && number.chars().all(|it| it.is_ascii_digit())
            && !slug.is_empty()
            && slug
                .chars()
                .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-')
    });
    if !is_slug {
        return Err(format!(
            "{name:?} is not a number and words, as 31-three-zones is"
        ));
    }
    let index = old("www/lessons/index.json")?;
    let (lessons, end) = index
        .rsplit_once("\"\n  ]}")
        .ok_or("www/lessons/index.json does not end with a chapter")?;
    let mut files = vec![(format!("www/lessons/{name}.yaml").into(), LESSON.to_owned())];
    files.extend(languages.iter().map(|tag| {
        let path = format!("www/lessons/{name}.{tag}.yaml");
        (path.into(), TRANSLATION.to_owned())
    }));
    let index = format!("{lessons}\",\n    \"{name}\"\n  ]}}{end}");
    files.push(("www/lessons/index.json".into(), index));
    Ok(files)
}

fn feature(name: &str, old: impl Fn(&str) -> Result<String>) -> Result<Vec<File>> {
    if name.is_empty() || !name.chars().all(|it| it.is_ascii_lowercase() || it == '-') {
        return Err(format!(
            "{name:?} is not the name of a feature, as what-if is"
        ));
    }
    let module = file_name(name);
    let words = module.split('_').filter(|it| !it.is_empty());
    let upper = words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    let type_name: String = upper.collect();
    let folder = "src/ui/features";
    let features = with_module(&old("src/ui/features.rs")?, "pub mod", &module)?;
    let actions = old("src/ui/store/action.rs")?;
    let import = format!("use crate::ui::features::{module}::{type_name}Action;");
    let actions = before(
        &actions,
        |line| line.starts_with("use ") && line > &*import,
        &import,
    )?;
    let (head, tail) = actions
        .split_once("pub enum Action {\n")
        .ok_or("action.rs has no `Action`")?;
    let variant = format!("    {type_name}({type_name}Action),");
    let tail = before(tail, |line| line == "}", &variant)?;
    let row = format!("            | Self::{type_name}(_)");
    let tail = before(
        &tail,
        |line| line.trim() == "| Self::Presenter(_) => BESIDES,",
        &row,
    )?;
    let arm = format!("            Action::{type_name}(action) => self.on_{module}(action),");
    let is_last = |line: &str| line.trim_start().starts_with("Action::Presenter(action)");
    let store = before(&old("src/ui/store.rs")?, is_last, &arm)?;
    let file = |text: &str| text.replace("NAME", &type_name).replace("MODULE", &module);
    Ok(vec![
        (format!("{folder}/{module}.rs").into(), file(FEATURE)),
        (format!("{folder}/{module}/state.rs").into(), file(STATE)),
        (format!("{folder}/{module}/view.rs").into(), file(VIEW)),
        ("src/ui/features.rs".into(), features),
        (
            "src/ui/store/action.rs".into(),
            format!("{head}pub enum Action {{\n{tail}"),
        ),
        ("src/ui/store.rs".into(), store),
    ])
}

/// `NodeColor` and `node-color` are in `node_color.rs`; a lesson's name is that of its file.
fn file_name(name: &str) -> String {
    if name.starts_with(|it: char| it.is_ascii_digit()) {
        return name.to_owned();
    }
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(if letter == '-' {
            '_'
        } else {
            letter.to_ascii_lowercase()
        });
    }
    snake
}

/// Declares a module among the others, by name, as rustfmt sorts them.
fn with_module(text: &str, keyword: &str, module: &str) -> Result<String> {
    let name = |line: &str| {
        let (_, rest) = line.split_once("mod ")?;
        Some(rest.strip_suffix(';')?.to_owned())
    };
    if text
        .lines()
        .any(|line| name(line).as_deref() == Some(module))
    {
        return Err(format!("there is a module `{module}`"));
    }
    let declared = format!("{keyword} {module};");
    before(
        text,
        |line| name(line).is_some_and(|it| *it > *module),
        &declared,
    )
}

/// The text with a line before the first one that `is_next`.
fn before(text: &str, is_next: impl Fn(&str) -> bool, line: &str) -> Result<String> {
    let mut at = 0;
    for next in text.split_inclusive('\n') {
        if is_next(next.trim_end_matches('\n')) {
            let (head, tail) = text.split_at(at);
            return Ok(format!("{head}{line}\n{tail}"));
        }
        at += next.len();
    }
    Err(format!("there is no place for `{}`", line.trim()))
}

const PLUGIN: &str = r#"//! NAME: which Pods it keeps off which nodes.
//!
//! - **Extension point**: Filter.
//! - **Why**: what goes wrong without it.
//! - **Example**: a field, and what it does.
//! - **Upstream**: `plugins/PACKAGE`, v1.36.

use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Filter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, Verdict};

/// The plugin.
pub struct NAME;

extends!(NAME: Filter);

impl Filter for NAME {
    fn filter(&self, _cx: Context<'_>, _state: &CycleState, _node: &NodeInfo) -> Verdict {
        Ok(())
    }

    fn facts(&self, _cx: Context<'_>, _state: &CycleState, _node: &NodeInfo) -> Facts {
        Facts::new()
    }
}

#[cfg(test)]
mod tests {
    use super::NAME;
    use crate::plugins::helpers::fixture::{Cycle, cluster};

    const MANIFESTS: &str = "
apiVersion: v1
kind: Node
metadata: {name: a}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: i}]}
";

    #[test]
    fn a_node_is_rejected() {
        let cluster = cluster(MANIFESTS);
        let cycle = Cycle::new(&NAME, &cluster, "p");
        assert!(cycle.filter("a").is_err(), "write what NAME rejects");
        assert_eq!(cycle.facts("a"), [""; 0]);
    }
}
"#;

const VERB: &str = r#"//! `kubectl NAME`.

use crate::Cluster;
use crate::call::{Call, Done, Verb};

pub(crate) const CONSTANT: Verb = Verb {
    name: "NAME",
    about: "One sentence, as kubectl --help has it",
    usage: "NAME",
    examples: &["kubectl NAME"],
    flags: &[],
    run,
};

fn run(_call: &mut Call<'_>, _cluster: &mut dyn Cluster) -> Done {
    Err("error: kubectl NAME: not simulated here".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::tests::commands::{fails, web};

    #[test]
    fn what_it_prints_is_written() {
        fails(&mut web(), "NAME", "error: kubectl NAME: not simulated here");
    }
}
"#;

const LESSON: &str = r#"apiVersion: berth.dev/v1alpha1
kind: Scenario
title: "What is wrong, in some words"
minutes: 5
exam: []
covers: []
description: |
  What a learner sees: symptoms, not causes.
task: |
  What to reach, without saying how.
hints:
- A first hint.
- A second one.
locked: [Node]
expectations:
- {pod: web, state: Bound, words: "`web` has a node"}
solution:
- kubectl get pods
wrong:
- steps: [kubectl get nodes]
  when: [{pod: web, state: Pending}]
  say: Why this does not help.
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: "1", memory: 2Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: nginx, resources: {requests: {cpu: "2"}}}]
"#;

const TRANSLATION: &str = r#"title: "What is wrong, in some words"
description: |
  What a learner sees: symptoms, not causes.
task: |
  What to reach, without saying how.
hints:
- A first hint.
- A second one.
expectations:
- words: "`web` has a node"
wrong:
- say: Why this does not help.
"#;

const FEATURE: &str = r#"//! What it is for, in a sentence.

mod state;
mod view;

pub use state::NAMEAction;
pub use view::view;
"#;

const STATE: &str = r#"//! What it keeps, and how that changes.

use crate::ui::store::{Effect, Store};

/// An action of the feature.
#[derive(Clone, Debug, PartialEq)]
pub enum NAMEAction {
    /// It was pressed.
    Press,
}

impl Store {
    pub(in crate::ui) fn on_MODULE(&mut self, action: NAMEAction) -> Vec<Effect> {
        match action {
            NAMEAction::Press => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn something_changes() {
        panic!("write what changes");
    }
}
"#;

const VIEW: &str = r#"//! What it draws.

use yew::{Callback, Html, MouseEvent, html};

use super::state::NAMEAction;
use crate::ui::store::{Action, Store};

/// The feature. Cold: kept out of the first download.
#[inline(never)]
pub fn view(_store: &Store, act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::NAME(NAMEAction::Press));
    html! { <button class="btn" data-action="MODULE" {onclick} /> }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn old(path: &str) -> Result<String> {
        Ok(match Path::new(path).extension().and_then(|it| it.to_str()) {
            Some("json") => "{\"chapters\": [\n  {\"lessons\": [\n    \"30-last\"\n  ]}\n]}\n",
            _ if path.ends_with("registry.rs") => {
                "use super::a::A;\nuse super::z::Z;\nvec![\n        entry::<A>(),\n    ]\n"
            }
            _ if path.ends_with("action.rs") => {
                "use crate::ui::features::a::A;\nuse crate::ui::features::z::Z;\npub enum Action {\n    Presenter(P),\n}\n        match self {\n            | Self::Presenter(_) => BESIDES,\n"
            }
            _ if path.ends_with("store.rs") => {
                "            Action::Presenter(action) => self.on_presenter(action),\n"
            }
            _ if path.ends_with("cmd.rs") => {
                "mod a;\npub(crate) mod z;\n\nconst VERBS: &[Verb] = &[\n    a::A,\n    z::Z,\n];\n"
            }
            _ => "pub mod a;\nmod helpers;\npub mod z;\n",
        }
        .to_owned())
    }

    #[test]
    fn a_plugin_is_declared_and_registered() {
        let files = plugin("NodeColor", old).unwrap();
        let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
        assert!(files[0].0.ends_with("plugins/node_color.rs"), "{files:?}");
        assert!(texts[0].contains("pub struct NodeColor;"));
        assert_eq!(
            texts[1],
            "pub mod a;\nmod helpers;\npub mod node_color;\npub mod z;\n"
        );
        assert_eq!(
            texts[2],
            "use super::a::A;\nuse super::node_color::NodeColor;\nuse super::z::Z;\nvec![\n        entry::<A>(),\n        entry::<NodeColor>(|_, _| Box::new(NodeColor)),\n    ]\n"
        );
        assert!(plugin("nodecolor", old).is_err());
        assert!(plugin("A", old).is_err());
    }

    #[test]
    fn a_verb_is_declared_and_listed() {
        let files = verb("cordon-all", old).unwrap();
        assert!(files[0].0.ends_with("cmd/cordon_all.rs"), "{files:?}");
        assert_eq!(
            files[1].1,
            "mod a;\nmod cordon_all;\npub(crate) mod z;\n\nconst VERBS: &[Verb] = &[\n    a::A,\n    cordon_all::CORDON_ALL,\n    z::Z,\n];\n"
        );
        assert!(verb("Cordon", old).is_err());
    }

    #[test]
    fn a_lesson_is_the_last_of_the_index() {
        let files = lesson("31-zones", &["pl".to_owned()], old).unwrap();
        assert!(files[1].0.ends_with("31-zones.pl.yaml"), "{files:?}");
        assert!(
            files[2].1.contains("\"30-last\",\n    \"31-zones\"\n  ]}"),
            "{files:?}"
        );
        assert!(lesson("zones", &[], old).is_err());
    }
    #[test]
    fn a_feature_is_a_folder_a_variant_and_two_rows() {
        let files = feature("tape-measure", old).unwrap();
        let paths: Vec<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
        assert!(paths[1].ends_with("features/tape_measure/state.rs"));
        assert!(
            files[1]
                .1
                .contains("fn on_tape_measure(&mut self, action: TapeMeasureAction)")
        );
        assert!(files[3].1.contains("pub mod tape_measure;\n"), "{files:?}");
        let actions = &files[4].1;
        assert!(actions.contains(
            "use crate::ui::features::tape_measure::TapeMeasureAction;\nuse crate::ui::features::z"
        ));
        assert!(actions.contains("    Presenter(P),\n    TapeMeasure(TapeMeasureAction),\n}"));
        assert!(
            actions.contains("| Self::TapeMeasure(_)\n            | Self::Presenter(_) => BESIDES")
        );
        assert!(files[5].1.starts_with(
            "            Action::TapeMeasure(action) => self.on_tape_measure(action),\n"
        ));
        assert!(feature("Ruler", old).is_err());
    }
}
