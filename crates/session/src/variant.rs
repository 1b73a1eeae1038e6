//! Variants of a scenario, to compare it with: manifests merged in, nodes removed.

use std::collections::BTreeSet;

use berth_core::api::edit::{document, object_of};
use berth_core::api::load::Loaded;
use berth_core::api::source::SourceFile;
use berth_core::api::yaml;
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};
use berth_protocol::gesture::Gesture;
use berth_protocol::remark::Remark;
use berth_scheduler::selector;
use serde_json::Value;

use super::delivery::Delivery;
use super::gesture;
use crate::edit;
use crate::session::Session;

/// Fields that identify the object of a manifest.
const IDENTITY: [&str; 4] = [
    "/apiVersion",
    "/kind",
    "/metadata/name",
    "/metadata/namespace",
];

/// Merges manifests into the objects that they name, as `kubectl patch --type=merge` does (RFC 7386: mappings are
/// merged, `null` removes a field, anything else replaces it), and adds those that do not exist yet.
///
/// # Errors
/// If the file cannot be read as YAML; as [`crate::edit::make`].
pub fn merge(session: &mut Session, file: &SourceFile) -> Result<(), EditError> {
    let mut edits = Vec::new();
    for chunk in yaml::documents(&file.text) {
        let text = file.text.get(chunk.range).unwrap_or_default();
        let parsed = yaml::parse(text).map_err(|error| EditError {
            file: file.name.clone(),
            line: chunk.start.line + error.position.line - 1,
            message: error.message,
            help: error.help,
        })?;
        merged(&edit::editable(session), &parsed.value, &mut edits);
    }
    edit::make(session, &edits).map(drop)
}

/// Removes the nodes that match a label selector, as a cluster does whose node pool is deleted: their Pods wait
/// again if they have an owner, and are gone with the node if they have none or belong to a DaemonSet. The text of the
/// files stays as it is. Returns the nodes' names.
///
/// # Errors
/// If the selector is malformed or matches no node; as [`crate::edit::make`].
pub fn remove_nodes(session: &mut Session, labels: &str) -> Result<Vec<String>, EditError> {
    let nodes = nodes_with(session, labels)?;
    let objects = nodes.iter().map(ObjectRef::node).collect();
    let release = &session.manifests().prepared.release;
    let edits = gesture::edits(
        &edit::editable(session),
        release,
        &Gesture::Delete { objects },
    )?;
    // Editing the text of a large dump would take far longer, and nobody reads it.
    let loaded = edit::objects_after(session, &edits)?;
    edit::deliver(session, loaded, Delivery::of(&edits))?;
    Ok(nodes.into_iter().collect())
}

/// The names of the nodes that match a label selector.
///
/// # Errors
/// If the selector is malformed or matches no node.
pub fn nodes_with(session: &Session, labels: &str) -> Result<BTreeSet<String>, EditError> {
    let parsed = berth_kubectl::parse_labels(labels);
    let parsed =
        parsed.map_err(|why| EditError::new(Remark::quoted(why), Remark::selector_as_kubectl()))?;
    let cluster = session.run().cluster();
    let nodes = cluster
        .nodes()
        .filter(|node| selector::matches(&parsed, &node.labels));
    let nodes: BTreeSet<String> = nodes.map(|node| node.name.to_string()).collect();
    if nodes.is_empty() {
        return Err(EditError::new(
            Remark::no_node_matches(format!("\"{labels}\"")),
            Remark::see_labels(),
        ));
    }
    Ok(nodes)
}

/// The edits that merge a manifest into the object that it names.
fn merged(loaded: &Loaded, manifest: &Value, edits: &mut Vec<Edit>) {
    let create = Edit::Create {
        manifest: manifest.clone(),
    };
    match object_of(&create).filter(|object| document(loaded, object).is_some()) {
        Some(object) => merge_fields(&object, manifest, &mut Vec::new(), edits),
        None => edits.push(create),
    }
}

fn merge_fields(
    object: &ObjectRef,
    value: &Value,
    path: &mut Vec<PathStep>,
    edits: &mut Vec<Edit>,
) {
    if IDENTITY.contains(&pointer(path).as_str()) {
        return;
    }
    match value {
        Value::Object(fields) if path.is_empty() || !fields.is_empty() => {
            for (key, value) in fields {
                path.push(PathStep::Key(key.clone()));
                merge_fields(object, value, path, edits);
                path.pop();
            }
        }
        Value::Null => edits.push(Edit::Remove {
            object: object.clone(),
            path: path.clone(),
        }),
        value => edits.push(Edit::Set {
            object: object.clone(),
            path: path.clone(),
            value: value.clone(),
        }),
    }
}

fn pointer(path: &[PathStep]) -> String {
    let steps = path.iter().map(|step| match step {
        PathStep::Key(key) => format!("/{key}"),
        PathStep::Index(index) => format!("/{index}"),
    });
    steps.collect()
}
