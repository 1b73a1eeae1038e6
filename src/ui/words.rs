//! Every sentence that the page shows, in English.

use super::store::progress::{Point, Stop};
use crate::protocol::cycle::{Code, Cycle};
use crate::protocol::frame::ForkFrame;

pub const BRAND: &str = "Berth";
pub const UNTITLED: &str = "Untitled scenario";
pub const FOLLOWS: &str = "follows kube-scheduler v1.34.1";
pub const SOURCES: &str = "Sources";
pub const STAGE: &str = "Stage";
pub const EXPLAIN: &str = "Explain";
pub const TIMELINE: &str = "Timeline";
pub const THEME: &str = "Light or dark";
pub const MANIFESTS: &str = "Manifests (YAML or JSON)";
pub const NO_PROBLEMS: &str = "No problems";
pub const QUEUE: &str = "Scheduling queue";
pub const ACTIVE: &str = "Active";
pub const UNSCHEDULABLE: &str = "Unschedulable";
pub const GATED: &str = "Gated";
pub const NONE: &str = "none";
pub const NO_ZONE: &str = "No zone";
pub const NO_NODES: &str = "No nodes yet: paste manifests with kind: Node on the left.";
pub const NOTHING_TO_EXPLAIN: &str = "Step once, and this panel tells which nodes could take the Pod, which could not and why, and how the winner was chosen.";
pub const CORDONED: &str = "cordoned";
pub const CONTROL_PLANE: &str = "control plane";
pub const WORKER: &str = "worker";
pub const FILTER: &str = "Filter";
pub const SCORE: &str = "Score";
pub const PREEMPTION: &str = "Preemption";
pub const FAILED_SCHEDULING: &str = "FailedScheduling";
pub const PASSES: &str = "passes";
pub const REJECTS: &str = "rejects";
pub const ALSO_WOULD: &str = "also would";
pub const NOT_EXAMINED: &str = "not examined";
pub const SKIPPED: &str = "skipped";
pub const RAW_TO_NORMALIZED: &str = "raw → normalized";
pub const TOTAL: &str = "Total";
pub const ONE_FEASIBLE: &str = "Only one node is feasible, so nothing is scored.";
pub const RESET: &str = "To the start";
pub const STEP_BACK: &str = "Step back one Pod";
pub const STEP: &str = "Step one Pod";
pub const RUN: &str = "Run to the end";
pub const PAUSE: &str = "Pause";
pub const NO_NUMBERS: &str = "This plugin has nothing to say against the node.";
pub const UNDO: &str = "Undo";
pub const REDO: &str = "Redo";
pub const GO_TO: &str = "Go to";
pub const DOCUMENTS: &str = "Documents";
pub const PLAY: &str = "Play";
pub const STEP_BY: &str = "Step";
pub const POD: &str = "Pod";
pub const EXTENSION_POINT: &str = "Extension point";
pub const PLUGIN: &str = "Plugin";
pub const SPEED: &str = "Speed: steps a second";
pub const BACK_TO_LATEST: &str = "Back to latest";
pub const FORKED_HERE: &str = "The fork begins here";
pub const EXAMPLES: &str = "Examples";
pub const NEW: &str = "New";
pub const OPEN_FILES: &str = "Open";
pub const EXPORT: &str = "Export";
pub const PRESENTATION: &str = "Presentation size";
pub const HELP: &str = "Keys and help";
pub const CLOSE: &str = "Close";
pub const LOADING: &str = "One moment.";
pub const NO_EXAMPLES: &str = "The examples are not there: is the page online?";
pub const PRIVATE: &str = "Everything happens in this tab. Nothing that you paste leaves it.";
pub const EMPTY_SCENARIO: &str =
    "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: New scenario\n";
/// Keys and what they do.
pub const KEYS: [(&str, &str); 10] = [
    ("Space", "play or pause"),
    ("← →", "step back, on"),
    ("Home End", "to the start, run to the end"),
    ("1 2 3", "step by Pod, extension point, plugin"),
    ("A", "add to the cluster"),
    ("/", "find a node"),
    (
        "C D Delete",
        "on a node: cordon, its labels and taints, delete it",
    ),
    ("Ctrl+Z Ctrl+Shift+Z", "undo, redo"),
    ("P", "presentation size"),
    ("?", "these keys"),
];
pub const ADD: &str = "Add";
pub const ADD_TITLE: &str = "Add to the cluster";
pub const ADD_NODES: &str = "Add nodes";
pub const CORDON: &str = "Cordon";
pub const UNCORDON: &str = "Uncordon";
pub const DELETE: &str = "Delete";
pub const EDIT: &str = "Edit";
pub const REMOVE: &str = "Remove";
pub const LABELS: &str = "Labels";
pub const TAINTS: &str = "Taints";
pub const ALLOCATABLE: &str = "Allocatable";
pub const NEW_LABEL: &str = "New label";
pub const NEW_TAINT: &str = "New taint";
pub const VALUE_OF: &str = "Value of";
pub const EFFECT: &str = "Effect";
pub const NODES: &str = "Nodes";
pub const PODS: &str = "Pods";
pub const TEMPLATE: &str = "Template";
pub const HOW_MANY: &str = "How many";
pub const CUSTOM_SIZE: &str = "Size of a custom node";
pub const MORE_RESOURCES: &str = "other resources, name=amount";
pub const NAME: &str = "name";
pub const REPLICAS: &str = "replicas";
pub const KIND: &str = "Kind";
pub const MORE_KNOBS: &str = "Where it may go";
pub const NODE_SELECTOR: &str = "nodeSelector, key=value";
pub const TOLERATIONS: &str = "tolerations, key=value:Effect";
pub const APART: &str = "apart from its like, by node";
pub const NEAR: &str = "together with Pods, key=value";
pub const PRIORITY_CLASS: &str = "priorityClassName";
pub const NO: &str = "no";
pub const PREFERRED: &str = "preferred";
pub const REQUIRED: &str = "required";
pub const SELECTION: &str = "Chosen nodes";
pub const YAML_FOLLOWS: &str = "The manifests follow every change. Drag a node to move it.";
pub const FIXES: &str = "Smallest fixes";
pub const LOOKING: &str = "looking";
pub const NO_FIX: &str = "No single change was found that lets this Pod schedule.";
pub const TRY_ON_FORK: &str = "Try on a fork";
pub const FORK: &str = "Fork";
pub const BACK_TO_FIRST: &str = "Back to the first run";
pub const KEEP_FORK: &str = "Keep this fork";
pub const DIFFERENTLY: &str = "What comes out differently";
pub const FIRST_RUN: &str = "First run";
pub const THIS_FORK: &str = "This fork";
pub const SCHEDULED: &str = "Scheduled";
pub const WAITING: &str = "waiting";
pub const GONE: &str = "not there";
pub const EDITED: &str = "The manifests were changed";
pub const CHOSEN: &str = "chosen";
pub const LEFT_OUT: &str =
    "Left out of Berth: dynamic resource allocation, scheduler extenders, in-place resize.";

/// `3 nodes`, `1 node`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}

/// What happens at a step within an attempt.
pub fn at_stop(cycle: &Cycle, stop: &Stop) -> String {
    let plugin = |names: &mut dyn Iterator<Item = &str>| {
        stop.plugin
            .and_then(|at| names.nth(at))
            .map(str::to_owned)
            .unwrap_or_default()
    };
    match stop.point {
        Point::Filter => {
            let name = plugin(&mut cycle.filter_plugins.iter().map(String::as_str));
            format!("Filter, {name}")
        }
        Point::Score => {
            let mut names = cycle
                .score_plugins
                .iter()
                .map(|scored| scored.plugin.as_str());
            format!("Score, {}", plugin(&mut names))
        }
        point => point.name().to_owned(),
    }
}

/// The name of a node's form.
pub fn edit_node(name: &str) -> String {
    format!("Edit {name}")
}

/// Where chosen nodes can be moved.
pub fn move_to(key: &str) -> String {
    format!("Move to {key}")
}

/// Spread over the domains of a key.
pub fn spread_over(key: &str) -> String {
    format!("spread over {key}, maxSkew 1")
}

/// A label's key without its prefix.
pub fn short_key(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// An amount as a quantity that can be edited.
pub fn quantity(resource: &str, amount: i64) -> String {
    const UNITS: [(i64, &str); 4] = [
        (1 << 40, "Ti"),
        (1 << 30, "Gi"),
        (1 << 20, "Mi"),
        (1 << 10, "Ki"),
    ];
    match resource {
        "cpu" if amount % 1000 == 0 => (amount / 1000).to_string(),
        "cpu" => format!("{amount}m"),
        "memory" | "ephemeral-storage" => {
            let fits = |(size, _): &&(i64, &str)| amount > 0 && amount % size == 0;
            match UNITS.iter().find(fits) {
                Some((size, unit)) => format!("{}{unit}", amount / size),
                None => amount.to_string(),
            }
        }
        _ => amount.to_string(),
    }
}

/// How many fixes there are.
pub fn fixes_found(number: usize) -> String {
    match number {
        0 => "none".to_owned(),
        1 => "1 found, and run".to_owned(),
        many => format!("{many} found, each run"),
    }
}

/// Where the Pod would go.
pub fn would_go_to(node: &str) -> String {
    format!("It would go to {node}.")
}

/// What is not listed.
pub fn more(number: usize) -> String {
    format!("{number} more")
}

/// Where a fork begins.
pub fn from_position(at: usize) -> String {
    match at {
        0 => "from the beginning".to_owned(),
        at => format!("after attempt {at}"),
    }
}

/// What a fork is.
pub fn forked(fork: &ForkFrame) -> String {
    format!(
        "You changed the past {}, so this is a fork; the first run is kept beside it.",
        from_position(fork.at)
    )
}

/// How a fork compares with the first run.
pub fn fork(fork: &ForkFrame) -> String {
    let pods = count(fork.different, "Pod is", "Pods are");
    format!(
        "Fork from {}: {pods} elsewhere than in the first run",
        fork.at
    )
}

/// How many of how many attempts.
pub fn attempt_of(position: usize, length: usize) -> String {
    format!("attempt {} of {length}", position + 1)
}

/// What happened, in one sentence.
pub fn sentence(cycle: &Cycle) -> String {
    let name = short(&cycle.pod);
    if cycle.error {
        let message = cycle.message.as_deref().unwrap_or_default();
        return format!("The attempt for {name} ended with an error: {message}.");
    }
    if let Some(node) = &cycle.selected {
        return placed(cycle, name, node);
    }
    if let Some(preemption) = &cycle.preemption {
        let victims: Vec<&str> = preemption
            .victims
            .iter()
            .map(|victim| short(victim))
            .collect();
        return format!(
            "{name} fits nowhere yet. It may take the place of {} on {}, which is nominated for it.",
            victims.join(", "),
            preemption.nominated
        );
    }
    format!("{name} waits: {}.", reasons(cycle))
}

fn placed(cycle: &Cycle, name: &str, node: &str) -> String {
    let Some(tie) = &cycle.tie_break else {
        return if cycle.scores.is_none() {
            format!("{name} goes to {node}, the only node that can take it.")
        } else {
            format!("{name} goes to {node}, which scores highest.")
        };
    };
    let total = cycle
        .scores
        .iter()
        .flatten()
        .find(|score| score.node == node);
    let total = total.map_or(0, |score| score.total);
    let how = match tie.seed {
        Some(seed) => format!("seed {seed} picked {node}"),
        None => format!("{node} comes first by name"),
    };
    format!(
        "{name} goes to {node}: {} nodes total {total}, and {how}.",
        tie.among
    )
}

/// The plugins that refused, with the number of nodes each.
fn reasons(cycle: &Cycle) -> String {
    if cycle.pre_filter.code != Code::Success {
        return cycle.pre_filter.message.clone();
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let verdicts = cycle
        .nodes
        .iter()
        .filter_map(|report| report.verdict.as_ref());
    for reason in verdicts.flat_map(|verdict| &verdict.reasons) {
        match counts.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let clauses = counts.iter().map(|(reason, nodes)| {
        let reason = reason.strip_prefix("node(s) ").unwrap_or(reason);
        format!("{} {reason}", count(*nodes, "node", "nodes"))
    });
    let clauses: Vec<String> = clauses.collect();
    if clauses.is_empty() {
        "there is no node to look at".to_owned()
    } else {
        clauses.join("; ")
    }
}

/// The name without its namespace, if that is `default`.
pub fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}

/// An amount of a resource with its unit, as people write it.
#[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
pub fn amount(resource: &str, amount: i64) -> String {
    let trimmed = |number: f64| {
        let text = format!("{number:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match resource {
        "cpu" => trimmed(amount as f64 / 1000.0),
        "memory" | "ephemeral-storage" => trimmed(amount as f64 / f64::from(1 << 30)),
        _ => amount.to_string(),
    }
}

/// What a resource's numbers are counted in, as a suffix.
pub fn unit(resource: &str) -> &'static str {
    match resource {
        "memory" | "ephemeral-storage" => " Gi",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{amount, sentence};
    use crate::protocol::cycle::{Code, Cycle, NodeReport, NodeScore, TieBreak, Verdict};

    #[test]
    fn a_tie_is_told_with_its_seed() {
        let score = |node: &str| NodeScore {
            node: node.into(),
            plugins: Vec::new(),
            total: 412,
        };
        let cycle = Cycle {
            pod: "default/web-4".into(),
            selected: Some("node-c".into()),
            scores: Some(vec![score("node-a"), score("node-c")]),
            tie_break: Some(TieBreak {
                among: 2,
                seed: Some(7),
            }),
            ..Cycle::default()
        };
        assert_eq!(
            sentence(&cycle),
            "web-4 goes to node-c: 2 nodes total 412, and seed 7 picked node-c."
        );
    }

    #[test]
    fn a_waiting_pod_is_told_with_its_reasons() {
        let report = |node: &str| NodeReport {
            node: node.into(),
            verdict: Some(Verdict {
                code: Code::Unschedulable,
                plugin: "NodeResourcesFit".into(),
                reasons: vec!["Insufficient cpu".into()],
                facts: Vec::new(),
            }),
            failures: Vec::new(),
            passes: Vec::new(),
        };
        let cycle = Cycle {
            pod: "batch/job".into(),
            nodes: vec![report("a"), report("b")],
            ..Cycle::default()
        };
        assert_eq!(
            sentence(&cycle),
            "batch/job waits: 2 nodes Insufficient cpu."
        );
    }

    #[test]
    fn amounts_are_short() {
        assert_eq!(amount("cpu", 2500), "2.5");
        assert_eq!(amount("memory", 4 << 30), "4");
        assert_eq!(amount("pods", 110), "110");
    }
}
