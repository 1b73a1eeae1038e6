//! Whether a Pod may run on a node by labels, name and taints. Mirrors the rules of
//! `component-helpers` v1.34 that controllers and kubelets share with the scheduler.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Taint, Toleration,
};

use super::meta::name_of;
pub use super::nodes::UNSCHEDULABLE;
pub use super::tolerations::{NOT_READY, UNREACHABLE};
use berth_scheduler::selector::compiled::NodeTerms;

/// The field that pins a Pod to its node.
pub(crate) const NODE_NAME_FIELD: &str = "metadata.name";
/// Node conditions that daemons tolerate: the taint's key and effect.
const TOLERATED: [(&str, &str); 6] = [
    (NOT_READY, "NoExecute"),
    (UNREACHABLE, "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    (UNSCHEDULABLE, "NoSchedule"),
];
/// Tolerated only by daemons on the host's network.
const NETWORK_UNAVAILABLE: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

/// Whether a daemon may run on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemon {
    /// It should run there.
    ShouldRun,
    /// A running daemon may stay, but no new one is created.
    MayContinue,
    /// It must not run there.
    MustNotRun,
}

/// Adds the tolerations of daemons, replacing equal ones with a time limit.
pub fn add_daemon_tolerations(spec: &mut PodSpec) {
    let network = (spec.host_network == Some(true)).then_some(NETWORK_UNAVAILABLE);
    let tolerations = spec.tolerations.get_or_insert_default();
    for (key, effect) in TOLERATED.into_iter().chain(network) {
        let toleration = Toleration {
            key: Some(key.to_owned()),
            operator: Some("Exists".to_owned()),
            effect: Some(effect.to_owned()),
            ..Toleration::default()
        };
        // Equal except for the seconds: daemons stay indefinitely.
        let same = tolerations.iter_mut().find(|own| {
            let forever = Toleration {
                toleration_seconds: None,
                ..(*own).clone()
            };
            forever == toleration
        });
        match same {
            Some(same) => *same = toleration,
            None => tolerations.push(toleration),
        }
    }
}

/// Whether a daemon may run on the node (`NodeShouldRunDaemonPod`): by name, node selector, required
/// affinity, and NoSchedule and NoExecute taints.
pub fn daemon_fits(spec: &PodSpec, node: &Node) -> Daemon {
    if !selects(spec, node) {
        Daemon::MustNotRun
    } else if tolerates_all(spec, node, &["NoSchedule", "NoExecute"]) {
        Daemon::ShouldRun
    } else if tolerates_all(spec, node, &["NoExecute"]) {
        Daemon::MayContinue
    } else {
        Daemon::MustNotRun
    }
}

/// Whether a node accepts a new Pod: as above, and the node is not cordoned, or the Pod tolerates that.
pub fn accepts(spec: &PodSpec, node: &Node) -> bool {
    let taint = Taint {
        key: UNSCHEDULABLE.to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    let mut tolerations = spec.tolerations.iter().flatten();
    daemon_fits(spec, node) == Daemon::ShouldRun
        && (!is_cordoned(node) || tolerations.any(|own| tolerates(own, &taint)))
}

/// Whether a node is cordoned.
pub fn is_cordoned(node: &Node) -> bool {
    node.spec.as_ref().and_then(|spec| spec.unschedulable) == Some(true)
}

/// Whether a Pod selects the node: by name, node selector, and required affinity.
pub fn selects(spec: &PodSpec, node: &Node) -> bool {
    let given = spec.node_name.as_deref().unwrap_or_default();
    (given.is_empty() || given == name_of(&node.metadata)) && accepts_labels(spec, node)
}

/// Whether the Pod's node selector and required affinity accept the node, by its labels and its name.
pub fn accepts_labels(spec: &PodSpec, node: &Node) -> bool {
    let nothing = BTreeMap::new();
    let labels = node.metadata.labels.as_ref().unwrap_or(&nothing);
    let required = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| {
            affinity
                .required_during_scheduling_ignored_during_execution
                .as_ref()
        });
    let name = name_of(&node.metadata);
    let mut selector = spec.node_selector.iter().flatten();
    selector.all(|(key, value)| labels.get(key) == Some(value))
        && required.is_none_or(|required| NodeTerms::new(required).matches(labels, name))
}

/// Whether a Pod tolerates all taints of the node with one of these effects.
pub fn tolerates_all(spec: &PodSpec, node: &Node, effects: &[&str]) -> bool {
    taints(node)
        .filter(|taint| effects.contains(&taint.effect.as_str()))
        .all(|taint| {
            spec.tolerations
                .iter()
                .flatten()
                .any(|own| tolerates(own, taint))
        })
}

/// The node's taints.
pub fn taints(node: &Node) -> impl Iterator<Item = &Taint> {
    node.spec
        .iter()
        .flat_map(|spec| spec.taints.iter().flatten())
}

/// `Toleration.ToleratesTaint` of core/v1.
pub fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    fn text(field: &Option<String>) -> &str {
        field.as_deref().unwrap_or_default()
    }
    let (key, effect) = (text(&toleration.key), text(&toleration.effect));
    let fits =
        (effect.is_empty() || effect == taint.effect) && (key.is_empty() || key == taint.key);
    fits && match text(&toleration.operator) {
        "Exists" => true,
        "" | "Equal" => text(&toleration.value) == text(&taint.value),
        _ => false,
    }
}

/// Pins a Pod to its node; replaces the required node affinity, which the controller has evaluated.
pub fn pin_to(spec: &mut PodSpec, node: &str) {
    let affinity = spec
        .affinity
        .get_or_insert_default()
        .node_affinity
        .get_or_insert_default();
    affinity.required_during_scheduling_ignored_during_execution = Some(NodeSelector {
        node_selector_terms: vec![NodeSelectorTerm {
            match_fields: Some(vec![NodeSelectorRequirement {
                key: NODE_NAME_FIELD.to_owned(),
                operator: "In".to_owned(),
                values: Some(vec![node.to_owned()]),
            }]),
            match_expressions: None,
        }],
    });
}

/// The node that a Pod runs on or is pinned to (`GetTargetNodeName`).
pub fn target_node(spec: &PodSpec) -> Option<&str> {
    if let Some(node) = spec.node_name.as_deref().filter(|node| !node.is_empty()) {
        return Some(node);
    }
    let affinity = spec.affinity.as_ref()?.node_affinity.as_ref()?;
    let required = affinity
        .required_during_scheduling_ignored_during_execution
        .as_ref()?;
    required
        .node_selector_terms
        .iter()
        .flat_map(|term| term.match_fields.iter().flatten())
        .filter(|field| field.key == NODE_NAME_FIELD && field.operator == "In")
        .find_map(|field| match field.values.as_deref() {
            Some([node]) => Some(node.as_str()),
            _ => None,
        })
}
