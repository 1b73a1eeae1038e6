//! Nodes.

use k8s_openapi::api::core::v1::Node;

use super::Errors;
use super::field::Path;
use super::metadata::{Naming, object_meta};
use super::resources::resource_quantity;
use super::tolerations::taints;
use crate::api::rules;
use crate::base::json;

/// Validates a Node.
pub fn node(node: &Node, errors: &mut Errors) {
    object_meta(&node.metadata, Naming::Subdomain, errors);
    let listed = node
        .spec
        .as_ref()
        .and_then(|spec| spec.taints.as_deref())
        .unwrap_or_default();
    // The API server's path is `metadata`.
    let path = Path::root().child("metadata").child("taints");
    taints(&path, listed, errors);
    room(node, errors);
    if let Some(spec) = node.spec.as_ref().filter(|spec| spec.pod_cidrs.is_some()) {
        let path = Path::root().child("spec");
        rules::part("NodeSpec", &json::value(spec), &path, errors);
    }
}

/// Validates an update of a Node's status.
pub fn status(node: &Node, before: &Node, errors: &mut Errors) {
    let (new, old) = (node.status.as_ref(), before.status.as_ref());
    // Most updates concern conditions and heartbeats.
    let same = new.zip(old).is_some_and(|(new, old)| {
        new.capacity == old.capacity && new.allocatable == old.allocatable
    });
    if !same {
        room(node, errors);
    }
}

fn room(node: &Node, errors: &mut Errors) {
    let Some(status) = &node.status else { return };
    let path = Path::root().child("status");
    for (field, list) in [
        ("capacity", &status.capacity),
        ("allocatable", &status.allocatable),
    ] {
        for (name, quantity) in list.iter().flatten() {
            resource_quantity(&path.child(field).child(name), name, &quantity.0, errors);
        }
    }
}
