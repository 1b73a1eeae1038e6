//! Exponential backoff: 10 seconds, doubled up to 5 minutes.
//!
//! Mirrors client-go v1.34 `flowcontrol.Backoff` as the kubelet uses it for containers and images.

/// The initial backoff.
const FIRST_MS: i64 = 10_000;
/// The maximum backoff.
const LONGEST_MS: i64 = 300_000;

/// The current backoff and the time of the last attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Backoff {
    last: Option<(i64, i64)>,
}

impl Backoff {
    /// When the backoff after an event at `event_ms` ends. `None` if there is none: no attempt was recorded, the last
    /// one was more than 10 minutes before the event, or the backoff is over.
    pub fn until(&self, event_ms: i64, now_ms: i64) -> Option<i64> {
        let (wait, tried) = self.last?;
        let until = event_ms.saturating_add(wait);
        (!is_forgotten(tried, event_ms) && now_ms < until).then_some(until)
    }

    /// The current backoff in milliseconds.
    pub fn wait_ms(&self) -> i64 {
        self.last.map_or(0, |(wait, _)| wait)
    }

    /// Records an attempt after an event at `event_ms` and doubles the backoff.
    pub fn next(&mut self, event_ms: i64, now_ms: i64) {
        let wait = match self.last {
            Some((wait, tried)) if !is_forgotten(tried, event_ms) => {
                wait.saturating_mul(2).min(LONGEST_MS)
            }
            _ => FIRST_MS,
        };
        self.last = Some((wait, now_ms));
    }
}

/// Whether the backoff is reset, since more than 10 minutes have passed.
fn is_forgotten(tried_ms: i64, event_ms: i64) -> bool {
    event_ms.saturating_sub(tried_ms) > 2 * LONGEST_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes_and_are_forgotten_after_ten() {
        let mut backoff = Backoff::default();
        let mut now = 0;
        assert_eq!(
            backoff.until(now, now),
            None,
            "the first restart is at once"
        );
        let mut waits = Vec::new();
        for _ in 0..7 {
            backoff.next(now, now);
            now += 1_000;
            let until = backoff.until(now, now).unwrap();
            waits.push((until - now) / 1_000);
            now = until;
            assert_eq!(backoff.until(until, until), Some(until + backoff.wait_ms()));
        }
        assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300]);
        let tried = now;
        backoff.next(now, now);
        assert!(backoff.until(tried + 600_000, tried + 600_000).is_some());
        assert_eq!(backoff.until(tried + 600_001, tried + 600_001), None);
        backoff.next(tried + 600_001, tried + 600_001);
        assert_eq!(backoff.wait_ms(), 10_000);
    }
}
