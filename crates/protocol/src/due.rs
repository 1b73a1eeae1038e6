//! What happens next in a simulated cluster, and how far its clock goes by itself.

use borsh::{BorshDeserialize, BorshSerialize};

/// After a line of the terminal, the clock goes on to the last thing that is due within this time.
pub const REST_MS: i64 = 10_000;

/// What happens next.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Due {
    /// In milliseconds since the cluster began.
    pub at_ms: i64,
    pub kind: DueKind,
    /// What it concerns, `namespace/name`; empty if that is not one object.
    pub object: String,
}

/// The kind of what happens next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(BorshSerialize, BorshDeserialize)]
pub enum DueKind {
    /// An autoscaler is synced, as every 15 seconds: it may find nothing to do.
    Sync,
    /// A component continues: a container starts or exits, a grace period ends, a failed write is retried.
    #[default]
    Work,
    /// A Pod is evicted: its toleration of a taint ends.
    Eviction,
    /// A deadline passes: of a rollout, a Job, a Pod, or a finished Job's time to live.
    Deadline,
    /// A backoff ends: of a container, an image, a Job's next Pod, or the scheduling queue.
    Backoff,
    /// The scheduling queue tries Pods again that nothing has helped for five minutes.
    Flush,
}

impl DueKind {
    /// Whether the clock waits before it until someone asks for it.
    pub fn is_awaited(self) -> bool {
        self != Self::Work
    }
}

impl Due {
    /// Whether the cluster is at rest until then, seen from this time: the clock does not go there by itself.
    pub fn ends_rest(&self, from_ms: i64) -> bool {
        self.kind.is_awaited() || self.at_ms.saturating_sub(from_ms) > REST_MS
    }
}

/// Time that passed: `+4 s`, `+0.5 s`, `+5 min 20 s`, `+1 h`.
pub fn passed(milliseconds: i64) -> String {
    let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60);
    let (seconds, rest) = (milliseconds / 1000 % 60, milliseconds % 1000);
    let mut parts = Vec::new();
    for (count, unit) in [(hours, "h"), (minutes, "min")] {
        if count > 0 {
            parts.push(format!("{count} {unit}"));
        }
    }
    if rest > 0 && parts.is_empty() {
        let decimals = format!("{rest:03}");
        parts.push(format!("{seconds}.{} s", decimals.trim_end_matches('0')));
    } else if seconds > 0 || parts.is_empty() {
        parts.push(format!("{seconds} s"));
    }
    format!("+{}", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn times_that_passed_are_short() {
        for (milliseconds, text) in [
            (4_000, "+4 s"),
            (1_500, "+1.5 s"),
            (61_500, "+1 min 1 s"),
            (320_000, "+5 min 20 s"),
            (3_600_000, "+1 h"),
        ] {
            assert_eq!(passed(milliseconds), text);
        }
    }
}
