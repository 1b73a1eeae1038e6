use k8s_openapi::jiff::Timestamp;

use super::{Schedule, Zone};

fn second(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_second()
}

/// The next matches after a moment, in the zone's local time.
fn next(schedule: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let (schedule, _) = Schedule::parse(schedule).unwrap();
    let zone = Zone::load(zone).unwrap();
    let mut at = second(after);
    let mut times = Vec::new();
    for _ in 0..count {
        let Some(time) = schedule.next(at, &zone) else {
            times.push("never".to_owned());
            break;
        };
        times.push(zone.rfc3339(time));
        at = time;
    }
    times
}

#[test]
fn times_fit_their_fields() {
    for (schedule, after, expected) in [
        ("* * * * *", "2025-01-01T00:00:00Z", "2025-01-01T00:01:00Z"),
        ("* * * * *", "2025-01-01T00:00:59Z", "2025-01-01T00:01:00Z"),
        (
            "*/15 * * * *",
            "2025-01-01T00:46:00Z",
            "2025-01-01T01:00:00Z",
        ),
        (
            "20-35/15 * * * *",
            "2025-01-01T00:20:00Z",
            "2025-01-01T00:35:00Z",
        ),
        (
            "40/15 * * * *",
            "2025-01-01T00:40:00Z",
            "2025-01-01T00:55:00Z",
        ),
        (
            "0 9,18 * * *",
            "2025-01-01T09:00:00Z",
            "2025-01-01T18:00:00Z",
        ),
        ("30 8 1 * *", "2025-01-01T09:00:00Z", "2025-02-01T08:30:00Z"),
        (
            "0 0 * FEB MON-wed",
            "2025-01-01T00:00:00Z",
            "2025-02-03T00:00:00Z",
        ),
        (
            "0 0 ? * sun",
            "2025-01-01T00:00:00Z",
            "2025-01-05T00:00:00Z",
        ),
        // With both day fields set, either matches. A star with a step counts as set.
        ("0 0 13 * 5", "2025-01-04T00:00:00Z", "2025-01-10T00:00:00Z"),
        ("0 0 13 * 5", "2025-01-10T00:00:00Z", "2025-01-13T00:00:00Z"),
        (
            "0 0 */20 * 1",
            "2025-01-01T00:00:00Z",
            "2025-01-06T00:00:00Z",
        ),
        ("0 0 29 2 *", "2025-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("@yearly", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("@weekly", "2025-01-01T00:00:00Z", "2025-01-05T00:00:00Z"),
        ("@hourly", "2025-01-01T00:30:00Z", "2025-01-01T01:00:00Z"),
        (
            "@every 1h30m",
            "2025-01-01T00:00:10Z",
            "2025-01-01T01:30:10Z",
        ),
        (
            "@every 10ms",
            "2025-01-01T00:00:10Z",
            "2025-01-01T00:00:11Z",
        ),
        ("0 0 31 2 *", "2025-01-01T00:00:00Z", "never"),
    ] {
        assert_eq!(
            next(schedule, "", after, 1),
            [expected],
            "{schedule} after {after}"
        );
    }
}

#[test]
fn zones_shift_times_and_follow_daylight_saving() {
    let noon = next("0 12 * * *", "Asia/Shanghai", "2025-01-01T00:00:00Z", 1);
    assert_eq!(noon, ["2025-01-01T12:00:00+08:00"]);
    // 02:30 does not exist on 2025-03-09 in New York, and 01:30 occurs twice on 2025-11-02.
    assert_eq!(
        next("30 2 * * *", "America/New_York", "2025-03-08T12:00:00Z", 1),
        ["2025-03-10T02:30:00-04:00"]
    );
    assert_eq!(
        next("30 1 * * *", "America/New_York", "2025-11-02T00:00:00Z", 3),
        [
            "2025-11-02T01:30:00-04:00",
            "2025-11-02T01:30:00-05:00",
            "2025-11-03T01:30:00-05:00"
        ]
    );
    // A day without midnight.
    assert_eq!(
        next("0 0 * * *", "Africa/Cairo", "2025-04-24T12:00:00Z", 1),
        ["2025-04-26T00:00:00+03:00"]
    );
    assert_eq!(
        next("0 5 1 4 *", "America/New_York", "2025-01-01T00:00:00Z", 1),
        ["2025-04-01T05:00:00-04:00"]
    );
}

#[test]
fn offsets_without_a_rule_are_listed() {
    // Morocco sets its clocks back for Ramadan.
    let casablanca = Zone::load("Africa/Casablanca").unwrap();
    let offsets = [
        "2025-01-15T00:00:00Z",
        "2025-03-15T00:00:00Z",
        "2025-06-15T00:00:00Z",
    ]
    .map(|time| casablanca.offset_at(second(time)) / 3_600);
    assert_eq!(offsets, [1, 0, 1]);
    let kathmandu = Zone::load("Asia/Kathmandu").unwrap();
    assert_eq!(kathmandu.offset_at(second("2025-06-15T00:00:00Z")), 20_700);
}

#[test]
fn every_listed_zone_can_be_loaded() {
    let names = super::zones::names();
    let mut count = 0;
    for name in names {
        assert!(Zone::load(name).is_ok(), "{name}");
        count += 1;
    }
    assert!(count > 500, "{count}");
    assert_eq!(
        Zone::load("Mars/Base").unwrap_err(),
        "unknown time zone Mars/Base"
    );
}

#[test]
fn invalid_schedules_give_the_real_messages() {
    for (schedule, expected) in [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("* * * * 7", "end of range (7) above maximum (6): 7"),
        (
            "5-1 * * * *",
            "beginning of range (5) beyond end of range (1): 5-1",
        ),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("*/2/3 * * * *", "too many slashes: */2/3"),
        (
            "*/0 * * * *",
            "step of range should be a positive number: */0",
        ),
        (
            "L * * * *",
            "failed to parse int from L: strconv.Atoi: parsing \"L\": invalid syntax",
        ),
        ("@often", "unrecognized descriptor: @often"),
        (
            "@every soon",
            "failed to parse duration @every soon: time: invalid duration \"soon\"",
        ),
        (
            "TZ=Mars * * * * *",
            "provided bad location Mars: unknown time zone Mars",
        ),
    ] {
        assert_eq!(
            Schedule::parse(schedule).unwrap_err(),
            expected,
            "{schedule}"
        );
    }
    let (_, zone) = Schedule::parse("CRON_TZ=Asia/Tokyo 0 0 * * *").unwrap();
    assert_eq!(
        zone.unwrap().offset_at(second("2025-01-01T00:00:00Z")),
        32_400
    );
}
