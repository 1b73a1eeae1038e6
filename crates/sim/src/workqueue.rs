//! The queue of keys that a controller works through (client-go `workqueue`, Kubernetes v1.34).
//!
//! A key is in the queue at most once; a key that is added while it is being synced is queued again afterwards. If a
//! key has several delays, the earliest counts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::store::Key;
use berth_protocol::due::DueKind;

/// When a failed key is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// At once, this many times within one instant; then after one second.
    AtOnce(u32),
    /// After 5 ms, doubling up to 1,000 s, as in the real controllers.
    Exponential,
}

const FIRST_RETRY_MS: i64 = 5;
const LAST_RETRY_MS: i64 = 1_000_000;
const AFTER_MANY_MS: i64 = 1_000;

/// A controller's queue.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    retry: Retry,
    queue: VecDeque<Key>,
    queued: BTreeSet<Key>,
    processing: Option<Key>,
    /// Whether the key that is being synced was added again.
    again: bool,
    /// When each delayed key is due, and a sequence number for ties.
    waiting: BTreeMap<Key, (i64, u64)>,
    /// The inverse, to find the next one, with what the delay is for.
    by_due: BTreeMap<(i64, u64), (Key, DueKind)>,
    asked: u64,
    /// How often a key failed, and when it last did.
    failures: BTreeMap<Key, (u32, i64)>,
}

impl WorkQueue {
    pub fn new(retry: Retry) -> Self {
        WorkQueue {
            retry,
            queue: VecDeque::new(),
            queued: BTreeSet::new(),
            processing: None,
            again: false,
            waiting: BTreeMap::new(),
            by_due: BTreeMap::new(),
            asked: 0,
            failures: BTreeMap::new(),
        }
    }

    /// Adds a key at the end, unless it is in the queue.
    pub fn add(&mut self, key: Key) {
        if self.processing.as_ref() == Some(&key) {
            self.again = true;
        } else if self.queued.insert(key.clone()) {
            self.queue.push_back(key);
        }
    }

    /// Adds a key after a delay; if it is delayed already, the earlier time counts.
    pub fn add_after(&mut self, key: Key, delay_ms: i64, now_ms: i64) {
        self.add_due(DueKind::Work, key, delay_ms, now_ms);
    }

    /// The same, with what the delay is for.
    pub fn add_due(&mut self, kind: DueKind, key: Key, delay_ms: i64, now_ms: i64) {
        if delay_ms <= 0 {
            self.add(key);
            return;
        }
        let due = now_ms.saturating_add(delay_ms);
        self.asked += 1;
        let known = self.waiting.get(&key).copied();
        if known.is_some_and(|(earlier, _)| earlier <= due) {
            return;
        }
        if let Some(later) = known {
            self.by_due.remove(&later);
        }
        self.waiting.insert(key.clone(), (due, self.asked));
        self.by_due.insert((due, self.asked), (key, kind));
    }

    /// Whether a key is delayed.
    pub fn is_delayed(&self, key: &Key) -> bool {
        self.waiting.contains_key(key)
    }

    /// Adds a key that failed, after a delay that grows with its failures.
    pub fn add_rate_limited(&mut self, key: Key, now_ms: i64) {
        let failed = self.failures.entry(key.clone()).or_insert((0, now_ms));
        if self.retry != Retry::Exponential && failed.1 != now_ms {
            *failed = (0, now_ms);
        }
        let times = failed.0;
        failed.0 = times.saturating_add(1);
        let delay = match self.retry {
            Retry::AtOnce(limit) if times < limit => 0,
            Retry::AtOnce(_) => AFTER_MANY_MS,
            Retry::Exponential => FIRST_RETRY_MS
                .saturating_mul(1_i64.checked_shl(times.min(32)).unwrap_or(i64::MAX))
                .min(LAST_RETRY_MS),
        };
        self.add_after(key, delay, now_ms);
    }

    /// Forgets the failures of a key that succeeded. With immediate retries, failures of the same instant stay:
    /// otherwise a key that asks for a retry in each sync would never end.
    pub fn forget(&mut self, key: &Key, now_ms: i64) {
        let kept = |failed: &(u32, i64)| self.retry != Retry::Exponential && failed.1 == now_ms;
        if self.failures.get(key).is_some_and(|failed| !kept(failed)) {
            self.failures.remove(key);
        }
    }

    /// Takes the first key; `done` must be called for it.
    pub fn take(&mut self) -> Option<Key> {
        let key = self.queue.pop_front()?;
        self.queued.remove(&key);
        self.processing = Some(key.clone());
        self.again = false;
        Some(key)
    }

    /// Marks the taken key as processed.
    pub fn done(&mut self) {
        if let Some(key) = self.processing.take()
            && std::mem::take(&mut self.again)
        {
            self.add(key);
        }
    }

    /// Adds the keys that are due.
    pub fn release(&mut self, now_ms: i64) {
        while self.next_due().is_some_and(|due| due <= now_ms) {
            if let Some((_, (key, _))) = self.by_due.pop_first() {
                self.waiting.remove(&key);
                self.add(key);
            }
        }
    }

    /// When the next delayed key is due.
    pub fn next_due(&self) -> Option<i64> {
        self.by_due.first_key_value().map(|((due, _), _)| *due)
    }

    /// A key whose delay ends at this time, and what for; of several, one for which the clock waits.
    pub fn delayed_until(&self, at_ms: i64) -> Option<(DueKind, &Key)> {
        let delayed = self.by_due.range((at_ms, 0)..=(at_ms, u64::MAX));
        delayed
            .map(|(_, (key, kind))| (*kind, key))
            .max_by_key(|(kind, _)| *kind)
    }

    /// When the next delay ends that is not only for a periodic sync.
    pub fn next_besides_syncs(&self) -> Option<i64> {
        let mut all = self.by_due.iter();
        all.find(|(_, (_, kind))| *kind != DueKind::Sync)
            .map(|((due, _), _)| *due)
    }

    /// What a key's delay was for is no longer due; its time stays.
    pub fn call_off(&mut self, key: &Key) {
        let delayed = self.waiting.get(key);
        if let Some((_, kind)) = delayed.and_then(|due| self.by_due.get_mut(due)) {
            *kind = DueKind::Work;
        }
    }
}

#[cfg(test)]
mod tests;
