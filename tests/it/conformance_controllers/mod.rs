//! Compares Berth's workload controllers with recorded lives of the real ones: the writes of each instant,
//! the events, and the state of the workloads.

mod compare;

use berth_core::release::{Choice, Version};
use berth_session::SourceFile;
use berth_session::replay::{Timeline, timeline};
use compare::compare;
use serde_json::{Value, json};

use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("scenarios.br");
const EXPECTED: &[u8] = include_bytes!("expected.br");

/// Number of recorded lives and instants.
const RECORDED: (usize, usize) = (95, 913);
/// Maximum number of differing lives to print.
const SHOWN: usize = 12;

fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

fn played(name: &str, yaml: &str) -> Timeline {
    timeline(&[SourceFile::new(name, yaml)], &Choice::default())
}

#[portable]
fn every_recorded_life_is_equal_instant_by_instant() {
    let cases = cases();
    let mut equal = 0;
    let mut different = Vec::new();
    for case in &cases {
        let name = format!("{}/{}", case.category, case.name);
        let want: Value = serde_json::from_str(&case.json).expect("JSON");
        let played = played(&name, &case.yaml);
        assert_eq!(played.problems, [], "{name}");
        let got = played.record.expect("played");
        let (instants, problem) = compare(&want, &got);
        equal += instants;
        different.extend(problem.map(|problem| format!("  {name}: {problem}\n")));
    }
    assert!(
        different.is_empty(),
        "{} of {} lives are equal; the first that differ:\n{}",
        cases.len() - different.len(),
        cases.len(),
        different[..different.len().min(SHOWN)].concat()
    );
    assert_eq!((cases.len(), equal), RECORDED);
}

#[test]
fn the_same_life_is_played_twice_byte_for_byte() {
    for case in cases().iter().step_by(5) {
        let text = || {
            played(&case.name, &case.yaml)
                .record
                .map(|record| record.to_string())
        };
        assert_eq!(text(), text(), "{}", case.name);
    }
}

#[test]
fn hashes_of_templates_are_the_real_ones() {
    for case in cases() {
        let want: Value = serde_json::from_str(&case.json).expect("JSON");
        let got = played(&case.name, &case.yaml).record.expect("played");
        assert_eq!(
            got["hashes"], want["hashes"],
            "{}/{}",
            case.category, case.name
        );
    }
}

#[test]
fn a_changed_field_is_found() {
    let case = &cases()[0];
    let want: Value = serde_json::from_str(&case.json).expect("JSON");
    assert_eq!(compare(&want, &want).1, None);
    for (pointer, value) in [
        ("/timeline/0/t", json!(1)),
        ("/timeline/0/actions/0", json!("create Node other")),
        ("/timeline/0/events/0/message", json!("other")),
        ("/timeline/0/workloads/0/status", json!({})),
    ] {
        let mut other = want.clone();
        *other.pointer_mut(pointer).expect("is there") = value;
        assert_eq!(compare(&want, &other).0, 0, "{pointer}");
    }
}
