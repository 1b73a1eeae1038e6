//! The record: for each instant the writes, the events, and the state of all workloads.

use k8s_openapi::Metadata;
use serde_json::{Map, Value, json};

use super::workloads;
use crate::audit_log::AuditEntry as Entry;
use crate::pod_util;
use crate::store::{Store, name_of};
use crate::template_hashes::TemplateHashes;

/// The instants so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    instants: Vec<Value>,
    last: Vec<Value>,
}

/// What happened in one instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Instant {
    pub second: i64,
    pub audit_log: Vec<Entry>,
    /// What `kubectl` printed.
    pub messages: Vec<String>,
    /// Whether a step was done.
    pub stepped: bool,
}

impl Timeline {
    /// Records an instant, if anything happened in it.
    pub(super) fn record(&mut self, instant: Instant, store: &Store, hashes: &TemplateHashes) {
        let workloads = workloads::all(store, hashes);
        let actions = instant
            .audit_log
            .iter()
            .filter_map(|entry| action(entry, hashes));
        let actions: Vec<Value> = actions.collect();
        let events = instant
            .audit_log
            .iter()
            .filter_map(|entry| event(entry, hashes));
        let events: Vec<Value> = events.collect();
        let is_quiet = actions.is_empty() && events.is_empty() && !instant.stepped;
        if is_quiet && workloads == self.last {
            return;
        }
        let mut record = Map::new();
        record.insert("t".to_owned(), instant.second.into());
        record.insert("actions".to_owned(), Value::Array(actions));
        record.insert("events".to_owned(), Value::Array(events));
        if !instant.messages.is_empty() {
            record.insert("messages".to_owned(), instant.messages.into());
        }
        record.insert("workloads".to_owned(), Value::Array(workloads.clone()));
        self.last = workloads;
        self.instants.push(Value::Object(record));
    }

    /// The complete record.
    pub(super) fn finish(self, hashes: &TemplateHashes) -> Value {
        json!({"timeline": self.instants, "hashes": hashes.table()})
    }
}

/// A write as one line; `None` for events, and for new claims.
fn action(entry: &Entry, hashes: &TemplateHashes) -> Option<Value> {
    let line = entry.line(|key| key.name().to_owned())?;
    Some(hashes.shown(&line).into())
}

fn event(entry: &Entry, hashes: &TemplateHashes) -> Option<Value> {
    let Entry::Event(event) = entry else {
        return None;
    };
    Some(json!({
        "object": hashes.shown(&format!("{}/{}", event.kind, event.key.name())),
        "type": event.level.name(),
        "reason": event.reason,
        "message": hashes.shown(&event.message),
    }))
}

/// The short form of a Pod of a Deployment's ReplicaSet: `name@node`, then `+` if ready, `X` if terminating.
pub(super) fn short(pod: &k8s_openapi::api::core::v1::Pod, hashes: &TemplateHashes) -> String {
    let ready = if pod_util::is_ready(pod) { "+" } else { "" };
    let ending = if pod_util::is_terminating(pod) {
        "X"
    } else {
        ""
    };
    let name = hashes.shown(name_of(pod.metadata()));
    format!("{name}@{}{ready}{ending}", pod_util::node_of(pod))
}
