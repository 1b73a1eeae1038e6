//! Virtual time in API timestamps.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

/// 2025-01-01T00:00:00Z in milliseconds since the Unix epoch: when virtual time begins.
const EPOCH_MS: i64 = 1_735_689_600_000;

/// The API timestamp of a moment in milliseconds of virtual time.
pub fn time_at(ms: i64) -> Time {
    Time(Timestamp::from_millisecond(EPOCH_MS.saturating_add(ms)).unwrap_or_default())
}

/// The moment of an API timestamp in milliseconds of virtual time; the inverse of [`time_at`].
pub fn ms_of(time: &Time) -> i64 {
    time.0.as_millisecond().saturating_sub(EPOCH_MS)
}
