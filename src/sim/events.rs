//! Events of objects as `kubectl describe` shows them: what the recorders of client-go (v1.34) make of what
//! components say.
//!
//! Schedulers write `events.k8s.io/v1` ([`series`]), every other component the older `v1` ([`correlate`]). Both
//! count up what is said again; the older one also combines what is similar, and falls silent about an object of
//! which there is too much to say. The API server forgets an event an hour after it was written last.

mod correlate;
mod said;
mod series;

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::Arc;

use super::audit_log::Event;
use correlate::Correlator;
use said::{Said, Scope};

/// Records that are kept: the oldest go first.
const MAX_RECORDS: usize = 200_000;
/// Objects of which it is known what was said about them, before any is forgotten.
const ROOM: usize = 20_000;
/// An event is forgotten so long after it was written (`--event-ttl`).
const TTL_MS: i64 = 3_600_000;

/// One event, with how often and when it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// What was said, as it was said first; of a combined event, last.
    event: Arc<Event>,
    /// Milliseconds of virtual time.
    first_ms: i64,
    /// As its component knows it.
    observed: Count,
    /// As the API server has it, and when it was written there; `None`: not so far.
    written: Option<(Count, i64)>,
    /// Grows with every time that something is said: the order of records that were said in one moment.
    sequence: u64,
}

/// How often something was said, and when last.
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
    /// The order of events that were said in one moment.
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

    /// It is said once more.
    fn observe(&mut self, now_ms: i64, sequence: u64) {
        self.observed.count = self.observed.count.saturating_add(1);
        self.observed.last_ms = now_ms;
        self.sequence = sequence;
    }

    fn write(&mut self, now_ms: i64) {
        self.written = Some((self.observed, now_ms));
    }

    /// How often it was said, whether or not that was written.
    pub fn said(&self) -> u32 {
        self.observed.count
    }

    /// When it was said last, in milliseconds of virtual time.
    pub fn last_said_ms(&self) -> i64 {
        self.observed.last_ms
    }

    /// When it was said first, in milliseconds of virtual time.
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

/// All events of a cluster, in the order in which they were first said.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    records: BTreeMap<u64, EventRecord>,
    /// The numbers of schedulers' records.
    known: HashMap<Said, u64>,
    correlators: HashMap<Said, Arc<Correlator>>,
    /// So many correlators may there be before the idle ones are forgotten.
    room: usize,
    said: u64,
}

impl EventLog {
    /// Notes what a component says.
    pub(super) fn note(&mut self, event: &Arc<Event>, now_ms: i64) {
        self.said += 1;
        let sequence = self.said;
        if event.version.is_some() {
            let said = Said::new(Arc::clone(event), Scope::Series);
            let known = self.known.get(&said).copied();
            let record = known.and_then(|number| self.records.get(&number));
            let goes_on = record.is_some_and(|record| !series::is_over(record, now_ms));
            let number = known.filter(|_| goes_on).unwrap_or(sequence);
            self.known.insert(said, number);
            series::observe(self.record(number, event, now_ms), now_ms, sequence);
            return;
        }
        self.forget_idle(now_ms);
        let about = Said::new(Arc::clone(event), Scope::Object);
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
        if number == self.said && self.records.len() >= MAX_RECORDS {
            self.records.pop_first();
        }
        let record = self.records.entry(number);
        record.or_insert_with(|| EventRecord::new(Arc::clone(event), now_ms))
    }

    /// Forgets objects about which nothing was said for long, when there are many.
    fn forget_idle(&mut self, now_ms: i64) {
        if self.correlators.len() > self.room.max(ROOM) {
            self.correlators.retain(|_, it| !it.is_idle(now_ms));
            self.room = self.correlators.len() * 2;
        }
    }

    /// All of them, in the order in which they were first said.
    pub fn iter(&self) -> impl Iterator<Item = &EventRecord> {
        self.records.values()
    }

    /// What the API server has at this time, in the order in which it was first said.
    pub fn seen(&self, now_ms: i64) -> impl Iterator<Item = Seen<'_>> {
        self.iter().filter_map(move |record| record.seen(now_ms))
    }

    /// How often anything was said.
    pub fn said(&self) -> u64 {
        self.said
    }
}

#[cfg(test)]
mod tests;
