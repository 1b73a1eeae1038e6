//! Files for KWOK, whose clusters have the real kube-scheduler and nodes without machines.
//!
//! `kwokctl snapshot restore` takes a list of kinds; the others are applied. It creates an object with owners once those
//! of the same uid exist, and skips it if one of them is not in the file.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use berth_core::api::kinds::Kind;
use berth_core::api::server_set::{forget_server, make_restorable};
use berth_core::api::yaml;

use super::documents::{self, File, SCHEDULER, Written};
use crate::pairing::feature_gates;
use crate::session::Session;

/// The configuration of the cluster.
pub const CONFIGURATION: &str = "kwok.yaml";
/// What is applied before.
pub const APPLIED: &str = "more.yaml";
/// What is restored.
pub const RESTORED: &str = "cluster.yaml";

/// The kinds that `kwokctl snapshot restore` takes.
const TAKEN: [Kind; 23] = [
    Kind::ClusterRole,
    Kind::ClusterRoleBinding,
    Kind::ConfigMap,
    Kind::CronJob,
    Kind::DaemonSet,
    Kind::Deployment,
    Kind::Endpoints,
    Kind::Job,
    Kind::LimitRange,
    Kind::Namespace,
    Kind::Node,
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::Pod,
    Kind::PriorityClass,
    Kind::ReplicaSet,
    Kind::Role,
    Kind::RoleBinding,
    Kind::RuntimeClass,
    Kind::Secret,
    Kind::Service,
    Kind::ServiceAccount,
    Kind::StatefulSet,
];

/// Files for KWOK, and what they lack.
pub struct Kwok {
    /// In the order in which they are used.
    pub files: Vec<File>,
    /// Number of Pods that have ended: they take no room, and kwok would run them again.
    pub ended: usize,
    /// Number of objects that lose an owner which is not among the manifests.
    pub orphans: usize,
    /// Number of ResourceClaims whose allocation no server takes from a manifest.
    pub allocated: usize,
}

/// The files.
pub fn export(session: &Session) -> Kwok {
    let mut objects = documents::objects(session);
    let before = objects.len();
    objects.retain(|object| !object.has_ended());
    let ended = before - objects.len();
    // What is applied needs its namespaces before.
    let others = objects
        .iter()
        .filter(|object| !TAKEN.contains(&object.kind));
    let needed: BTreeSet<String> = others.map(|object| object.namespace.clone()).collect();
    let is_applied = |object: &Written| match object.kind {
        Kind::Namespace => needed.contains(object.text("/metadata/name")),
        kind => !TAKEN.contains(&kind),
    };
    let (mut applied, mut restored): (Vec<Written>, Vec<Written>) =
        objects.into_iter().partition(is_applied);
    restored.iter_mut().for_each(make_ready);
    let orphans = drop_missing_owners(&mut restored);
    let is_allocated = |object: &&Written| object.value.pointer("/status/allocation").is_some();
    let allocated = applied.iter().filter(is_allocated).count();
    for object in &mut applied {
        forget_server(&mut object.value);
    }
    let scheduler = documents::scheduler(session);
    let configuration = configuration(session, scheduler.is_some());
    let files = [
        Some((CONFIGURATION.to_owned(), yaml::emit(&configuration))),
        scheduler,
        documents::file(APPLIED, &applied),
        documents::file(RESTORED, &restored),
    ];
    Kwok {
        files: files.into_iter().flatten().collect(),
        ended,
        orphans,
        allocated,
    }
}

/// Makes an object ready to be restored: it names its namespace, and only a Pod that has a node has a status.
fn make_ready(object: &mut Written) {
    make_restorable(&mut object.value);
    if let (false, Some(Value::Object(metadata))) = (
        object.namespace.is_empty(),
        object.value.get_mut("metadata"),
    ) {
        let namespace = || object.namespace.as_str().into();
        metadata.entry("namespace").or_insert_with(namespace);
    }
    if object.kind == Kind::Pod
        && object.text("/spec/nodeName").is_empty()
        && let Some(fields) = object.value.as_object_mut()
    {
        fields.shift_remove("status");
    }
}

/// Removes owners that are not among the objects. Returns the number of objects that had one.
fn drop_missing_owners(objects: &mut [Written]) -> usize {
    let of = |value: &Value, pointer: &str| {
        let text = value.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let key = |value: &Value, [name, uid]: [&str; 2]| {
        [
            of(value, "/apiVersion"),
            of(value, "/kind"),
            of(value, name),
            of(value, uid),
        ]
    };
    let there = objects
        .iter()
        .map(|object| key(&object.value, ["/metadata/name", "/metadata/uid"]));
    let there: BTreeSet<[String; 4]> = there.collect();
    let mut orphans = 0;
    for object in objects {
        let Some(Value::Object(metadata)) = object.value.get_mut("metadata") else {
            continue;
        };
        let Some(Value::Array(owners)) = metadata.get_mut("ownerReferences") else {
            continue;
        };
        let before = owners.len();
        owners.retain(|owner| there.contains(&key(owner, ["/name", "/uid"])));
        orphans += usize::from(owners.len() < before);
        if owners.is_empty() {
            metadata.shift_remove("ownerReferences");
        }
    }
    orphans
}

/// The configuration of a cluster of the session's release and gates.
fn configuration(session: &Session, has_scheduler: bool) -> Value {
    let mut options = Map::new();
    let version = session.manifests().prepared.release.version();
    options.insert("kubeVersion".to_owned(), version.full().into());
    let gates: Vec<String> = feature_gates(session)
        .into_iter()
        .map(|(name, on)| format!("{name}={on}"))
        .collect();
    if !gates.is_empty() {
        options.insert("kubeFeatureGates".to_owned(), gates.join(",").into());
    }
    if has_scheduler {
        options.insert("kubeSchedulerConfig".to_owned(), SCHEDULER.into());
    }
    json!({
        "kind": "KwokctlConfiguration",
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "options": options,
    })
}
