//! Events of objects as `kubectl describe` shows them: one record for what is said again and again.
//!
//! Mirrors what the event recorders of client-go (v1.34) make of repetitions: the same words about the
//! same object from the same component count up one event.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::journal::Event;
use super::store::Key;

/// Records that are kept: the oldest go first. (The real ones go after an hour.)
const MAX_RECORDS: usize = 200_000;

/// One event, with how often and when it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// What was said, as it was said first.
    event: Arc<Event>,
    pub count: u32,
    /// Milliseconds of virtual time.
    pub first_ms: i64,
    pub last_ms: i64,
    /// Grows with every time that something is said: the order of records that were said in one moment.
    pub sequence: u64,
}

impl Deref for EventRecord {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

/// An event by what makes it the same as another.
#[derive(Clone, Debug)]
struct Said {
    event: Arc<Event>,
    /// Of its identity: a table that grows need not read all events again.
    hash: u64,
}

impl Said {
    fn new(event: &Arc<Event>) -> Self {
        let mut said = Said {
            event: Arc::clone(event),
            hash: 0,
        };
        let mut hasher = DefaultHasher::new();
        said.identity().hash(&mut hasher);
        said.hash = hasher.finish();
        said
    }

    /// Uid of the object (kind and key if it has none), node of the component, component, reason, message.
    fn identity(&self) -> (Result<&str, (&str, &Key)>, [&str; 4]) {
        let event = &*self.event;
        let object = match event.uid.as_str() {
            "" => Err((event.kind, &event.key)),
            uid => Ok(uid),
        };
        let words = [&event.host, &*event.source, &event.reason, &event.message];
        (object, words)
    }
}

impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.identity() == other.identity()
    }
}

impl Eq for Said {}

impl Hash for Said {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// All events of a cluster, in the order in which they were first said.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    records: BTreeMap<u64, EventRecord>,
    known: HashMap<Said, u64>,
    said: u64,
}

impl EventLog {
    /// Notes an event.
    pub(super) fn note(&mut self, event: &Arc<Event>, now_ms: i64) {
        self.said += 1;
        let number = self.known.entry(Said::new(event));
        let number = *number.or_insert(self.said);
        if let Some(record) = self.records.get_mut(&number) {
            record.count = record.count.saturating_add(1);
            record.last_ms = now_ms;
            record.sequence = self.said;
            return;
        }
        let record = EventRecord {
            event: Arc::clone(event),
            count: 1,
            first_ms: now_ms,
            last_ms: now_ms,
            sequence: self.said,
        };
        self.records.insert(self.said, record);
        if self.records.len() > MAX_RECORDS
            && let Some((_, oldest)) = self.records.pop_first()
        {
            self.known.remove(&Said::new(&oldest.event));
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

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::sim::journal::Level;

    #[test]
    fn what_is_said_again_counts_up() {
        let mut log = EventLog::default();
        let event = |message: &str| {
            let pod = Pod::default();
            Arc::new(Event::new(
                &pod,
                Level::Warning,
                "FailedScheduling",
                message,
            ))
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
