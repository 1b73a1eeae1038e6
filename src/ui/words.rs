//! Every sentence that the page shows, in English.

use crate::base::sort;
use crate::protocol::cycle::{Code, Cycle};

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
pub const CHOSEN: &str = "chosen";
pub const LEFT_OUT: &str =
    "Left out of Berth: dynamic resource allocation, scheduler extenders, in-place resize.";

/// `3 nodes`, `1 node`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
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
    sort::sort_by_key(&mut counts, |(_, count)| std::cmp::Reverse(*count));
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
