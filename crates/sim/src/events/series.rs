//! The recorder of kube-scheduler (client-go v1.34, `tools/events`): repeated events about the same version of an
//! object become a series.
//!
//! A series is written when it begins, with its second event. Its count is written every half hour, and when the
//! series has ended: every six minutes the recorder looks for series without an event in the last six minutes. The
//! message stays the first one.

use super::{Count, EventRecord};

/// The period in which the recorder looks for series that have ended, and the age at which they have.
const FINISH_MS: i64 = 6 * 60_000;
/// The period in which it writes all series.
const REFRESH_MS: i64 = 30 * 60_000;

/// Counts one more occurrence.
pub(super) fn observe(record: &mut EventRecord, now_ms: i64, sequence: u64) {
    record.written = written(record, now_ms).or(record.written);
    record.observe(now_ms, sequence);
    if record.observed.count <= 2 {
        record.write(now_ms);
    }
}

/// When the recorder finds that the series has ended.
fn finish(record: &EventRecord) -> i64 {
    let ticks = record.observed.last_ms.div_euclid(FINISH_MS);
    ticks.saturating_add(2).saturating_mul(FINISH_MS)
}

/// Whether the next occurrence begins a new series.
pub(super) fn is_over(record: &EventRecord, now_ms: i64) -> bool {
    now_ms >= finish(record)
}

/// The count that was written after the last occurrence, and when; `None` if none was.
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
