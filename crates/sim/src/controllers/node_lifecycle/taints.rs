//! Taints by node condition, and deprecated labels that mirror others.

use k8s_openapi::api::core::v1::{Node, Taint};

use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Store};
use berth_core::api::prepare::node_fit::{
    NOT_READY, UNREACHABLE, UNSCHEDULABLE, is_cordoned, taints,
};

/// Conditions, the status that taints the node, and the taint.
const BY_CONDITION: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    (
        "MemoryPressure",
        "True",
        "node.kubernetes.io/memory-pressure",
    ),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    (
        "NetworkUnavailable",
        "True",
        "node.kubernetes.io/network-unavailable",
    ),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// The condition and its status by which the controller sets a taint, and sets it again when it is removed by hand.
pub fn condition_of(taint: &str) -> Option<(&'static str, &'static str)> {
    let mut all = BY_CONDITION.into_iter();
    let (condition, status, _) = all.find(|(_, _, key)| *key == taint)?;
    Some((condition, status))
}

/// Labels and the deprecated labels with the same value.
const LABELS: [(&str, &str); 2] = [
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
];

/// Reconciles NoSchedule taints and deprecated labels (`doNoScheduleTaintingPass`, `reconcileNodeLabels`).
///
/// # Errors
/// If the node has changed since it was read.
pub(super) fn reconcile(name: &str, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(node) = cache.nodes.get(&Key::new("", name)) else {
        return Ok(());
    };
    let mut updated = (**node).clone();
    taint_by_conditions(&mut updated, api);
    copy_labels(&mut updated);
    if updated == **node {
        return Ok(());
    }
    api.update(updated).map(drop)
}

fn taint_by_conditions(node: &mut Node, api: &ApiServer) {
    let is_cordoned = is_cordoned(node);
    let status = node.status.iter();
    let conditions = status.flat_map(|status| status.conditions.iter().flatten());
    let conditions: Vec<(&str, &str)> = conditions
        .map(|it| (it.type_.as_str(), it.status.as_str()))
        .collect();
    // Taints of a manifest without conditions are kept.
    let judged = !conditions.is_empty();
    let mut wanted: Vec<&str> = Vec::new();
    for (kind, state) in &conditions {
        let found = BY_CONDITION
            .iter()
            .find(|it| (it.0, it.1) == (*kind, *state));
        wanted.extend(found.map(|it| it.2));
    }
    if is_cordoned {
        wanted.push(UNSCHEDULABLE);
    }
    let is_ours = |taint: &Taint| {
        let by_condition = judged && BY_CONDITION.iter().any(|it| it.2 == taint.key);
        taint.effect == "NoSchedule" && (by_condition || taint.key == UNSCHEDULABLE)
    };
    let before = node.spec.as_ref().and_then(|spec| spec.taints.clone());
    let before = before.unwrap_or_default();
    let mut taints = before.clone();
    taints.retain(|taint| !is_ours(taint) || wanted.contains(&taint.key.as_str()));
    for key in wanted {
        let is_there = |taint: &Taint| taint.key == key && taint.effect == "NoSchedule";
        if !taints.iter().any(is_there) {
            taints.push(taint(key, "NoSchedule", api));
        }
    }
    if taints != before {
        let spec = node.spec.get_or_insert_default();
        spec.taints = (!taints.is_empty()).then_some(taints);
    }
}

fn copy_labels(node: &mut Node) {
    let Some(labels) = &mut node.metadata.labels else {
        return;
    };
    for (from, to) in LABELS {
        if let Some(value) = labels.get(from).cloned() {
            labels.insert(to.to_owned(), value);
        }
    }
}

fn taint(key: &str, effect: &str, api: &ApiServer) -> Taint {
    Taint {
        key: key.to_owned(),
        effect: effect.to_owned(),
        time_added: Some(api.now()),
        value: None,
    }
}

/// Whether a node has the NoExecute taint with this key.
pub(super) fn has(node: &Node, key: &str) -> bool {
    taints(node).any(|taint| taint.key == key && taint.effect == "NoExecute")
}

/// Adds a NoExecute taint to the current version of a node and removes others.
pub(super) fn swap(name: &str, add: Option<&str>, remove: &[&str], api: &mut ApiServer) {
    let Some(node) = api.store().nodes.get(&Key::new("", name)) else {
        return;
    };
    let add = add.filter(|key| !has(node, key));
    if add.is_none() && !remove.iter().any(|key| has(node, key)) {
        return;
    }
    let mut node = (**node).clone();
    let spec = node.spec.get_or_insert_default();
    let mut taints = spec.taints.take().unwrap_or_default();
    taints.retain(|it| it.effect != "NoExecute" || !remove.contains(&it.key.as_str()));
    taints.extend(add.map(|key| taint(key, "NoExecute", api)));
    spec.taints = (!taints.is_empty()).then_some(taints);
    // The Node was just read, so the update cannot conflict.
    let _ = api.update(node);
}
