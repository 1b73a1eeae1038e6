//! Steps that change one workload, Pod or node, most of them like a `kubectl` command.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::api::decode::{Finding, decode};

/// One operation. A step has at most one.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A manifest.
    Apply(Value),
    Delete(Target),
    Scale(Scale),
    SetImage(SetImage),
    Pause(Target),
    Resume(Target),
    Undo(Undo),
    Patch(Patch),
    DeletePod(PodTarget),
    SetReady(PodTarget),
    AnnotatePod(PodTarget),
    /// A node: `name` with optional `labels` and `taints`, or a manifest.
    AddNode(Value),
    RemoveNode(Target),
    TaintNode(TaintNode),
    LabelNode(LabelNode),
}

/// The fields of a step that hold an [`Operation`].
pub(super) const OPERATIONS: [&str; 15] = [
    "apply",
    "delete",
    "scale",
    "setImage",
    "pause",
    "resume",
    "undo",
    "patch",
    "deletePod",
    "setReady",
    "annotatePod",
    "addNode",
    "removeNode",
    "taintNode",
    "labelNode",
];

impl Operation {
    /// Reads the value of one of the fields [`OPERATIONS`]; `None` if it is invalid. The findings' paths are
    /// relative to the value.
    pub(super) fn read(verb: &str, value: &Value) -> (Option<Operation>, Vec<Finding>) {
        match verb {
            "apply" => (Some(Operation::Apply(value.clone())), Vec::new()),
            "delete" => decoded(value, Operation::Delete),
            "scale" => decoded(value, Operation::Scale),
            "setImage" => decoded(value, Operation::SetImage),
            "pause" => decoded(value, Operation::Pause),
            "resume" => decoded(value, Operation::Resume),
            "undo" => decoded(value, Operation::Undo),
            "patch" => decoded(value, Operation::Patch),
            "deletePod" => decoded(value, Operation::DeletePod),
            "setReady" => decoded(value, Operation::SetReady),
            "annotatePod" => decoded(value, Operation::AnnotatePod),
            "addNode" => (Some(Operation::AddNode(value.clone())), Vec::new()),
            "removeNode" => decoded(value, Operation::RemoveNode),
            "taintNode" => decoded(value, Operation::TaintNode),
            "labelNode" => decoded(value, Operation::LabelNode),
            _ => (None, Vec::new()),
        }
    }
}

fn decoded<T: for<'de> Deserialize<'de>>(
    value: &Value,
    operation: fn(T) -> Operation,
) -> (Option<Operation>, Vec<Finding>) {
    let (read, findings) = decode::<T>(value);
    (read.map(|read| operation(*read)), findings)
}

/// An object; a Deployment if `kind` is absent. Nodes have no kind.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Target {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scale {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    pub replicas: i32,
}

/// Sets the image of the first container.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetImage {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    pub image: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Undo {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    /// 0 means the revision before the current one.
    pub to_revision: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Patch {
    pub kind: Option<String>,
    pub namespace: Option<String>,
    pub name: String,
    /// A JSON merge patch.
    pub patch: Value,
}

/// A Pod: by name, or the `index`-th in order of creation among those that match a selector and are not being
/// deleted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTarget {
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub selector: Option<BTreeMap<String, String>>,
    pub index: usize,
    /// For `setReady`.
    pub ready: Option<bool>,
    /// For `annotatePod`; `null` removes an annotation.
    pub annotations: Option<BTreeMap<String, Option<String>>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaintNode {
    pub name: String,
    /// Replaces all taints of the node.
    pub taints: Vec<Value>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelNode {
    pub name: String,
    /// `null` removes a label.
    pub labels: BTreeMap<String, Option<String>>,
}
