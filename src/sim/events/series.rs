//! The recorder of kube-scheduler (client-go v1.34, `tools/events`): what is said again about the same version of
//! an object becomes a series.
//!
//! A series is written when it begins, with its second event; how often its event is said from then on is
//! written every half hour, and when it has ended: nothing was said for six minutes, of which every sixth is looked at. The message
//! stays the first one.

use super::{Count, EventRecord};

/// How often the recorder looks for what has ended, and how old that is.
const FINISH_MS: i64 = 6 * 60_000;
/// How often it writes all series.
const REFRESH_MS: i64 = 30 * 60_000;

/// It is said once more.
pub(super) fn observe(record: &mut EventRecord, now_ms: i64, sequence: u64) {
    record.written = written(record, now_ms).or(record.written);
    record.observe(now_ms, sequence);
    if record.observed.count <= 2 {
        record.write(now_ms);
    }
}

/// When the recorder finds that it has ended.
fn finish(record: &EventRecord) -> i64 {
    let ticks = record.observed.last_ms.div_euclid(FINISH_MS);
    ticks.saturating_add(2).saturating_mul(FINISH_MS)
}

/// Whether what is said now begins anew.
pub(super) fn is_over(record: &EventRecord, now_ms: i64) -> bool {
    now_ms >= finish(record)
}

/// What was written since it was said last, and when; `None` if nothing was.
pub(super) fn written(record: &EventRecord, now_ms: i64) -> Option<(Count, i64)> {
    if record.version.is_none() || record.observed.count < 2 {
        return None;
    }
    let finish = finish(record);
    if now_ms >= finish {
        return Some((record.observed, finish));
    }
    let refresh = now_ms.div_euclid(REFRESH_MS) * REFRESH_MS;
    (refresh > record.observed.last_ms).then_some((record.observed, refresh))
}
