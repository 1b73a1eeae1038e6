//! Backoff before a failed Pod on a node is replaced (client-go `flowcontrol.Backoff`).

use std::collections::BTreeMap;

const FIRST_MS: i64 = 1_000;
const LONGEST_MS: i64 = 15 * 60 * 1_000;

/// Delays by DaemonSet and node. Each is twice the one before, and is reset after half an hour without a failure.
#[derive(Clone, Debug, Default)]
pub(super) struct Backoff {
    /// The delay and its start, both in milliseconds.
    entries: BTreeMap<(String, String), (i64, i64)>,
}

impl Backoff {
    /// The current delay, if it has not expired.
    pub(super) fn pending(&self, id: &(String, String), now_ms: i64) -> Option<i64> {
        let (delay, since) = *self.entries.get(id)?;
        let passed = now_ms - since;
        (passed <= 2 * LONGEST_MS && passed < delay).then_some(delay)
    }

    /// Starts the next delay.
    pub(super) fn next(&mut self, id: (String, String), now_ms: i64) {
        let entry = self.entries.entry(id).or_insert((0, now_ms));
        let (delay, since) = *entry;
        let delay = if delay == 0 || now_ms - since > 2 * LONGEST_MS {
            FIRST_MS
        } else {
            (delay * 2).min(LONGEST_MS)
        };
        *entry = (delay, now_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_are_forgotten() {
        let id = ("default/agent".to_owned(), "n1".to_owned());
        let mut backoff = Backoff::default();
        assert_eq!(backoff.pending(&id, 0), None);
        backoff.next(id.clone(), 0);
        assert_eq!(backoff.pending(&id, 999), Some(1_000));
        assert_eq!(backoff.pending(&id, 1_000), None);
        backoff.next(id.clone(), 5_000);
        assert_eq!(backoff.pending(&id, 6_999), Some(2_000));
        backoff.next(id.clone(), 5_000 + 2 * LONGEST_MS + 1);
        assert_eq!(
            backoff.pending(&id, 5_000 + 2 * LONGEST_MS + 1),
            Some(1_000)
        );
    }
}
