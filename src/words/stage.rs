//! Text of the stage.

use berth_words::{counted, say, text};

use super::language::comma;
use super::{CONTROL_PLANE, CORDONED, Text, WORKER, amount, domain, uncounted};
use berth_protocol::frame::NodeFrame;

pub const NODE_NAME: Text = text!("Name | of a node");
pub const GROUP_BY: Text = text!("Group by");
pub const ZOOM_OUT: Text = text!("Zoom out");
pub const ZOOM_IN: Text = text!("Zoom in");
pub const FEASIBLE: Text = text!("feasible");
pub const REJECTED: Text = text!("rejected");
pub const FEASIBLE_SO_FAR: Text = text!("feasible so far");
pub const DEPTH: Text = text!("CPU requested of allocatable");
pub const BY_DEPTH: Text = text!("Nodes by CPU requested");
pub const BY_DEPTH_MEANS: Text = text!(
    "A bar for every 10 % of CPU requested: the higher, the more nodes. Empty nodes are at the left, full ones at the right."
);
pub const NO_POOL: Text = text!("in no pool");
pub const NO_LABEL: Text = text!("Nodes without the label");
pub const NO_LABEL_MEANS: Text = text!("A spread over it cannot count them.");
pub const FAR_KEYS: Text = text!(
    "Arrows move between nodes, with Shift they pan the map; plus and minus zoom, Enter opens the card."
);

/// What cards leave out of the names of nodes.
pub fn names_end(domain: &str) -> String {
    say!("The names of all nodes end in {domain}")
}

/// The number of labels that do not fit on a card.
pub fn more_labels(number: usize) -> String {
    counted!(number, "{number} more label", "{number} more labels")
}

/// The cluster's size.
pub fn size(nodes: usize, pods: usize) -> String {
    format!("{} · {}", super::nodes(nodes), super::pods(pods))
}

/// The number of Pods that have ended, in short and in full.
pub fn ended(pods: usize) -> Option<(String, String)> {
    let full = || {
        counted!(
            pods,
            "{pods} Pod has ended (Succeeded or Failed): it takes no room.",
            "{pods} Pods have ended (Succeeded or Failed): they take no room."
        )
    };
    let ended = || counted!(pods, "{pods} ended", "{pods} ended");
    (pods > 0).then(|| (format!(" · {}", ended()), full()))
}

/// The label of the area for nodes without the label.
pub fn without(key: &str) -> String {
    say!("No {label}", label = domain(key))
}

/// The label of the field for another domain.
pub fn new_domain(key: &str) -> String {
    say!("new {label}", label = domain(key))
}

/// The Pod that the scheduler takes next, or is scheduling.
pub fn next_pod(name: &str, is_now: bool) -> String {
    if is_now {
        say!("now: {name}")
    } else {
        say!("next: {name}")
    }
}

/// The number of an owner's Pods in a zone.
pub fn tally(pods: usize, owner: &str) -> String {
    counted!(
        pods,
        "{pods} Pod of {owner} here",
        "{pods} Pods of {owner} here"
    )
}

/// A node's accessible name: `node-c2, worker, us-east-1c, 1.75 of 4 CPU, 3 Pods, picked`.
pub fn node_name(node: &NodeFrame, group: Option<&str>, verdict: Option<&str>) -> String {
    let mut parts = vec![node.name.clone(), role(node)];
    parts.extend(group.map(str::to_owned));
    if node.unschedulable {
        parts.push(CORDONED.to_owned());
    }
    if let Some(cpu) = node.resources.first() {
        parts.push(say!(
            "{requested} of {allocatable} CPU",
            requested = amount("cpu", cpu.requested),
            allocatable = amount("cpu", cpu.allocatable)
        ));
    }
    parts.push(super::pods(node.pods.len()));
    if node.devices.is_some() {
        parts.extend(super::docks::all_taken(node));
    }
    parts.extend(verdict.map(str::to_owned));
    parts.join(comma())
}

/// A node's roles, from its labels.
pub fn role(node: &NodeFrame) -> String {
    let roles = node
        .labels
        .keys()
        .filter_map(|key| key.strip_prefix("node-role.kubernetes.io/"));
    let roles: Vec<&str> = roles
        .filter(|role| !role.is_empty())
        .map(|role| match role {
            "control-plane" => CONTROL_PLANE.get(),
            role => role,
        })
        .collect();
    if roles.is_empty() {
        WORKER.to_owned()
    } else {
        roles.join(comma())
    }
}

/// A node's own reasons, without kube-scheduler's leading `node(s)`.
pub fn reasons_in_short(reasons: &[String]) -> String {
    let reasons: Vec<&str> = reasons.iter().map(|reason| uncounted(reason)).collect();
    reasons.join(comma())
}

/// The accessible text of a node's total score.
pub fn scored(total: i64) -> String {
    say!("score {total}")
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
