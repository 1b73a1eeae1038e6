//! Which modules of a crate may name which others. Between crates, Cargo enforces the direction.
//!
//! ```text
//! scheduler: release ← what Pods and configurations are made of ← cluster ← framework ← plugins
//!                                                                           framework ← scheduler, trace
//! berth: protocol ← scene, words ← report ← export; session, protocol, base ← js
//!        session, protocol, scene, words, report, export ← cli, ui::engine
//!        protocol, scene, words, report, export ← the rest of ui
//! ```

use super::source::{Named, is_rust, is_test_file, module_of, named_paths};
use super::{File, Problem};
use std::collections::BTreeSet;
use std::path::Path;

/// Each layer with all modules and crates that it may name besides itself. `scheduler` may not name `plugins`: its
/// caller passes the registry.
const LAYERS: [(&str, &[&str]); 25] = [
    ("release", &["base", "protocol"]),
    ("field", READ),
    ("names", READ),
    ("meta", READ),
    ("affinity", READ),
    ("selector", READ),
    ("volumes", READ),
    ("topology_labels", READ),
    ("cel", READ),
    ("config", READ),
    ("pod_object", READ),
    ("cluster", READ),
    (
        "framework",
        &["cluster", READS, "release", "base", "protocol"],
    ),
    (
        "plugins",
        &["framework", "cluster", READS, "release", "base", "protocol"],
    ),
    (
        "scheduler",
        &["framework", "cluster", READS, "base", "protocol"],
    ),
    (
        "trace",
        &[
            "scheduler",
            "framework",
            "cluster",
            READS,
            "base",
            "protocol",
        ],
    ),
    ("bench", MEASURED),
    ("js", &["cli", "session", "protocol", "bench", "base"]),
    // What is drawn has sentences, and sentences name what is drawn.
    ("words", &["scene", "ui", "protocol"]),
    ("scene", &["words", "report", "protocol"]),
    ("report", &["words", "scene", "protocol"]),
    ("export", &["words", "scene", "report", "protocol"]),
    (
        "cli",
        &[
            "session", "protocol", "bench", "words", "scene", "report", "export",
        ],
    ),
    (
        "ui::engine",
        &[
            "session", "protocol", "js", "words", "scene", "report", "export",
        ],
    ),
    ("ui", &["protocol", "words", "scene", "report", "export"]),
];

/// The modules of the scheduler that say what its input is, in one name.
const READS: &str = "what is read";

/// Their names, and what they may name: each other, and what is below them.
const READ: &[&str] = &[READS, "release", "base", "protocol"];

/// The benchmark reaches below a session.
const MEASURED: &[&str] = &[
    "session",
    "sim",
    "kubectl",
    "plugins",
    "trace",
    "scheduler",
    "framework",
    "cluster",
    "core",
    "base",
    "protocol",
];

/// Crates that count as one layer each. The modules of `scheduler` are layers of their own.
const CRATES: [&str; 7] = [
    "base", "protocol", "core", "session", "sim", "kubectl", "shell",
];

/// Source folders of the crates with several layers.
const LAYERED: [&str; 2] = ["src", "crates/scheduler/src"];

/// The one module of `plugins` that every plugin may use.
const SHARED_BY_PLUGINS: &str = "helpers";

/// The table of all plugins. It is not a plugin itself and may name them all.
const PLUGIN_TABLE: &str = "registry";

pub fn check(files: &[File]) -> Vec<Problem> {
    let sources: Vec<&File> = files
        .iter()
        .filter(|(path, _)| LAYERED.iter().any(|folder| path.starts_with(folder)))
        .filter(|(path, _)| is_rust(path) && !is_test_file(path))
        .filter(|(path, _)| !path.starts_with("src/bin"))
        .collect();
    let modules: BTreeSet<String> = sources
        .iter()
        .filter_map(|(path, _)| module_of(path).into_iter().next())
        .chain(CRATES.map(String::from))
        .collect();
    let plugins: BTreeSet<String> = sources
        .iter()
        .map(|(path, _)| module_of(path))
        .filter(|module| module.len() > 1 && module[0] == "plugins")
        .map(|module| module[1].clone())
        .collect();
    let mut problems = Vec::new();
    for (path, content) in sources {
        let module = module_of(path);
        let Some(top) = module.first() else {
            continue; // lib.rs declares the layers
        };
        let Some((layer, allowed)) = layer_of(&module) else {
            problems.push(Problem {
                file: path.clone(),
                line: 1,
                text: format!(
                    "`{top}` is no known layer: add it to the table in xtask/src/tidy/layers.rs"
                ),
            });
            continue;
        };
        for named in named_paths(path, content) {
            let problem = wrong_direction(layer, allowed, &named, &modules)
                .or_else(|| plugin_names_plugin(&module, &named, &plugins));
            problems.extend(problem.map(|text| problem_at(path, &named, text)));
        }
    }
    problems
}

fn problem_at(path: &Path, named: &Named, text: String) -> Problem {
    Problem {
        file: path.to_path_buf(),
        line: named.line,
        text,
    }
}

/// The row of the table for a module: `ui::engine` before `ui`.
fn layer_of(module: &[String]) -> Option<(&'static str, &'static [&'static str])> {
    let row = |name: &str| LAYERS.into_iter().find(|(layer, _)| *layer == name);
    let two = module.get(..2).map(|first| first.join("::"));
    two.and_then(|name| row(&name)).or_else(|| row(&module[0]))
}

fn wrong_direction(
    layer: &str,
    allowed: &[&str],
    named: &Named,
    modules: &BTreeSet<String>,
) -> Option<String> {
    let target = named.path.first()?;
    let own = layer.split("::").next()?;
    // Only modules count: `crate::Error` or a macro belongs to no layer.
    let is_read = || allowed.contains(&READS) && reads(target);
    let is_fine = target == own || allowed.contains(&target.as_str()) || is_read();
    if is_fine || !modules.contains(target) {
        return None;
    }
    let may = match allowed {
        [] => "nothing".to_string(),
        some => some.join(", "),
    };
    Some(format!(
        "`{layer}` may not name `{}`; it may use {may}",
        named.path.join("::")
    ))
}

/// Whether a module is one of [`READS`].
fn reads(module: &str) -> bool {
    let row = LAYERS.into_iter().find(|(layer, _)| *layer == module);
    row.is_some_and(|(layer, allowed)| layer != "cluster" && allowed == READ)
}

fn plugin_names_plugin(
    module: &[String],
    named: &Named,
    plugins: &BTreeSet<String>,
) -> Option<String> {
    let (first, plugin) = (module.first()?, module.get(1)?);
    let other = named.path.get(1)?;
    let breach = first == "plugins"
        && named.path[0] == "plugins"
        && plugin != SHARED_BY_PLUGINS
        && plugin != PLUGIN_TABLE
        && other != SHARED_BY_PLUGINS
        && other != plugin
        && plugins.contains(other);
    breach.then(|| {
        format!(
            "plugin `{plugin}` may not name plugin `{other}`; move what both need \
             to plugins::{SHARED_BY_PLUGINS}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// The problems of a made-up tree that has every layer, and these files.
    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let mut tree: Vec<File> = LAYERS
            .iter()
            .map(|(layer, _)| format!("src/{}.rs", layer.replace("::", "/")))
            .chain(["src/lib.rs", "crates/scheduler/src/plugins/helpers.rs"].map(String::from))
            .map(|path| (PathBuf::from(path), String::new()))
            .collect();
        tree.extend(files.iter().map(|(p, c)| (PathBuf::from(p), c.to_string())));
        check(&tree)
            .into_iter()
            .map(|problem| problem.text)
            .collect()
    }

    #[test]
    fn along_the_arrows_is_fine() {
        let fine = [
            (
                "crates/scheduler/src/cluster/state.rs",
                "use crate::{pod_object::PodObject, release::Release}; use berth_base::index;",
            ),
            (
                "src/bench.rs",
                "use berth_scheduler::plugins; use berth_kubectl::run;",
            ),
            ("src/ui/engine/worker.rs", "use berth_session::Session;"),
            (
                "src/ui/panels.rs",
                "use crate::ui::store; use berth_protocol::Frame;",
            ),
            (
                "crates/scheduler/src/plugins/fit.rs",
                "use super::helpers::score; use crate::framework::Filter;",
            ),
            (
                "crates/scheduler/src/field/error.rs",
                "use crate::Whatever; crate::some_macro!();",
            ),
        ];
        assert_eq!(problems(&fine), Vec::<String>::new());
    }

    #[test]
    fn against_the_arrows_is_not() {
        for (file, text) in [
            (
                "crates/scheduler/src/selector.rs",
                "use crate::cluster::Cluster;",
            ),
            (
                "crates/scheduler/src/release/gates.rs",
                "use crate::cluster::Cluster;",
            ),
            (
                "crates/scheduler/src/scheduler/cycle.rs",
                "fn f() { crate::plugins::all() }",
            ),
            (
                "crates/scheduler/src/framework/runner.rs",
                "use crate::{cluster, scheduler::Queue};",
            ),
            ("src/js.rs", "use crate::ui::store;"),
            ("src/ui/panels.rs", "use berth_session::Session;"),
            ("src/cli.rs", "use berth_scheduler::cluster::Cluster;"),
        ] {
            let found = problems(&[(file, text)]);
            assert_eq!(found.len(), 1, "{file}: {text}: {found:?}");
        }
    }

    #[test]
    fn plugins_do_not_name_each_other() {
        let other = ("crates/scheduler/src/plugins/other.rs", "");
        for text in [
            "use crate::plugins::other::X;",
            "use super::{other, helpers};",
        ] {
            assert_eq!(
                problems(&[other, ("crates/scheduler/src/plugins/fit.rs", text)]).len(),
                1,
                "{text}"
            );
        }
        // The table of plugins may name them all, and a plugin its own submodules.
        let fine = [
            other,
            (
                "crates/scheduler/src/plugins.rs",
                "use crate::plugins::other::X;",
            ),
            (
                "crates/scheduler/src/plugins/registry.rs",
                "use super::other::X;",
            ),
            (
                "crates/scheduler/src/plugins/other/part.rs",
                "use crate::plugins::other::X; use super::X;",
            ),
        ];
        assert_eq!(problems(&fine), Vec::<String>::new());
    }

    #[test]
    fn tests_may_name_anything() {
        let text = "#[cfg(test)]\nmod tests {\n use berth_session::Session;\n}";
        let fine = [
            ("crates/scheduler/src/field/ids.rs", text),
            ("crates/scheduler/src/field/tests.rs", "use crate::ui;"),
        ];
        assert_eq!(problems(&fine), Vec::<String>::new());
    }

    #[test]
    fn a_new_layer_is_entered_in_the_table() {
        assert_eq!(problems(&[("src/new.rs", "")]).len(), 1);
    }
}
