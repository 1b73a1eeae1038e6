//! Renames a node.

use serde_json::json;

use super::{names_of, nodes, path};
use berth_core::api::load::{Document, Loaded};
use berth_core::api::object::Manifest;
use berth_protocol::edit::{Edit, EditError, ObjectRef};
use berth_protocol::remark::Remark;

/// The edits that rename a node. What says which node it is on or belongs to follows: the hostname label, Pods, the
/// CSINode and ResourceSlices. Rules that select the old name stay as written.
pub(super) fn edits(loaded: &Loaded, node: &str, name: &str) -> Result<Vec<Edit>, EditError> {
    if node == name {
        return Ok(Vec::new());
    }
    if names_of(loaded, "Node").any(|known| known == name) {
        return Err(EditError::new(
            Remark::exists("Node", format!("{name:?}")),
            Remark::another_name(),
        ));
    }
    let set = |object: ObjectRef, field: [&str; 2]| Edit::Set {
        object,
        path: path(field),
        value: json!(name),
    };
    let hostname = nodes::hostname(loaded, node)?;
    let mut edits = vec![set(ObjectRef::node(node), ["metadata", "name"])];
    if hostname.as_deref() == Some(node) {
        edits.push(nodes::label(name, nodes::HOSTNAME, Some(name)));
    }
    edits.extend(loaded.documents.iter().filter_map(|document| {
        let field = names_node(document, node)?;
        Some(set(document.reference(), field))
    }));
    Ok(edits)
}

/// The field of an object that says which node it is on or belongs to, if it is this one.
fn names_node(document: &Document, node: &str) -> Option<[&'static str; 2]> {
    let (name, field) = match document.object.as_deref()? {
        Manifest::Pod(pod) => (
            pod.spec.as_ref()?.node_name.as_deref(),
            ["spec", "nodeName"],
        ),
        Manifest::ResourceSlice(slice) => (slice.spec.node_name.as_deref(), ["spec", "nodeName"]),
        Manifest::CSINode(csi) => (csi.metadata.name.as_deref(), ["metadata", "name"]),
        _ => return None,
    };
    (name == Some(node)).then_some(field)
}
