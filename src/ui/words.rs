//! Every sentence that the page shows, in English.

use crate::protocol::cycle::{Code, Cycle};
use crate::protocol::frame::NodeFrame;

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
pub const GROUP_BY: &str = "Group by";
pub const ZOOM_OUT: &str = "Zoom out";
pub const ZOOM_IN: &str = "Zoom in";
pub const CLOSE: &str = "Close";
pub const NODES: &str = "Nodes";
pub const FEASIBLE: &str = "feasible";
pub const REJECTED: &str = "rejected";
pub const FEASIBLE_SO_FAR: &str = "feasible so far";
pub const DEPTH: &str = "CPU requested of allocatable";
pub const BY_DEPTH: &str = "Nodes by depth";
pub const NO_LABEL: &str = "Nodes without the label";
pub const NO_LABEL_MEANS: &str = "A spread over it cannot count them.";
pub const FAR_KEYS: &str = "Arrows go from node to node, with Shift they move the map, plus and minus zoom, Enter opens the card.";
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
pub const EDITED: &str = "The manifests were changed";
pub const CHOSEN: &str = "chosen";
pub const LEFT_OUT: &str =
    "Left out of Berth: dynamic resource allocation, scheduler extenders, in-place resize.";

/// `3 nodes`, `1 node`.
pub fn count(count: usize, one: &str, many: &str) -> String {
    let word = if count == 1 { one } else { many };
    format!("{} {word}", number(count))
}

/// A number with its thousands apart.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How large the cluster is.
pub fn size(nodes: usize, pods: usize) -> String {
    format!(
        "{} · {}",
        count(nodes, "node", "nodes"),
        count(pods, "Pod", "Pods")
    )
}

/// A label's name without its prefix.
pub fn short_label(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// The area of nodes without that label.
pub fn without(key: &str) -> String {
    format!("No {}", short_label(key))
}

/// Which Pod the scheduler takes next, or has before it.
pub fn next_pod(name: &str, is_now: bool) -> String {
    format!("{}: {name}", if is_now { "now" } else { "next" })
}

/// How many Pods of an owner a basin holds.
pub fn tally(pods: usize, owner: &str) -> String {
    format!("{} of {owner} here", count(pods, "Pod", "Pods"))
}

/// A node as it is announced: `node-c2, worker, us-east-1c, 1.75 of 4 CPU, 3 Pods, picked`.
pub fn node_name(node: &NodeFrame, group: Option<&str>, verdict: Option<&str>) -> String {
    let mut parts = vec![node.name.clone(), role(node).to_owned()];
    parts.extend(group.map(str::to_owned));
    if node.unschedulable {
        parts.push(CORDONED.to_owned());
    }
    if let Some(cpu) = node.resources.first() {
        parts.push(format!(
            "{} of {} CPU",
            amount("cpu", cpu.requested),
            amount("cpu", cpu.allocatable)
        ));
    }
    parts.push(count(node.pods.len(), "Pod", "Pods"));
    parts.extend(verdict.map(str::to_owned));
    parts.join(", ")
}

/// What a node is there for.
pub fn role(node: &NodeFrame) -> &'static str {
    let label = "node-role.kubernetes.io/control-plane";
    if node.labels.contains_key(label) {
        CONTROL_PLANE
    } else {
        WORKER
    }
}

/// A node's own reasons: what counts nodes in the message says nothing on its card.
pub fn reasons_in_short(reasons: &[String]) -> String {
    let short = |reason: &String| reason.strip_prefix("node(s) ").unwrap_or(reason).to_owned();
    let reasons: Vec<String> = reasons.iter().map(short).collect();
    reasons.join(", ")
}

/// The total of a node's scores, as it is announced.
pub fn scored(total: i64) -> String {
    format!("score {total}")
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
    use super::{amount, node_name, sentence, size};
    use crate::protocol::cycle::{Code, Cycle, NodeReport, NodeScore, TieBreak, Verdict};
    use crate::protocol::frame::{NodeFrame, ResourceFrame};

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
    fn a_node_is_announced_with_what_its_card_shows() {
        let node = NodeFrame {
            name: "node-c2".into(),
            resources: vec![ResourceFrame {
                name: "cpu".into(),
                requested: 1750,
                allocatable: 4000,
            }],
            pods: vec!["default/a".into()],
            ..NodeFrame::default()
        };
        assert_eq!(
            node_name(&node, Some("us-east-1c"), Some("chosen, score 1042")),
            "node-c2, worker, us-east-1c, 1.75 of 4 CPU, 1 Pod, chosen, score 1042"
        );
        assert_eq!(size(1000, 31806), "1,000 nodes · 31,806 Pods");
    }

    #[test]
    fn amounts_are_short() {
        assert_eq!(amount("cpu", 2500), "2.5");
        assert_eq!(amount("memory", 4 << 30), "4");
        assert_eq!(amount("pods", 110), "110");
    }
}
