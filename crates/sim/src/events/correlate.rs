//! The recorder of all other components (client-go v1.34, `tools/record`): the events of one component about one
//! object.

use std::borrow::Cow;

use crate::audit_log::{Event, Level};
use berth_base::hash::Fnv;

/// Number of different messages of one type and reason from which on they are combined in one event.
const MAX_SIMILAR: usize = 10;
/// Time without an event after which messages are forgotten.
const SIMILAR_MS: i64 = 600_000;
/// Size of the token bucket, and the time in which it gains a token.
const BURST: i64 = 25;
const REFILL_MS: i64 = 300_000;

/// The past events of one component about one object.
#[derive(Clone, Debug)]
pub(super) struct Correlator {
    similar: Vec<Similar>,
    /// Tokens in the bucket at `last_ms`, as the time in milliseconds that it takes to gain them.
    saved_ms: i64,
    last_ms: i64,
}

/// Messages of one type and reason.
#[derive(Clone, Debug)]
struct Similar {
    level: Level,
    reason: Cow<'static, str>,
    /// Hashes of different messages.
    messages: Vec<u64>,
    last_ms: i64,
    /// Record numbers by hash of the message; `combined` is that of the combined event.
    records: Vec<(u64, u64)>,
    combined: Option<u64>,
}

impl Default for Correlator {
    fn default() -> Self {
        Self {
            similar: Vec::new(),
            saved_ms: BURST * REFILL_MS,
            last_ms: 0,
        }
    }
}

impl Correlator {
    /// The number of the record that counts this event (`new` if there is none yet), and whether that is the combined
    /// event.
    pub fn place(&mut self, event: &Event, now_ms: i64, new: u64) -> (u64, bool) {
        let similar = self.similar(event, now_ms);
        if now_ms - similar.last_ms > SIMILAR_MS {
            similar.messages.clear();
        }
        similar.last_ms = now_ms;
        let mut hash = Fnv::new();
        hash.text(&event.message);
        let message = hash.0;
        if !similar.messages.contains(&message) {
            similar.messages.push(message);
        }
        if similar.messages.len() < MAX_SIMILAR {
            let mut known = similar.records.iter();
            if let Some((_, number)) = known.find(|(known, _)| *known == message) {
                return (*number, false);
            }
            similar.records.push((message, new));
            return (new, false);
        }
        // client-go drops an arbitrary one of them.
        let any = message % MAX_SIMILAR as u64;
        similar
            .messages
            .swap_remove(usize::try_from(any).unwrap_or_default());
        (*similar.combined.get_or_insert(new), true)
    }

    fn similar(&mut self, event: &Event, now_ms: i64) -> &mut Similar {
        let is_it = |it: &Similar| it.level == event.level && it.reason == event.reason;
        let place = self.similar.iter().position(is_it).unwrap_or_else(|| {
            self.similar.push(Similar {
                level: event.level,
                reason: event.reason.clone(),
                messages: Vec::new(),
                last_ms: now_ms,
                records: Vec::new(),
                combined: None,
            });
            self.similar.len() - 1
        });
        &mut self.similar[place]
    }

    /// Takes a token for one more event; `false` if the bucket is empty, so that the event is dropped.
    pub fn may_write(&mut self, now_ms: i64) -> bool {
        let saved = self.saved_ms.saturating_add(now_ms - self.last_ms);
        self.saved_ms = saved.min(BURST * REFILL_MS);
        self.last_ms = now_ms;
        let may = self.saved_ms >= REFILL_MS;
        if may {
            self.saved_ms -= REFILL_MS;
        }
        may
    }

    /// Whether it can be dropped: its messages have expired and the bucket is full.
    pub fn is_idle(&self, now_ms: i64) -> bool {
        let saved = self.saved_ms.saturating_add(now_ms - self.last_ms);
        now_ms - self.last_ms > SIMILAR_MS && saved >= BURST * REFILL_MS
    }
}

/// The combined event of similar events, with the message of this one.
pub(super) fn combined(event: &Event) -> Event {
    Event {
        message: format!("(combined from similar events): {}", event.message),
        ..event.clone()
    }
}
