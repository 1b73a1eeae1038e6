//! Nodes.

use k8s_openapi::api::core::v1::Node;

use super::Errors;
use super::metadata::{Naming, object_meta};
use super::resources::resource_quantity;
use super::tolerations::taints;
use crate::api::rules;
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};

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
    features(node, errors);
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
    if new.map(|it| &it.declared_features) != old.map(|it| &it.declared_features) {
        features(node, errors);
    }
}

/// Validates an update of a Node.
pub fn update(node: &Node, before: &Node, errors: &mut Errors) {
    let provider = |node: &Node| {
        let id = node.spec.as_ref().and_then(|spec| spec.provider_id.clone());
        id.unwrap_or_default()
    };
    let old = provider(before);
    if !old.is_empty() && provider(node) != old {
        let path = Path::root().child("spec").child("providerID");
        let detail = "node updates may not change providerID except from \"\" to valid";
        errors.push(FieldError::forbidden(&path, detail));
    }
}

/// `validateNodeDeclaredFeatures`.
fn features(node: &Node, errors: &mut Errors) {
    let names = node
        .status
        .as_ref()
        .and_then(|it| it.declared_features.as_ref());
    let path = Path::root().child("status").child("declaredFeatures");
    let mut before: Option<&String> = None;
    for (place, name) in names.into_iter().flatten().enumerate() {
        let path = path.index(place);
        match before {
            Some(last) if last == name => errors.push(FieldError::duplicate(&path, name.as_str())),
            Some(last) if last > name => {
                let detail = "list must be sorted alphabetically";
                errors.push(FieldError::invalid(&path, name.as_str(), detail));
            }
            _ => {}
        }
        if !is_feature(name) {
            let detail = format!(
                "invalid feature name {name:?}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
            );
            errors.push(FieldError::invalid(&path, name.as_str(), &detail));
        }
        before = Some(name);
    }
}

fn is_feature(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_alphanumeric());
    name.starts_with(|letter: char| letter.is_ascii_uppercase()) && name.split('/').all(is_word)
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
