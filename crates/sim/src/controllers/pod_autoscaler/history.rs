//! What an autoscaler remembers: its recommendations, and how it changed the number of replicas.
//!
//! A window or period excludes what happened exactly at its beginning: syncs of a real controller are a little more
//! than 15 seconds apart.

/// A number of replicas at a time in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Sample {
    replicas: i32,
    at_ms: i64,
}

/// The longest stabilization window that the API server accepts.
const LONGEST_MS: i64 = 3_600_000;

/// The memory of one autoscaler.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Recommendations before stabilization.
    recommendations: Vec<Sample>,
    /// Replicas added.
    added: Vec<Sample>,
    /// Replicas removed.
    removed: Vec<Sample>,
}

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

impl History {
    /// Counts the replicas at the first sync as a recommendation.
    pub fn begin(&mut self, replicas: i32, now_ms: i64) {
        if self.recommendations.is_empty() {
            self.recommend(replicas, now_ms);
        }
    }

    pub fn recommend(&mut self, replicas: i32, now_ms: i64) {
        put(&mut self.recommendations, replicas, now_ms);
    }

    /// The recommendations of the last `seconds`.
    pub fn recommended(&self, seconds: i32, now_ms: i64) -> impl Iterator<Item = i32> {
        within(&self.recommendations, seconds, now_ms)
    }

    pub fn rescaled(&mut self, from: i32, to: i32, now_ms: i64) {
        let samples = if to > from {
            &mut self.added
        } else {
            &mut self.removed
        };
        let change = i32::try_from(to.abs_diff(from)).unwrap_or(i32::MAX);
        put(samples, change, now_ms);
    }

    /// The replicas `seconds` ago, without the changes since then.
    pub fn replicas_before(&self, current: i32, seconds: i32, now_ms: i64) -> i32 {
        let sum = |samples| within(samples, seconds, now_ms).fold(0, i32::saturating_add);
        current
            .saturating_sub(sum(&self.added))
            .saturating_add(sum(&self.removed))
    }
}

fn put(samples: &mut Vec<Sample>, replicas: i32, now_ms: i64) {
    samples.retain(|sample| now_ms - sample.at_ms <= LONGEST_MS);
    samples.push(Sample {
        replicas,
        at_ms: now_ms,
    });
}

fn within(samples: &[Sample], seconds: i32, now_ms: i64) -> impl Iterator<Item = i32> {
    let since_ms = now_ms.saturating_sub(i64::from(seconds) * 1_000);
    let newer = samples.iter().filter(move |sample| sample.at_ms > since_ms);
    newer.map(|sample| sample.replicas)
}
