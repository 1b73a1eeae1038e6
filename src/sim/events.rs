//! Events of objects as `kubectl describe` shows them: one record for what is said again and again.
//!
//! Mirrors what the event recorders of client-go (v1.34) make of repetitions: the same words about the
//! same object from the same component count up one event.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::journal::{Event, Level};
use super::store::Key;

/// Records that are kept: the oldest go first. (The real ones go after an hour.)
const MAX_RECORDS: usize = 200_000;

/// One event, with how often and when it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// The kind of the object that it is about.
    pub kind: &'static str,
    /// Its namespace and name.
    pub key: Key,
    /// Its uid.
    pub uid: String,
    pub level: Level,
    pub reason: String,
    pub message: String,
    /// The component that says it, `kubelet` for example.
    pub source: Cow<'static, str>,
    /// The node of that component; empty if it does not belong to one.
    pub host: String,
    pub count: u32,
    /// Milliseconds of virtual time.
    pub first_ms: i64,
    pub last_ms: i64,
    /// Grows with every time that something is said: the order of records that were said in one moment.
    pub sequence: u64,
}

/// What makes two events the same: uid of the object (its name if it has none), node of the component, component, reason, message. The
/// uid comes first, for it tells most of them apart at once.
type Identity = (String, String, Cow<'static, str>, String, String);

/// All events of a cluster, in the order in which they were first said.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    records: BTreeMap<u64, EventRecord>,
    known: BTreeMap<Identity, u64>,
    said: u64,
}

impl EventLog {
    /// Notes an event.
    pub(super) fn note(&mut self, event: &Event, now_ms: i64) {
        self.said += 1;
        let identity = identity(event);
        let known = self.known.get(&identity);
        if let Some(record) = known.and_then(|number| self.records.get_mut(number)) {
            record.count = record.count.saturating_add(1);
            record.last_ms = now_ms;
            record.sequence = self.said;
            return;
        }
        self.known.insert(identity, self.said);
        let record = EventRecord {
            kind: event.kind,
            key: event.key.clone(),
            uid: event.uid.clone(),
            level: event.level,
            reason: event.reason.clone(),
            message: event.message.clone(),
            source: event.source.clone(),
            host: event.host.clone(),
            count: 1,
            first_ms: now_ms,
            last_ms: now_ms,
            sequence: self.said,
        };
        self.records.insert(self.said, record);
        if self.records.len() > MAX_RECORDS {
            self.records.pop_first();
        }
    }

    /// All of them, in the order in which they were first said.
    pub fn iter(&self) -> impl Iterator<Item = &EventRecord> {
        self.records.values()
    }

    /// How often anything was said.
    pub fn said(&self) -> u64 {
        self.said
    }

    /// Those about one object, in that order.
    pub fn about<'a>(&'a self, uid: &'a str) -> impl Iterator<Item = &'a EventRecord> {
        self.iter().filter(move |record| record.uid == uid)
    }
}

fn identity(event: &Event) -> Identity {
    let object = if event.uid.is_empty() {
        format!("{} {}", event.kind, event.key)
    } else {
        event.uid.clone()
    };
    (
        object,
        event.host.clone(),
        event.source.clone(),
        event.reason.clone(),
        event.message.clone(),
    )
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;

    #[test]
    fn what_is_said_again_counts_up() {
        let mut log = EventLog::default();
        let event = |message: &str| {
            Event::new(&Pod::default(), Level::Warning, "FailedScheduling", message)
        };
        log.note(&event("no room"), 1_000);
        log.note(&event("no nodes"), 2_000);
        log.note(&event("no room"), 5_000);
        let records: Vec<_> = log
            .iter()
            .map(|it| (it.message.as_str(), it.count, it.first_ms, it.last_ms))
            .collect();
        assert_eq!(
            records,
            [("no room", 2, 1_000, 5_000), ("no nodes", 1, 2_000, 2_000)]
        );
    }
}
