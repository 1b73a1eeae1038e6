//! The state of all workloads, in the format of the recordings.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde_json::{Map, Value, json};

use super::record::short;
use crate::controllers::deployment::{DESIRED_REPLICAS, MAX_REPLICAS, REVISION, REVISION_HISTORY};
use crate::pod_util::{self, sort_by_creation};
use crate::server::ms_of;
use crate::store::{Store, Stored, controller_of, name_of, uid_of};
use crate::template_hashes::TemplateHashes;
use berth_base::{json as base_json, sort};
use berth_core::api::workloads::{COMPLETION_INDEX, REVISION_HASH};

/// All workloads: Deployments, ReplicaSets without a controller, StatefulSets, DaemonSets, Jobs, each sorted by name.
pub(super) fn all(store: &Store, hashes: &TemplateHashes) -> Vec<Value> {
    let deployments = store
        .deployments
        .iter()
        .map(|it| deployment(it, store, hashes));
    let sets = store
        .replica_sets
        .iter()
        .filter(|set| controller_of(&set.metadata).is_none())
        .map(|set| with_pods(&**set, &set.status, false, store, hashes));
    let stateful = store
        .stateful_sets
        .iter()
        .map(|set| with_pods(&**set, &set.status, true, store, hashes));
    let daemons = store
        .daemon_sets
        .iter()
        .map(|set| with_pods(&**set, &set.status, true, store, hashes));
    let jobs = store
        .jobs
        .iter()
        .map(|job| with_pods(&**job, &job.status, false, store, hashes));
    (deployments.chain(sets).chain(stateful))
        .chain(daemons.chain(jobs))
        .collect()
}

/// The Pods of a controller in the order of creation.
fn pods_of<'a>(meta: &ObjectMeta, store: &'a Store) -> Vec<&'a Arc<Pod>> {
    let mut own: Vec<&Arc<Pod>> = store.pods.controlled_by(uid_of(meta)).collect();
    sort_by_creation(&mut own);
    own
}

fn deployment(deployment: &Deployment, store: &Store, hashes: &TemplateHashes) -> Value {
    let sets = store
        .replica_sets
        .controlled_by(uid_of(&deployment.metadata));
    let mut sets: Vec<(i64, &Arc<ReplicaSet>)> = sets
        .map(|set| {
            let revision = annotation(&set.metadata, REVISION).parse();
            (revision.unwrap_or(0), set)
        })
        .collect();
    sort::sort_by_key(&mut sets, |(revision, _)| *revision);
    let sets = sets
        .into_iter()
        .map(|(revision, set)| replica_set(revision, set, store, hashes));
    json!({
        "kind": "Deployment",
        "name": name_of(&deployment.metadata),
        "revision": annotation(&deployment.metadata, REVISION),
        "replicaSets": sets.collect::<Vec<Value>>(),
        "status": status(&deployment.status, hashes),
    })
}

fn replica_set(revision: i64, set: &ReplicaSet, store: &Store, hashes: &TemplateHashes) -> Value {
    let own = pods_of(&set.metadata, store);
    let terminating = own
        .iter()
        .filter(|pod| pod_util::is_terminating(pod))
        .count();
    let status = set.status.clone().unwrap_or_default();
    json!({
        "name": hashes.shown(name_of(&set.metadata)),
        "revision": revision,
        "revisionHistory": annotation(&set.metadata, REVISION_HISTORY),
        "specReplicas": set.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1),
        "pods": own.len() - terminating,
        "terminating": terminating,
        "ready": status.ready_replicas.unwrap_or(0),
        "available": status.available_replicas.unwrap_or(0),
        "podNames": own.iter().map(|pod| short(pod, hashes)).collect::<Vec<String>>(),
        "desiredAnnotation": annotation(&set.metadata, DESIRED_REPLICAS),
        "maxReplicasAnnotation": annotation(&set.metadata, MAX_REPLICAS),
    })
}

/// A workload that controls its Pods directly, with its revisions if `has_revisions`.
fn with_pods<T: Stored>(
    object: &T,
    its_status: &impl serde::Serialize,
    has_revisions: bool,
    store: &Store,
    hashes: &TemplateHashes,
) -> Value {
    let meta = object.metadata();
    let mut own = pods_of(meta, store);
    match T::KIND {
        "StatefulSet" => sort::sort_by_key(&mut own, |pod| ordinal(name_of(&pod.metadata))),
        "DaemonSet" => sort::sort_by_key(&mut own, |pod| pod_util::node_of(pod).to_owned()),
        _ => {}
    }
    let own = own
        .into_iter()
        .map(|pod| pod_line(pod, name_of(meta), has_revisions, hashes));
    let mut map = Map::new();
    map.insert("kind".to_owned(), T::KIND.into());
    map.insert("name".to_owned(), name_of(meta).into());
    map.insert("pods".to_owned(), Value::Array(own.collect()));
    if has_revisions {
        map.insert("revisions".to_owned(), revisions(meta, store, hashes));
    }
    map.insert("status".to_owned(), status(its_status, hashes));
    Value::Object(map)
}

fn pod_line(pod: &Pod, owner: &str, has_revisions: bool, hashes: &TemplateHashes) -> Value {
    let mut map = Map::new();
    let name = hashes.shown(name_of(&pod.metadata));
    map.insert("name".to_owned(), name.into());
    map.insert("node".to_owned(), pod_util::node_of(pod).into());
    map.insert("phase".to_owned(), pod_util::phase_of(pod).into());
    map.insert("ready".to_owned(), pod_util::is_ready(pod).into());
    if pod_util::is_terminating(pod) {
        map.insert("terminating".to_owned(), true.into());
    }
    if has_revisions {
        let label = pod_util::label_of(pod, REVISION_HASH);
        // StatefulSets write the revision's whole name.
        let prefix = format!("{owner}-");
        let hash = label.strip_prefix(&prefix).unwrap_or(label);
        map.insert("revision".to_owned(), hashes.shown(hash).into());
    }
    if let Some(index) = pod_util::annotation_of(pod, COMPLETION_INDEX) {
        map.insert("index".to_owned(), index.into());
    }
    Value::Object(map)
}

fn revisions(meta: &ObjectMeta, store: &Store, hashes: &TemplateHashes) -> Value {
    let own = store.controller_revisions.controlled_by(uid_of(meta));
    let mut own: Vec<_> = own.collect();
    sort::sort_by_key(&mut own, |revision| revision.revision);
    let lines = own.into_iter().map(|revision| {
        let name = hashes.shown(name_of(&revision.metadata));
        json!({"name": name, "revision": revision.revision})
    });
    Value::Array(lines.collect())
}

/// A status as in the API, without the observed generation and the times of conditions; other times in seconds.
fn status(status: &impl serde::Serialize, hashes: &TemplateHashes) -> Value {
    let mut value = base_json::value(status);
    let Value::Object(map) = &mut value else {
        return json!({});
    };
    map.remove("observedGeneration");
    for field in ["startTime", "completionTime"] {
        if let Some(time) = map.get_mut(field) {
            *time = seconds(time);
        }
    }
    for field in ["currentRevision", "updateRevision"] {
        if let Some(Value::String(name)) = map.get_mut(field) {
            *name = hashes.shown(name);
        }
    }
    if let Some(Value::Array(conditions)) = map.get_mut("conditions") {
        for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
            for time in ["lastTransitionTime", "lastUpdateTime", "lastProbeTime"] {
                condition.remove(time);
            }
            if let Some(Value::String(message)) = condition.get_mut("message") {
                *message = hashes.shown(message);
            }
        }
    }
    value
}

fn seconds(time: &Value) -> Value {
    let parsed = time.as_str().and_then(|text| text.parse().ok());
    parsed.map_or(Value::Null, |time| (ms_of(&Time(time)) / 1_000).into())
}

fn annotation<'a>(meta: &'a ObjectMeta, key: &str) -> &'a str {
    let annotations = meta.annotations.as_ref();
    annotations
        .and_then(|all| all.get(key))
        .map_or("", String::as_str)
}

/// The ordinal at the end of the name of a StatefulSet's Pod.
fn ordinal(name: &str) -> u64 {
    let number = name
        .rsplit_once('-')
        .and_then(|(_, number)| number.parse().ok());
    number.unwrap_or(u64::MAX)
}
