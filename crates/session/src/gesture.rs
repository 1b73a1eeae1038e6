//! Translates gestures into edits of the manifests, validated as by the API server.

mod devices;
mod nodes;
mod pods;
mod rename;
mod scheduler;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use berth_core::api::edit::{self, Edited};
use berth_core::api::kinds::Kind;
use berth_core::api::load::{Loaded, read_object};
use berth_core::api::problem::Severity;
use berth_core::api::validation::validate;
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};
use berth_protocol::gesture::Gesture;
use berth_protocol::remark::Remark;
use berth_scheduler::release::Release;

/// The edits for a gesture.
///
/// # Errors
/// If it refers to something that does not exist, or makes no sense. [`checked`] validates the resulting objects.
pub fn edits(
    loaded: &Loaded,
    release: &Release,
    gesture: &Gesture,
) -> Result<Vec<Edit>, EditError> {
    match gesture {
        Gesture::AddNodes {
            template,
            count,
            topology,
        } => nodes::add(loaded, template, *count, topology.as_ref()),
        Gesture::MoveNodes {
            nodes,
            topology_key,
            value,
        } => Ok(nodes
            .iter()
            .map(|node| nodes::label(node, topology_key, value.as_deref()))
            .collect()),
        Gesture::SetLabel { node, key, value } => Ok(vec![nodes::label(node, key, Some(value))]),
        Gesture::RemoveLabel { node, key } => Ok(vec![nodes::label(node, key, None)]),
        Gesture::SetTaint { node, old, taint } => nodes::set_taint(loaded, node, *old, taint),
        Gesture::RemoveTaint { node, index } => nodes::remove_taint(loaded, node, *index),
        Gesture::SetAllocatable {
            node,
            resource,
            quantity,
        } => nodes::set_allocatable(loaded, node, resource, quantity),
        Gesture::Cordon { nodes } => Ok(nodes.iter().map(|node| nodes::cordon(node)).collect()),
        Gesture::Uncordon { nodes } => {
            let edits = nodes.iter().map(|node| nodes::uncordon(loaded, node));
            Ok(edits.collect::<Result<Vec<_>, _>>()?.concat())
        }
        // Which Pods are evicted depends on the run: see [`crate::drain`].
        Gesture::Drain { node } => Ok(vec![nodes::cordon(node)]),
        Gesture::Delete { objects } => {
            let deleted = objects.iter().map(|object| Edit::Delete {
                object: object.clone(),
            });
            let slices = devices::slices_of(loaded, objects);
            Ok(deleted.chain(slices).collect())
        }
        Gesture::AddPod {
            name,
            namespace,
            pod,
        } => pods::add_pod(loaded, name.as_deref(), namespace, pod),
        Gesture::AddDeployment {
            name,
            namespace,
            replicas,
            pod,
        } => pods::add_deployment(loaded, name.as_deref(), namespace, *replicas, pod),
        Gesture::SetReplicas { object, replicas } => set_replicas(object, *replicas),
        Gesture::Scheduler(change) => scheduler::edits(loaded, release, change),
        Gesture::RenameNode { node, name } => rename::edits(loaded, node, name),
    }
}

/// Applies edits, and refuses them with the API server's message if they make an object invalid. Errors that an object
/// had before do not count.
///
/// # Errors
/// As [`edit::apply`], and the first error that the API server would report.
pub fn checked(loaded: &Loaded, edits: &[Edit]) -> Result<Edited, EditError> {
    let edited = edit::apply(loaded, edits)?;
    for (old, new) in &edited.objects {
        let before = old.as_ref().map(errors).unwrap_or_default();
        let mut errors = errors(new).into_iter();
        if let Some((message, help)) = errors.find(|error| !before.contains(error)) {
            return Err(EditError::new(message, help));
        }
    }
    Ok(edited)
}

/// All errors for which the API server would refuse an object, with advice.
fn errors(value: &Value) -> Vec<(Remark, Remark)> {
    let (object, findings) = read_object(value);
    let shown = |path: &str, message: Remark| match path {
        "" => message,
        path => Remark::at_field(path, message),
    };
    let decoding = findings
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| (shown(&finding.path, finding.message), finding.help));
    let invalid = object
        .iter()
        .flat_map(validate)
        .map(|error| (shown(&error.path, error.message.into()), error.help));
    decoding.chain(invalid).collect()
}

fn set_replicas(object: &ObjectRef, replicas: u32) -> Result<Vec<Edit>, EditError> {
    if !Kind::of_name(&object.kind).is_some_and(|kind| kind.info().scales) {
        return Err(EditError::new(
            Remark::no_replicas(&object.kind),
            Remark::scalable(),
        ));
    }
    Ok(vec![Edit::Set {
        object: object.clone(),
        path: path(["spec", "replicas"]),
        value: json!(replicas),
    }])
}

fn path<const N: usize>(keys: [&str; N]) -> Vec<PathStep> {
    keys.into_iter()
        .map(|key| PathStep::Key(key.to_owned()))
        .collect()
}

/// The names of the existing objects of a kind.
fn names_of<'l>(loaded: &'l Loaded, kind: &'l str) -> impl Iterator<Item = &'l str> {
    let documents = loaded
        .documents
        .iter()
        .filter(move |document| document.kind == kind);
    documents.map(|document| document.name.as_str())
}

/// Splits a name before its trailing digits: `node-a3` is `node-a` and 3.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.get(stem.len()..)?.parse().ok()?;
    Some((stem, number))
}

/// The number after the highest number of a name with this stem.
fn next_number<'n>(names: impl Iterator<Item = &'n str>, stem: &str) -> u64 {
    let numbers = names.filter_map(numbered);
    let own = numbers.filter(|(own, _)| *own == stem);
    own.map(|(_, number)| number)
        .max()
        .map_or(1, |last| last.saturating_add(1))
}
