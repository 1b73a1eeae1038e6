//! The annotations that a Deployment writes on its ReplicaSets: their revision, and the replica counts at the last
//! scaling.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::ReplicaSet;

pub(crate) const REVISION: &str = "deployment.kubernetes.io/revision";
pub(crate) const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(crate) const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
pub(crate) const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";

/// Annotations that are not copied between a Deployment and its ReplicaSets.
pub(crate) const OWN: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    "deprecated.deployment.rollback.to",
];

/// The maximum length of the revision history, in bytes.
const MAX_HISTORY: usize = 2_000;

/// The revision of a ReplicaSet; 0 if it has none.
pub(crate) fn revision(set: &ReplicaSet) -> i64 {
    let text = text(set, REVISION);
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The value of a numeric annotation.
pub(super) fn number(set: &ReplicaSet, key: &str) -> Option<i32> {
    text(set, key)?.parse().ok()
}

fn text<'a>(set: &'a ReplicaSet, key: &str) -> Option<&'a str> {
    let annotations = set.metadata.annotations.as_ref()?;
    annotations.get(key).map(String::as_str)
}

/// Copies a Deployment's annotations, and raises the revision if it is lower; the former revision joins the history.
/// Returns whether anything changed.
pub(super) fn follow(
    set: &mut ReplicaSet,
    of_deployment: Option<&BTreeMap<String, String>>,
    revision: i64,
) -> bool {
    let annotations = set.metadata.annotations.get_or_insert_default();
    let mut changed = false;
    let copied = of_deployment.into_iter().flatten();
    for (key, value) in copied.filter(|(key, _)| !OWN.contains(&key.as_str())) {
        changed |= put(annotations, key, value.clone());
    }
    let old = annotations.get(REVISION).cloned();
    let old_number = match old.as_deref() {
        None | Some("") => 0,
        // An invalid revision is kept, and nothing else is changed.
        Some(text) => match text.parse::<i64>() {
            Ok(number) => number,
            Err(_) => return false,
        },
    };
    if old_number < revision {
        annotations.insert(REVISION.to_owned(), revision.to_string());
        changed = true;
        if let Some(old) = old {
            remember(annotations, &old);
        }
    }
    changed
}

/// Appends a former revision, and drops the oldest ones if the history gets too long.
fn remember(annotations: &mut BTreeMap<String, String>, old: &str) {
    let history = annotations.entry(REVISION_HISTORY.to_owned()).or_default();
    if history.is_empty() {
        *history = old.to_owned();
        return;
    }
    let mut rest = history.as_str();
    while rest.len() + old.len() + 1 > MAX_HISTORY {
        match rest.split_once(',') {
            Some((_, later)) => rest = later,
            None => return,
        }
    }
    *history = format!("{rest},{old}");
}

/// Records the desired and the maximum number of replicas of the Deployment. Returns whether anything changed.
pub(super) fn note_replicas(set: &mut ReplicaSet, desired: i32, most: i32) -> bool {
    let annotations = set.metadata.annotations.get_or_insert_default();
    let desired = put(annotations, DESIRED_REPLICAS, desired.to_string());
    put(annotations, MAX_REPLICAS, most.to_string()) || desired
}

fn put(annotations: &mut BTreeMap<String, String>, key: &str, value: String) -> bool {
    if annotations.get(key) == Some(&value) {
        return false;
    }
    annotations.insert(key.to_owned(), value);
    true
}
