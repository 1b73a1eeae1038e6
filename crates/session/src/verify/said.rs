//! What a cluster said: Pods and events as `kubectl get … -A -o json` prints them.

use std::collections::BTreeMap;

use berth_core::api::source::SourceFile;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::Workload;
use k8s_openapi::api::core::v1::Affinity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::workload;

/// A Pod of the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct PodSaid {
    /// `namespace/name`.
    pub key: String,
    pub uid: String,
    pub node: Option<String>,
    /// `status.nominatedNodeName`.
    pub nominated: Option<String>,
    /// `status.startTime`, milliseconds since the Unix epoch.
    pub start_ms: Option<i64>,
    /// `metadata.creationTimestamp`, microseconds since the Unix epoch.
    pub created_us: i64,
    /// It is being deleted.
    pub is_terminating: bool,
    /// The workload that made it; a Pod of nobody is its own.
    pub workload: Workload,
    /// The node that a DaemonSet made it for.
    pub pinned: Option<String>,
    pub condition: Option<ConditionSaid>,
}

/// The condition `PodScheduled`.
#[derive(Clone, Debug, Default)]
pub(super) struct ConditionSaid {
    pub is_true: bool,
    pub reason: String,
    pub message: String,
    /// Microseconds since the Unix epoch, to the second.
    pub at_us: Option<i64>,
}

/// What an event about a Pod says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Scheduled,
    FailedScheduling,
    Preempted,
}

/// An event of kube-scheduler about a Pod.
#[derive(Clone, Debug)]
pub(super) struct EventSaid {
    pub kind: EventKind,
    /// `namespace/name` of the Pod.
    pub pod: String,
    pub message: String,
    /// Microseconds since the Unix epoch.
    pub at_us: i64,
}

#[derive(Deserialize)]
struct List<T> {
    kind: Option<String>,
    items: Option<Vec<T>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    labels: Option<BTreeMap<String, String>>,
    owner_references: Option<Vec<Owner>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Owner {
    kind: String,
    name: String,
    controller: Option<bool>,
}

#[derive(Deserialize)]
struct PodItem {
    kind: Option<String>,
    metadata: Option<Meta>,
    spec: Option<Spec>,
    status: Option<Status>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    node_name: Option<String>,
    affinity: Option<Affinity>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    nominated_node_name: Option<String>,
    start_time: Option<Time>,
    conditions: Option<Vec<ConditionItem>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ConditionItem {
    r#type: String,
    status: String,
    reason: Option<String>,
    message: Option<String>,
    last_transition_time: Option<Time>,
}

/// Of group `v1` or `events.k8s.io/v1`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventItem {
    kind: Option<String>,
    metadata: Option<Meta>,
    #[serde(alias = "regarding")]
    involved_object: Option<About>,
    reason: Option<String>,
    #[serde(alias = "note")]
    message: Option<String>,
    event_time: Option<MicroTime>,
    #[serde(alias = "deprecatedFirstTimestamp")]
    first_timestamp: Option<Time>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct About {
    kind: Option<String>,
    name: Option<String>,
    namespace: Option<String>,
}

/// Reads the Pods of the cluster.
///
/// # Errors
/// If the file is no whole JSON list of Pods; the place is named.
pub(super) fn pods(file: &SourceFile) -> Result<Vec<PodSaid>, Remark> {
    let items = list::<PodItem>(file, "pods")?.into_iter().enumerate();
    items.map(|(at, item)| pod(file, at, item)).collect()
}

fn pod(file: &SourceFile, at: usize, item: PodItem) -> Result<PodSaid, Remark> {
    is_of_kind(file, at, item.kind.as_deref(), "Pod")?;
    let meta = item.metadata.unwrap_or_default();
    let (spec, status) = (
        item.spec.unwrap_or_default(),
        item.status.unwrap_or_default(),
    );
    let key = key(&meta.namespace, &meta.name).ok_or_else(|| unnamed(file, at))?;
    let mut owners = meta.owner_references.iter().flatten();
    let owner = owners.find(|owner| owner.controller.unwrap_or(false));
    let hash = meta.labels.as_ref();
    let hash = hash.and_then(|labels| labels.get("pod-template-hash"));
    let namespace = meta.namespace.as_deref().unwrap_or("default");
    let name = meta.name.as_deref().unwrap_or_default();
    let owner = owner.map(|owner| (owner.kind.as_str(), owner.name.as_str()));
    let mut conditions = status.conditions.iter().flatten();
    let scheduled = conditions.find(|condition| condition.r#type == "PodScheduled");
    Ok(PodSaid {
        workload: workload::of_owner(namespace, name, owner, hash.map(String::as_str)),
        uid: meta.uid.unwrap_or_default(),
        node: filled(spec.node_name),
        nominated: filled(status.nominated_node_name),
        start_ms: status.start_time.map(|time| time.0.as_millisecond()),
        created_us: micros(meta.creation_timestamp.as_ref()).unwrap_or(0),
        is_terminating: meta.deletion_timestamp.is_some(),
        pinned: spec.affinity.as_ref().and_then(workload::pinned),
        condition: scheduled.map(|condition| ConditionSaid {
            is_true: condition.status == "True",
            reason: condition.reason.clone().unwrap_or_default(),
            message: condition.message.clone().unwrap_or_default(),
            at_us: micros(condition.last_transition_time.as_ref()),
        }),
        key,
    })
}

/// Reads what kube-scheduler's events say of Pods, in order of time. Other events are skipped.
///
/// # Errors
/// If the file is no whole JSON list of events; the place is named.
pub(super) fn events(file: &SourceFile) -> Result<Vec<EventSaid>, Remark> {
    let mut events = Vec::new();
    for (at, item) in list::<EventItem>(file, "events")?.into_iter().enumerate() {
        is_of_kind(file, at, item.kind.as_deref(), "Event")?;
        let about = item.involved_object.unwrap_or_default();
        let kind = match item.reason.as_deref() {
            Some("Scheduled") => EventKind::Scheduled,
            Some("FailedScheduling") => EventKind::FailedScheduling,
            Some("Preempted") => EventKind::Preempted,
            _ => continue,
        };
        if about.kind.as_deref().is_some_and(|kind| kind != "Pod") {
            continue;
        }
        let made = item.metadata.and_then(|meta| meta.creation_timestamp);
        let at_us = item.event_time.map(|time| time.0.as_microsecond());
        let at_us = at_us.or_else(|| micros(item.first_timestamp.as_ref()));
        events.push(EventSaid {
            kind,
            pod: key(&about.namespace, &about.name).ok_or_else(|| unnamed(file, at))?,
            message: item.message.unwrap_or_default(),
            at_us: at_us.or_else(|| micros(made.as_ref())).unwrap_or(0),
        });
    }
    events.sort_by_key(|event| event.at_us);
    Ok(events)
}

fn list<T: DeserializeOwned>(file: &SourceFile, resource: &str) -> Result<Vec<T>, Remark> {
    let list: List<T> = serde_json::from_str(&file.text).map_err(|error| {
        let place = format!("{}:{}:{}", file.name, error.line(), error.column());
        let why = error.to_string();
        // The place stands in front already.
        let why = why.split(" at line ").next().unwrap_or(&why);
        Remark::verify_not_json(place, why, resource)
    })?;
    let is_list = list
        .kind
        .as_deref()
        .is_some_and(|kind| kind.ends_with("List"));
    list.items
        .filter(|_| is_list)
        .ok_or_else(|| Remark::verify_no_list(&*file.name, resource))
}

fn is_of_kind(
    file: &SourceFile,
    at: usize,
    kind: Option<&str>,
    expected: &str,
) -> Result<(), Remark> {
    match kind {
        Some(kind) if kind != expected => {
            let number = (at + 1).to_string();
            Err(Remark::verify_other_kind(
                &*file.name,
                number,
                kind,
                expected,
            ))
        }
        _ => Ok(()),
    }
}

fn unnamed(file: &SourceFile, at: usize) -> Remark {
    Remark::verify_unnamed(&*file.name, (at + 1).to_string())
}

fn key(namespace: &Option<String>, name: &Option<String>) -> Option<String> {
    let name = name.as_deref().filter(|name| !name.is_empty())?;
    let namespace = namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty());
    Some(format!("{}/{name}", namespace.unwrap_or("default")))
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn micros(time: Option<&Time>) -> Option<i64> {
    time.map(|time| time.0.as_microsecond())
}
