//! The backoff of a Job after a failure: 10 seconds, doubled with each consecutive failure, up to ten minutes.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use crate::pod_util;
use crate::server::ms_of;
use berth_base::sort;

const FIRST_MS: i64 = 10_000;
const LONGEST_MS: i64 = 600_000;

/// Failures since the last success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub failures: u32,
    pub last_failure_ms: Option<i64>,
}

impl Record {
    /// Adds Pods that have finished since. Failures before the last success do not count.
    pub(super) fn with(self, succeeded: &[Arc<Pod>], failed: &[Arc<Pod>]) -> Self {
        let mut failed: Vec<i64> = failed.iter().map(|pod| finished_ms(pod)).collect();
        sort::sort(&mut failed);
        let last_success = succeeded.iter().map(|pod| finished_ms(pod)).max();
        let (before, counted) = match last_success {
            None => (self, failed),
            Some(success) => {
                let later = failed.into_iter().filter(|at| *at > success);
                (Record::default(), later.collect())
            }
        };
        let more = u32::try_from(counted.len()).unwrap_or(u32::MAX);
        Record {
            failures: before.failures.saturating_add(more),
            last_failure_ms: counted.last().copied().or(before.last_failure_ms),
        }
    }

    /// The remaining backoff.
    pub(super) fn remaining_ms(self, now_ms: i64) -> i64 {
        let Some(last) = self.last_failure_ms else {
            return 0;
        };
        remaining_ms(self.failures, last, now_ms)
    }
}

/// The remaining backoff after this many failures, the last one at `last_ms`.
pub(super) fn remaining_ms(failures: u32, last_ms: i64, now_ms: i64) -> i64 {
    if failures == 0 {
        return 0;
    }
    let factor = 1_i64
        .checked_shl((failures - 1).min(32))
        .unwrap_or(i64::MAX);
    let delay = FIRST_MS.saturating_mul(factor).min(LONGEST_MS);
    (delay - (now_ms - last_ms)).max(0)
}

/// When a Pod finished: when its last container terminated; if containers still run, when it became unready, or when
/// its deletion was requested.
pub(super) fn finished_ms(pod: &Pod) -> i64 {
    let mut ends = pod_util::container_statuses(pod).map(|status| {
        let terminated = status.state.as_ref()?.terminated.as_ref()?;
        terminated.finished_at.as_ref().map(ms_of)
    });
    let first = ends.next().flatten();
    let last = ends.try_fold(first, |last, end| Some(Some(last?.max(end?))));
    if let Some(Some(last)) = last {
        return last;
    }
    let unready = pod_util::ready_condition(pod).filter(|condition| condition.status == "False");
    let since = unready.and_then(|condition| condition.last_transition_time.as_ref());
    if let Some(since) = since {
        return ms_of(since);
    }
    if let Some(deletion) = &pod.metadata.deletion_timestamp {
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
        return ms_of(deletion) - grace.saturating_mul(1_000);
    }
    pod_util::created_ms(pod)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_ten_minutes() {
        let delays = [1, 2, 3, 6, 7, 40].map(|failures| remaining_ms(failures, 0, 0) / 1_000);
        assert_eq!(delays, [10, 20, 40, 320, 600, 600]);
        assert_eq!(
            (remaining_ms(0, 0, 0), remaining_ms(1, 0, 9_000)),
            (0, 1_000)
        );
        assert_eq!(remaining_ms(1, 0, 11_000), 0);
    }
}
