//! Replaces objects of a simulated cluster that the API server does not let be updated, or whose update changes no
//! existing Pod: deletes and recreates them, as `kubectl replace --force` does.

use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::fix::Candidate;

use super::fields::key;

/// Adds the replacements that the edits of candidates need to reach existing Pods. Where a rolling update may get stuck,
/// another candidate of the same group replaces the workload; at most `limit` candidates in total.
pub fn complete(candidates: &mut Vec<Candidate>, limit: usize) {
    for candidate in &mut *candidates {
        replace_edited(&mut candidate.edits, has_no_rollout);
    }
    let mut more: Vec<Candidate> = Vec::new();
    for candidate in &*candidates {
        let mut replacing = candidate.clone();
        replace_edited(&mut replacing.edits, may_get_stuck);
        if replacing != *candidate && candidates.len() + more.len() < limit {
            more.push(replacing);
        }
    }
    candidates.extend(more);
}

/// Replaces these objects after the other edits, unless that is among the edits. Returns whether it was not.
pub fn replace(edits: &mut Vec<Edit>, objects: impl IntoIterator<Item = ObjectRef>) -> bool {
    let before = edits.len();
    for object in objects {
        let replaced = Edit::Replace { object };
        if !edits.contains(&replaced) {
            edits.push(replaced);
        }
    }
    edits.len() > before
}

/// Replaces the workloads of this kind with an edited template.
fn replace_edited(edits: &mut Vec<Edit>, is_meant: fn(&str) -> bool) {
    let objects = edits.iter().filter_map(|edit| match edit {
        Edit::Set { object, path, .. }
        | Edit::Remove { object, path }
        | Edit::Append { object, path, .. } => {
            (is_meant(&object.kind) && is_template(path)).then(|| object.clone())
        }
        Edit::Create { .. } | Edit::Delete { .. } | Edit::Replace { .. } => None,
    });
    let objects: Vec<ObjectRef> = objects.collect();
    replace(edits, objects);
}

fn is_template(path: &[PathStep]) -> bool {
    path.starts_with(&[key("spec"), key("template")])
}

/// They use a changed template for new Pods only.
fn has_no_rollout(kind: &str) -> bool {
    matches!(kind, "ReplicaSet" | "ReplicationController")
}

/// A rolling update waits while Pods of the old template are not ready, or leave no room.
fn may_get_stuck(kind: &str) -> bool {
    matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet")
}
