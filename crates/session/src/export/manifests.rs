//! Manifests to apply to any cluster: without what its server, its controllers and its kubelets make themselves.

use std::collections::BTreeSet;

use serde_json::Value;

use berth_core::api::kinds::Kind;
use berth_core::api::server_set::{PROVISIONED_BY, forget_server, is_dumped};

use super::documents::{self, File, Written};
use crate::session::Session;

/// What is applied.
pub const MANIFESTS: &str = "manifests.yaml";
/// What kubelets and drivers report.
pub const NODES: &str = "nodes.yaml";

/// The kinds that kubelets and drivers report.
const REPORTED: [Kind; 5] = [
    Kind::CSINode,
    Kind::CSIStorageCapacity,
    Kind::Node,
    Kind::ResourceSlice,
    Kind::VolumeAttachment,
];
/// The kinds that controllers make for others, if they came from a cluster.
const MADE: [Kind; 4] = [
    Kind::ControllerRevision,
    Kind::EndpointSlice,
    Kind::Endpoints,
    Kind::Lease,
];

/// What every namespace has.
const IN_EACH: [(Kind, &str); 2] = [
    (Kind::ConfigMap, "kube-root-ca.crt"),
    (Kind::ServiceAccount, "default"),
];

/// Files to apply, and what they lack.
pub struct Manifests {
    pub files: Vec<File>,
    /// Number of objects that the controllers of the new cluster make.
    pub made: usize,
    /// Number of Pods that have ended.
    pub ended: usize,
}

/// The files. Objects written by hand stay as they are.
pub fn export(session: &Session) -> Manifests {
    let mut objects = documents::objects(session);
    let uids = objects
        .iter()
        .map(|object| object.text("/metadata/uid").to_owned());
    let uids: BTreeSet<String> = uids.filter(|uid| !uid.is_empty()).collect();
    let provisioned = objects.iter().filter(|object| is_provisioned(object));
    let provisioned = provisioned.map(|object| object.text("/metadata/name").to_owned());
    let provisioned: BTreeSet<String> = provisioned.collect();
    let all = objects.len();
    objects.retain(|object| !is_made(object, &uids));
    let rest = objects.len();
    objects.retain(|object| !(is_dumped(&object.value) && object.has_ended()));
    let (made, ended) = (all - rest, rest - objects.len());
    for object in objects.iter_mut().filter(|object| is_dumped(&object.value)) {
        forget_server(&mut object.value);
        if provisioned.contains(object.text("/spec/volumeName"))
            && let Some(Value::Object(spec)) = object.value.get_mut("spec")
        {
            spec.shift_remove("volumeName");
        }
    }
    let (nodes, others): (Vec<Written>, Vec<Written>) = objects
        .into_iter()
        .partition(|object| REPORTED.contains(&object.kind));
    let files = [
        documents::scheduler(session),
        documents::file(NODES, &nodes),
        documents::file(MANIFESTS, &others),
    ];
    Manifests {
        files: files.into_iter().flatten().collect(),
        made,
        ended,
    }
}

/// Whether the controllers of a cluster make the object: for another one, for every namespace or Service, or for a claim.
fn is_made(object: &Written, uids: &BTreeSet<String>) -> bool {
    if !is_dumped(&object.value) {
        return false;
    }
    let is_owned = object.owners().any(|owner| {
        let is = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        let is_controller = owner.get("controller") == Some(&Value::Bool(true));
        // Static Pods come from the files of their node.
        (is_controller && uids.contains(is("uid")))
            || (object.kind == Kind::Pod && is("kind") == "Node")
    });
    let is_in_each = IN_EACH.contains(&(object.kind, object.text("/metadata/name")));
    is_owned || is_in_each || MADE.contains(&object.kind) || is_provisioned(object)
}

/// Whether a provisioner made the volume.
fn is_provisioned(object: &Written) -> bool {
    let annotations = object.value.pointer("/metadata/annotations");
    object.kind == Kind::PersistentVolume
        && is_dumped(&object.value)
        && annotations.is_some_and(|it| it.get(PROVISIONED_BY).is_some())
}
