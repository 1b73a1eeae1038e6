//! The kinds Berth knows: which `apiVersion` each has, and the type it decodes into.

use serde_json::Value;

use crate::api::decode::{Finding, decode};
use crate::api::object::Manifest;

/// Every kind that is read, with its one `apiVersion`.
const KINDS: [(&str, &str); 23] = [
    ("Node", "v1"),
    ("Pod", "v1"),
    ("Namespace", "v1"),
    ("PriorityClass", "scheduling.k8s.io/v1"),
    ("PodDisruptionBudget", "policy/v1"),
    ("Service", "v1"),
    ("ReplicaSet", "apps/v1"),
    ("ReplicationController", "v1"),
    ("StatefulSet", "apps/v1"),
    ("Deployment", "apps/v1"),
    ("DaemonSet", "apps/v1"),
    ("Job", "batch/v1"),
    ("CronJob", "batch/v1"),
    ("PersistentVolume", "v1"),
    ("PersistentVolumeClaim", "v1"),
    ("StorageClass", "storage.k8s.io/v1"),
    ("CSINode", "storage.k8s.io/v1"),
    ("CSIDriver", "storage.k8s.io/v1"),
    ("LimitRange", "v1"),
    ("ResourceQuota", "v1"),
    (
        "KubeSchedulerConfiguration",
        "kubescheduler.config.k8s.io/v1",
    ),
    ("Scenario", crate::api::scenario::API_VERSION),
    ("Script", crate::api::script::API_VERSION),
];

/// Groups that never had the kind they are asked for are someone else's: `serving.knative.dev/v1`
/// has a `Service` too, and that one is ignored.
const OWN_GROUPS: [&str; 9] = [
    "apps",
    "batch",
    "extensions",
    "policy",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "kubescheduler.config.k8s.io",
    "berth.dev",
    "conformance",
];

/// What an `apiVersion` and a `kind` mean here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The kind is read.
    Known,
    /// The kind is known in another `apiVersion`, this one.
    InVersion(&'static str),
    /// Nothing that scheduling looks at.
    Nothing,
}

pub(super) fn lookup(api_version: &str, kind: &str) -> Meaning {
    match KINDS.iter().find(|(name, _)| *name == kind) {
        None => Meaning::Nothing,
        Some((_, version)) if *version == api_version => Meaning::Known,
        Some((_, version)) => {
            let group = api_version.split_once('/').map(|(group, _)| group);
            if group.is_none_or(|group| OWN_GROUPS.contains(&group)) {
                Meaning::InVersion(version)
            } else {
                Meaning::Nothing
            }
        }
    }
}

/// All kinds that are read, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(kind, _)| *kind)
}

/// The `apiVersion` of a kind that is read.
pub(super) fn api_version_of(kind: &str) -> Option<&'static str> {
    KINDS
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, version)| *version)
}

/// Decodes a document of a known kind.
pub(super) fn decode_kind(kind: &str, value: Value) -> (Option<Manifest>, Vec<Finding>) {
    macro_rules! object {
        ($variant:ident) => {{
            let (object, findings) = decode(&value);
            (object.map(Manifest::$variant), findings)
        }};
    }
    match kind {
        "Node" => object!(Node),
        "Pod" => object!(Pod),
        "Namespace" => object!(Namespace),
        "PriorityClass" => object!(PriorityClass),
        "PodDisruptionBudget" => object!(PodDisruptionBudget),
        "Service" => object!(Service),
        "ReplicaSet" => object!(ReplicaSet),
        "ReplicationController" => object!(ReplicationController),
        "StatefulSet" => object!(StatefulSet),
        "Deployment" => object!(Deployment),
        "DaemonSet" => object!(DaemonSet),
        "Job" => object!(Job),
        "CronJob" => object!(CronJob),
        "PersistentVolume" => object!(PersistentVolume),
        "PersistentVolumeClaim" => object!(PersistentVolumeClaim),
        "StorageClass" => object!(StorageClass),
        "CSINode" => object!(CsiNode),
        "CSIDriver" => object!(CsiDriver),
        "LimitRange" => object!(LimitRange),
        "ResourceQuota" => object!(ResourceQuota),
        "Scenario" => object!(Scenario),
        "KubeSchedulerConfiguration" => (
            Some(Manifest::SchedulerConfiguration(Box::new(value))),
            Vec::new(),
        ),
        "Script" => (Some(Manifest::Script(Box::new(value))), Vec::new()),
        _ => (None, Vec::new()),
    }
}
