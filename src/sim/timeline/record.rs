//! The record of a replay: for each instant what was written, the events, and how the workloads stand.

use k8s_openapi::Metadata;
use serde_json::{Map, Value, json};

use super::names::Names;
use super::workloads;
use crate::sim::audit_log::Entry;
use crate::sim::pod_util;
use crate::sim::store::{Store, name_of};

/// What is recorded of a replay.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    instants: Vec<Value>,
    last: Vec<Value>,
}

/// What happened in one instant beside what the journal says.
#[derive(Clone, Debug, Default)]
pub(super) struct Instant {
    pub second: i64,
    pub journal: Vec<Entry>,
    /// What `kubectl` had to say.
    pub messages: Vec<String>,
    /// Whether somebody did something.
    pub stepped: bool,
}

impl Timeline {
    /// Records an instant, if anything happened in it.
    pub(super) fn record(&mut self, instant: Instant, store: &Store, names: &Names) {
        let workloads = workloads::all(store, names);
        let actions = instant
            .journal
            .iter()
            .filter_map(|entry| action(entry, names));
        let actions: Vec<Value> = actions.collect();
        let events = instant
            .journal
            .iter()
            .filter_map(|entry| event(entry, names));
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

    /// All of it.
    pub(super) fn finish(self, names: &Names) -> Value {
        json!({"timeline": self.instants, "hashes": names.table()})
    }
}

/// A write as one line; `None` for what is no write, or of kinds that are not told.
fn action(entry: &Entry, names: &Names) -> Option<Value> {
    let line = entry.line(|key| key.name().to_owned())?;
    Some(names.shown(&line).into())
}

fn event(entry: &Entry, names: &Names) -> Option<Value> {
    let Entry::Event(event) = entry else {
        return None;
    };
    Some(json!({
        "object": names.shown(&format!("{}/{}", event.kind, event.key.name())),
        "type": event.level.name(),
        "reason": event.reason,
        "message": names.shown(&event.message),
    }))
}

/// A Pod of a ReplicaSet of a Deployment in short: `name@node`, `+` if ready, `X` if it is to end.
pub(super) fn short(pod: &k8s_openapi::api::core::v1::Pod, names: &Names) -> String {
    let ready = if pod_util::is_ready(pod) { "+" } else { "" };
    let ending = if pod_util::is_terminating(pod) {
        "X"
    } else {
        ""
    };
    let name = names.shown(name_of(pod.metadata()));
    format!("{name}@{}{ready}{ending}", pod_util::node_of(pod))
}
