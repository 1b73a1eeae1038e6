//! Replaces objects of a simulated cluster whose fields are immutable, or whose update changes no existing Pod: deletes
//! and recreates them, as `kubectl replace --force` does.

use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::fix::Candidate;

use super::fields::key;

/// Adds the replacements that the edits of candidates need to take effect. Where a rolling update may get stuck,
/// another candidate of the same group replaces the workload; at most `limit` candidates in total.
pub fn complete(candidates: &mut Vec<Candidate>, limit: usize) {
    for candidate in &mut *candidates {
        replace(&mut candidate.edits, needs_replacement);
    }
    let mut more: Vec<Candidate> = Vec::new();
    for candidate in &*candidates {
        let mut replacing = candidate.clone();
        replace(&mut replacing.edits, may_need_replacement);
        if replacing != *candidate && candidates.len() + more.len() < limit {
            more.push(replacing);
        }
    }
    candidates.extend(more);
}

/// Replaces the objects with an edited field for which `is_meant` is true.
fn replace(edits: &mut Vec<Edit>, is_meant: fn(&str, &[PathStep]) -> bool) {
    let mut replaced: Vec<ObjectRef> = Vec::new();
    for edit in edits.iter() {
        let (object, is_replaced) = match edit {
            Edit::Set { object, path, .. } | Edit::Remove { object, path } => {
                (object, is_meant(&object.kind, path))
            }
            // Tolerations may be added to a Pod.
            Edit::Append { object, path, .. } => {
                let is_allowed =
                    object.kind == "Pod" && **path == [key("spec"), key("tolerations")];
                (object, !is_allowed && is_meant(&object.kind, path))
            }
            Edit::Create { .. } | Edit::Delete { .. } | Edit::Replace { .. } => continue,
        };
        if is_replaced && !replaced.contains(object) {
            replaced.push(object.clone());
        }
    }
    edits.extend(replaced.into_iter().map(|object| Edit::Replace { object }));
}

/// A Pod's spec and a Job's template are immutable. ReplicaSets and ReplicationControllers use a changed template for
/// new Pods only.
fn needs_replacement(kind: &str, path: &[PathStep]) -> bool {
    match kind {
        "Pod" => path.starts_with(&[key("spec")]),
        "Job" | "ReplicaSet" | "ReplicationController" => {
            path.starts_with(&[key("spec"), key("template")])
        }
        _ => false,
    }
}

/// A rolling update waits while Pods of the old template are not ready, or leave no room.
fn may_need_replacement(kind: &str, path: &[PathStep]) -> bool {
    matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet")
        && path.starts_with(&[key("spec"), key("template")])
}
