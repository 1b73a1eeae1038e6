//! Events of objects as `kubectl describe` shows them, after the recorders of client-go (v1.34) have combined
//! and limited them.
//!
//! Schedulers write `events.k8s.io/v1` ([`series`]), every other component the older `v1` ([`correlate`]). Both
//! count repeated events; the older one also combines similar events, and drops those of an object that has too
//! many. The API server deletes an event an hour after it was last written.

mod correlate;
mod keys;
mod series;

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::Arc;

use super::audit_log::Event;
use correlate::Correlator;
use keys::{EventKey, Scope};

/// Maximum number of records; the oldest are dropped first.
const MAX_RECORDS: usize = 200_000;
/// Number of correlators from which on idle ones are dropped.
const ROOM: usize = 20_000;
/// Lifetime of an event after it was last written (`--event-ttl`).
const TTL_MS: i64 = 3_600_000;

/// An event that occurred, possibly several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// The first occurrence; of a combined event, the last.
    event: Arc<Event>,
    /// Milliseconds of virtual time.
    first_ms: i64,
    /// As its recorder counts it.
    observed: Count,
    /// As the API server has it, and when it was written there; `None` if it has not been written.
    written: Option<(Count, i64)>,
    /// The number of the last occurrence: orders records of the same moment.
    sequence: u64,
}

/// How often an event occurred, and when last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    count: u32,
    last_ms: i64,
}

/// An event as the API server has it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    event: &'a Event,
    pub count: u32,
    /// Milliseconds of virtual time.
    pub first_ms: i64,
    pub last_ms: i64,
    /// Orders events of the same moment.
    pub sequence: u64,
}

impl Deref for EventRecord {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl Deref for Seen<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        self.event
    }
}

impl EventRecord {
    fn new(event: Arc<Event>, now_ms: i64) -> Self {
        Self {
            event,
            first_ms: now_ms,
            observed: Count {
                count: 0,
                last_ms: now_ms,
            },
            written: None,
            sequence: 0,
        }
    }

    /// Counts one more occurrence.
    fn observe(&mut self, now_ms: i64, sequence: u64) {
        self.observed.count = self.observed.count.saturating_add(1);
        self.observed.last_ms = now_ms;
        self.sequence = sequence;
    }

    fn write(&mut self, now_ms: i64) {
        self.written = Some((self.observed, now_ms));
    }

    /// How often it occurred, whether or not that was written.
    pub fn count(&self) -> u32 {
        self.observed.count
    }

    /// When it last occurred, in milliseconds of virtual time.
    pub fn last_ms(&self) -> i64 {
        self.observed.last_ms
    }

    /// When it first occurred, in milliseconds of virtual time.
    pub fn first_ms(&self) -> i64 {
        self.first_ms
    }

    /// As the API server has it at this time, if it does.
    pub fn seen(&self, now_ms: i64) -> Option<Seen<'_>> {
        let (count, written_ms) = series::written(self, now_ms).or(self.written)?;
        (now_ms - written_ms < TTL_MS).then_some(Seen {
            event: &self.event,
            count: count.count,
            first_ms: self.first_ms,
            last_ms: count.last_ms,
            sequence: self.sequence,
        })
    }
}

/// All events of a cluster, in order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    records: BTreeMap<u64, EventRecord>,
    /// The numbers of schedulers' records.
    known: HashMap<EventKey, u64>,
    correlators: HashMap<EventKey, Arc<Correlator>>,
    /// Number of correlators from which on idle ones are dropped again.
    room: usize,
    /// Occurrences of all events.
    total: u64,
}

impl EventLog {
    /// Records an occurrence.
    pub(super) fn note(&mut self, event: &Arc<Event>, now_ms: i64) {
        self.total += 1;
        let sequence = self.total;
        if event.version.is_some() {
            let key = EventKey::new(Arc::clone(event), Scope::Series);
            let known = self.known.get(&key).copied();
            let record = known.and_then(|number| self.records.get(&number));
            let goes_on = record.is_some_and(|record| !series::is_over(record, now_ms));
            let number = known.filter(|_| goes_on).unwrap_or(sequence);
            self.known.insert(key, number);
            series::observe(self.record(number, event, now_ms), now_ms, sequence);
            return;
        }
        self.forget_idle(now_ms);
        let about = EventKey::new(Arc::clone(event), Scope::Object);
        let correlator = Arc::make_mut(self.correlators.entry(about).or_default());
        let (number, is_combined) = correlator.place(event, now_ms, sequence);
        let may_write = correlator.may_write(now_ms);
        let record = self.record(number, event, now_ms);
        record.observe(now_ms, sequence);
        if may_write {
            record.write(now_ms);
            if is_combined {
                record.event = Arc::new(correlate::combined(event));
            }
        }
    }

    /// The record of that number; a new one is of this event.
    fn record(&mut self, number: u64, event: &Arc<Event>, now_ms: i64) -> &mut EventRecord {
        if number == self.total && self.records.len() >= MAX_RECORDS {
            self.records.pop_first();
        }
        let record = self.records.entry(number);
        record.or_insert_with(|| EventRecord::new(Arc::clone(event), now_ms))
    }

    /// Drops the correlators of objects without recent events, if there are many.
    fn forget_idle(&mut self, now_ms: i64) {
        if self.correlators.len() > self.room.max(ROOM) {
            self.correlators.retain(|_, it| !it.is_idle(now_ms));
            self.room = self.correlators.len() * 2;
        }
    }

    /// All events, in order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = &EventRecord> {
        self.records.values()
    }

    /// The events that the API server has at this time, in order of their first occurrence.
    pub fn seen(&self, now_ms: i64) -> impl Iterator<Item = Seen<'_>> {
        self.iter().filter_map(move |record| record.seen(now_ms))
    }

    /// How often events occurred, all together.
    pub fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests;
