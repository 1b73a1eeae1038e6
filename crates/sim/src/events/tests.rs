use k8s_openapi::api::core::v1::Pod;

use super::*;
use crate::audit_log::Level;

const MINUTE: i64 = 60_000;

fn pod(version: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.uid = Some("uid".to_owned());
    pod.metadata.resource_version = Some(version.to_owned());
    pod
}

fn says(log: &mut EventLog, message: &str, now_ms: i64) {
    let event = Event::new(&pod("1"), Level::Warning, "FailedCreate", message);
    log.note(&Arc::new(event), now_ms);
}

fn fails(log: &mut EventLog, version: &str, message: &str, now_ms: i64) {
    let scheduler = "default-scheduler".to_owned();
    let reason = "FailedScheduling";
    let event = Event::scheduling(&pod(version), Level::Warning, reason, message, scheduler);
    log.note(&Arc::new(event), now_ms);
}

/// Message, count, first and last time of the API server's events.
fn seen(log: &EventLog, now_ms: i64) -> Vec<(String, u32, i64, i64)> {
    let all = log.seen(now_ms);
    all.map(|it| (it.message.clone(), it.count, it.first_ms, it.last_ms))
        .collect()
}

#[test]
fn repeated_events_are_counted() {
    let mut log = EventLog::default();
    says(&mut log, "no room", 1_000);
    says(&mut log, "no nodes", 2_000);
    says(&mut log, "no room", 5_000);
    assert_eq!(
        seen(&log, 5_000),
        [
            ("no room".to_owned(), 2, 1_000, 5_000),
            ("no nodes".to_owned(), 1, 2_000, 2_000)
        ]
    );
}

#[test]
fn the_tenth_similar_message_is_combined_with_those_that_follow() {
    let mut log = EventLog::default();
    for number in 1..=12 {
        says(&mut log, &format!("no {number}"), number * 1_000);
    }
    let all = seen(&log, 12_000);
    assert_eq!(all.len(), 10);
    assert_eq!(all[8], ("no 9".to_owned(), 1, 9_000, 9_000));
    let combined = "(combined from similar events): no 12".to_owned();
    assert_eq!(all[9], (combined, 3, 10_000, 12_000));
    // After ten minutes without an event, messages are no longer combined.
    says(&mut log, "no 20", 12_000 + 10 * MINUTE + 1);
    let all = seen(&log, 12_000 + 10 * MINUTE + 1);
    assert_eq!(all.last().unwrap().0, "no 20");
}

#[test]
fn after_25_events_about_an_object_there_is_one_in_five_minutes() {
    let mut log = EventLog::default();
    for second in 0..40 {
        says(&mut log, "back-off", second * 1_000);
    }
    assert_eq!(seen(&log, 40_000), [("back-off".to_owned(), 25, 0, 24_000)]);
    // The next written event includes the count of those that were dropped.
    says(&mut log, "back-off", 5 * MINUTE);
    assert_eq!(
        seen(&log, 5 * MINUTE),
        [("back-off".to_owned(), 41, 0, 5 * MINUTE)]
    );
    says(&mut log, "something else", 5 * MINUTE);
    assert_eq!(seen(&log, 5 * MINUTE).len(), 1, "never written");
}

#[test]
fn an_event_is_forgotten_an_hour_after_it_was_written() {
    let mut log = EventLog::default();
    says(&mut log, "no room", 0);
    assert_eq!(seen(&log, 60 * MINUTE - 1).len(), 1);
    assert_eq!(seen(&log, 60 * MINUTE), []);
    // The recorder of the component keeps its count.
    says(&mut log, "no room", 70 * MINUTE);
    assert_eq!(
        seen(&log, 70 * MINUTE),
        [("no room".to_owned(), 2, 0, 70 * MINUTE)]
    );
}

#[test]
fn a_scheduler_tells_versions_of_a_pod_apart_and_keeps_the_first_message() {
    let mut log = EventLog::default();
    fails(&mut log, "1", "no room", 0);
    fails(&mut log, "2", "no room", 5_000);
    fails(&mut log, "2", "no nodes", 9_000);
    let all = [
        ("no room".to_owned(), 1, 0, 0),
        ("no room".to_owned(), 2, 5_000, 9_000),
    ];
    assert_eq!(seen(&log, 9_000), all);
    // From the third event on, a series is written only every half hour, or at its end.
    fails(&mut log, "2", "no room", 12_000);
    assert_eq!(seen(&log, 12_000), all);
    assert_eq!(seen(&log, 12 * MINUTE - 1), all);
    let ended = ("no room".to_owned(), 3, 5_000, 12_000);
    assert_eq!(seen(&log, 12 * MINUTE)[1], ended);
    // The next event begins another series.
    fails(&mut log, "2", "no room", 13 * MINUTE);
    let all = seen(&log, 13 * MINUTE);
    assert_eq!(all[1], ended);
    assert_eq!(all[2], ("no room".to_owned(), 1, 13 * MINUTE, 13 * MINUTE));
}

#[test]
fn a_series_that_goes_on_is_written_every_half_hour() {
    let mut log = EventLog::default();
    for number in 0..9 {
        fails(&mut log, "2", "no room", number * 5 * MINUTE + 1);
    }
    // Events at 0, 5, … 40 minutes; written at 5 and at 30.
    let count_at = |now: i64| seen(&log, now)[0].1;
    assert_eq!(count_at(40 * MINUTE + 1), 6);
    assert_eq!(count_at(48 * MINUTE - 1), 6);
    assert_eq!(count_at(48 * MINUTE), 9);
}
