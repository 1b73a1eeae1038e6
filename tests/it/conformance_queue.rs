//! Compares Berth's scheduling queue with recorded lives of that of kube-scheduler v1.34.1: every event in order,
//! the deleted Pods, the final node of every Pod, and the contents of each queue.

mod compare;

use berth_session::replay::replay;
use berth_session::{Choice, Options, SourceFile, Version};
use compare::{compare, events};
use serde_json::Value;

use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_queue/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_queue/expected.br");

/// Number of recorded lives and events.
const RECORDED: (usize, usize) = (80, 3_915);
/// Maximum number of differing lives to print.
const SHOWN: usize = 12;

fn options(expand_workloads: bool) -> Options {
    Options {
        release: Choice {
            kubernetes: Some(Version::V1_34),
            ..Choice::default()
        },
        first_on_ties: true,
        seed: 0,
        expand_workloads,
        ..Options::default()
    }
}

fn played(case: &Case, tells_kept: bool) -> Value {
    let file = SourceFile::new(case.name.as_str(), case.yaml.as_str());
    let replayed = replay(&[file], None, options(false), tells_kept);
    assert_eq!(replayed.problems, [], "{}", case.name);
    let text = replayed.events(&case.name).expect("played");
    serde_json::from_str(&text).expect("JSON")
}

#[portable]
fn every_recorded_life_is_replayed_exactly() {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED);
    let mut equal_events = 0;
    let mut different: Vec<String> = Vec::new();
    for case in &cases {
        let want: Value = serde_json::from_str(&case.json).expect("JSON");
        let (equal, difference) = compare(&want, &played(case, false));
        equal_events += equal;
        let text = difference.map(|text| format!("  {}: {text}\n", case.name));
        different.extend(text);
    }
    assert!(
        different.is_empty(),
        "{} of {} lives are equal; the first that differ:\n{}",
        cases.len() - different.len(),
        cases.len(),
        different[..different.len().min(SHOWN)].concat()
    );
    assert_eq!((cases.len(), equal_events), RECORDED);
}

#[test]
fn noting_kept_pods_does_not_change_the_events() {
    for case in corpus::cases_of(SCENARIOS, EXPECTED).iter().step_by(9) {
        assert_eq!(played(case, true), played(case, false), "{}", case.name);
    }
}

#[test]
fn a_changed_event_is_found() {
    let case = &corpus::cases_of(SCENARIOS, EXPECTED)[0];
    let want: Value = serde_json::from_str(&case.json).expect("JSON");
    assert_eq!(compare(&want, &want), (events(&want).len(), None));
    let mut other = want.clone();
    other["events"][1]["t"] = 1.25.into();
    assert_eq!(compare(&want, &other).0, 1);
    let mut other = want.clone();
    other["queue"]["active"] = serde_json::json!(["a/b"]);
    let (_, difference) = compare(&want, &other);
    assert!(difference.is_some_and(|text| text.starts_with("queue")));
}
