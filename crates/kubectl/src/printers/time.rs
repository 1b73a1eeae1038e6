//! Times and ages as kubectl writes them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::strtime;

use berth_sim::server::ms_of;

/// Parses an API timestamp to milliseconds of virtual time; `None` if it is invalid.
pub(crate) fn ms(text: &str) -> Option<i64> {
    let time: Timestamp = text.parse().ok()?;
    Some(ms_of(&Time(time)))
}

/// The rounded age of a time; `<unknown>` if there is none.
pub(crate) fn age(text: &str, now_ms: i64) -> String {
    match ms(text) {
        Some(then) => human(now_ms.saturating_sub(then)),
        None => "<unknown>".to_owned(),
    }
}

/// A duration as apimachinery's `duration.HumanDuration` (v0.34) writes it: `45s`, `3m20s`, `5h`, `2d3h`.
pub(crate) fn human(ms: i64) -> String {
    let seconds = ms / 1_000;
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    let days = hours / 24;
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => two(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2_920 => two(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

/// Omits the smaller unit if it is zero.
fn two(large: i64, unit: &str, small: i64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large}{unit}")
    } else {
        format!("{large}{unit}{small}{small_unit}")
    }
}

/// An API timestamp as `Wed, 01 Jan 2025 00:00:00 +0000` (Go's `time.RFC1123Z`); Go's zero time if it is invalid.
pub(crate) fn long(text: &str) -> String {
    let time = text.parse::<Timestamp>().ok();
    time.and_then(|time| strtime::format("%a, %d %b %Y %H:%M:%S %z", time).ok())
        .unwrap_or_else(|| "Mon, 01 Jan 0001 00:00:00 +0000".to_owned())
}

/// An API timestamp as `2025-01-01 00:00:00 +0000 UTC`, as Go prints times.
pub(crate) fn go(text: &str) -> String {
    let time = text.parse::<Timestamp>().ok();
    time.and_then(|time| strtime::format("%Y-%m-%d %H:%M:%S +0000 UTC", time).ok())
        .unwrap_or_else(|| "0001-01-01 00:00:00 +0000 UTC".to_owned())
}

/// The time of a file as `diff` writes it.
pub(crate) fn of_file(time: &Time) -> String {
    format(time, "%Y-%m-%d %H:%M:%S.%9f +0000")
}

/// The head of a line that kubectl logs as a warning (klog), without the number of a process.
pub(crate) fn of_log(time: &Time) -> String {
    format(time, "W%m%d %H:%M:%S.%6f       1")
}

fn format(time: &Time, form: &str) -> String {
    strtime::format(form, time.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_get_coarser_as_they_grow() {
        let cases = [
            (-5_000, "<invalid>"),
            (-1_500, "0s"),
            (0, "0s"),
            (119_000, "119s"),
            (120_000, "2m"),
            (9 * 60_000 + 59_000, "9m59s"),
            (10 * 60_000 + 59_000, "10m"),
            (179 * 60_000, "179m"),
            (180 * 60_000, "3h"),
            (7 * 3_600_000 + 120_000, "7h2m"),
            (47 * 3_600_000, "47h"),
            (48 * 3_600_000, "2d"),
            (50 * 3_600_000, "2d2h"),
            (8 * 86_400_000 + 3_600_000, "8d"),
            (730 * 86_400_000, "2y"),
            (733 * 86_400_000, "2y3d"),
            (3_000 * 86_400_000, "8y"),
        ];
        for (ms, expected) in cases {
            assert_eq!(human(ms), expected, "{ms}");
        }
    }

    #[test]
    fn ages_count_from_the_virtual_now() {
        assert_eq!(age("2025-01-01T00:00:10Z", 25_000), "15s");
        assert_eq!(age("", 25_000), "<unknown>");
    }

    #[test]
    fn files_and_logs_have_fractions() {
        let time = Time("2025-01-02T03:04:05.25Z".parse().expect("a time"));
        assert_eq!(of_file(&time), "2025-01-02 03:04:05.250000000 +0000");
        assert_eq!(of_log(&time), "W0102 03:04:05.250000       1");
    }

    #[test]
    fn times_have_their_weekday() {
        assert_eq!(
            long("2025-01-01T00:00:00Z"),
            "Wed, 01 Jan 2025 00:00:00 +0000"
        );
        assert_eq!(
            long("2024-02-29T23:59:58Z"),
            "Thu, 29 Feb 2024 23:59:58 +0000"
        );
        assert_eq!(long(""), "Mon, 01 Jan 0001 00:00:00 +0000");
    }
}
