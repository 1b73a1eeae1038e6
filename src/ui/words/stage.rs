//! Text of the stage.

use super::{CONTROL_PLANE, CORDONED, WORKER, amount, count, short_key, uncounted};
use berth_protocol::frame::NodeFrame;

pub const GROUP_BY: &str = "Group by";
pub const ZOOM_OUT: &str = "Zoom out";
pub const ZOOM_IN: &str = "Zoom in";
pub const FEASIBLE: &str = "feasible";
pub const REJECTED: &str = "rejected";
pub const FEASIBLE_SO_FAR: &str = "feasible so far";
pub const DEPTH: &str = "CPU requested of allocatable";
pub const BY_DEPTH: &str = "Nodes by CPU requested";
pub const BY_DEPTH_MEANS: &str = "A bar for every 10 % of CPU requested: the higher, the more nodes. Empty nodes are at the left, full ones at the right.";
pub const NO_LABEL: &str = "Nodes without the label";
pub const NO_LABEL_MEANS: &str = "A spread over it cannot count them.";
pub const FAR_KEYS: &str = "Arrows go from node to node, with Shift they move the map, plus and minus zoom, Enter opens the card.";

/// A number with separated thousands.
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

/// The number of labels that do not fit on a card.
pub fn more_labels(number: usize) -> String {
    count(number, "more label", "more labels")
}

/// The cluster's size.
pub fn size(nodes: usize, pods: usize) -> String {
    format!(
        "{} · {}",
        count(nodes, "node", "nodes"),
        count(pods, "Pod", "Pods")
    )
}

/// The number of Pods that have ended, in short and in full.
pub fn ended(pods: usize) -> Option<(String, String)> {
    let have = count(pods, "Pod has", "Pods have");
    let they = if pods == 1 { "it takes" } else { "they take" };
    let full = format!("{have} ended (Succeeded or Failed): {they} no room.");
    (pods > 0).then(|| (format!(" · {} ended", number(pods)), full))
}

/// The label of the area for nodes without the label.
pub fn without(key: &str) -> String {
    format!("No {}", short_key(key))
}

/// The Pod that the scheduler takes next, or is scheduling.
pub fn next_pod(name: &str, is_now: bool) -> String {
    format!("{}: {name}", if is_now { "now" } else { "next" })
}

/// The number of an owner's Pods in a zone.
pub fn tally(pods: usize, owner: &str) -> String {
    format!("{} of {owner} here", count(pods, "Pod", "Pods"))
}

/// A node's accessible name: `node-c2, worker, us-east-1c, 1.75 of 4 CPU, 3 Pods, picked`.
pub fn node_name(node: &NodeFrame, group: Option<&str>, verdict: Option<&str>) -> String {
    let mut parts = vec![node.name.clone(), role(node)];
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

/// A node's roles, from its labels.
pub fn role(node: &NodeFrame) -> String {
    let labels = node.labels.keys();
    let roles = labels.filter_map(|key| key.strip_prefix("node-role.kubernetes.io/"));
    let roles: Vec<&str> = roles
        .filter(|role| !role.is_empty())
        .map(|role| match role {
            "control-plane" => CONTROL_PLANE,
            role => role,
        })
        .collect();
    if roles.is_empty() {
        WORKER.to_owned()
    } else {
        roles.join(", ")
    }
}

/// A node's own reasons, without kube-scheduler's leading `node(s)`.
pub fn reasons_in_short(reasons: &[String]) -> String {
    let reasons: Vec<&str> = reasons.iter().map(|reason| uncounted(reason)).collect();
    reasons.join(", ")
}

/// The accessible text of a node's total score.
pub fn scored(total: i64) -> String {
    format!("score {total}")
}

#[cfg(test)]
mod tests {
    use super::{ended, node_name, role, size};
    use berth_protocol::frame::{NodeFrame, ResourceFrame};

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
        let full = "1 Pod has ended (Succeeded or Failed): it takes no room.";
        assert_eq!(ended(1), Some((" · 1 ended".into(), full.into())));
        assert_eq!(ended(0), None);
    }

    #[test]
    fn a_node_has_the_roles_of_its_labels() {
        let mut node = NodeFrame::default();
        assert_eq!(role(&node), "worker");
        for name in ["master", "control-plane"] {
            let label = format!("node-role.kubernetes.io/{name}");
            node.labels.insert(label, String::new());
        }
        assert_eq!(role(&node), "control plane, master");
    }
}
