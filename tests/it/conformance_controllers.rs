//! Compares Berth's workload controllers with recorded lives of the real ones: the writes of each instant,
//! the events, and the state of the workloads.

mod compare;

use berth_scheduler::release::{Choice, Version};
use berth_session::SourceFile;
use berth_session::replay::{Timeline, timeline};
use compare::compare;
use serde_json::{Value, json};

use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_controllers/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_controllers/expected.br");
const SCENARIOS_136: &[u8] = include_bytes!("conformance_controllers_136/scenarios.br");
const EXPECTED_136: &[u8] = include_bytes!("conformance_controllers_136/expected.br");

/// Number of recorded lives and instants.
const RECORDED: (usize, usize) = (95, 913);
/// Those of v1.36.2's own controllers.
const RECORDED_136: (usize, usize) = (100, 969);
/// Maximum number of differing lives to print.
const SHOWN: usize = 12;

fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

fn played(version: Version, name: &str, yaml: &str) -> Timeline {
    let release = Choice {
        kubernetes: Some(version),
        ..Choice::default()
    };
    timeline(&[SourceFile::new(name, yaml)], &release)
}

/// Plays the lives with the controllers of a release, and compares them instant by instant.
#[track_caller]
fn assert_equal(cases: &[Case], version: Version, recorded: (usize, usize)) {
    let mut equal = 0;
    let mut different = Vec::new();
    for case in cases {
        let name = format!("{}/{}", case.category, case.name);
        let want: Value = serde_json::from_str(&case.json).expect("JSON");
        let played = played(version, &name, &case.yaml);
        assert_eq!(played.problems, [], "{name}");
        let got = played.record.expect("played");
        let (instants, problem) = compare(&want, &got, version);
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
    assert_eq!((cases.len(), equal), recorded);
}

#[portable]
fn every_recorded_life_is_equal_instant_by_instant() {
    assert_equal(&cases(), Version::V1_34, RECORDED);
}

#[portable]
fn every_life_of_v1_36_is_equal_instant_by_instant() {
    let cases = corpus::cases_of(SCENARIOS_136, EXPECTED_136);
    assert_equal(&cases, Version::V1_36, RECORDED_136);
}

#[test]
fn the_same_life_is_played_twice_byte_for_byte() {
    for case in cases().iter().step_by(5) {
        let text = || {
            played(Version::V1_34, &case.name, &case.yaml)
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
        let got = played(Version::V1_34, &case.name, &case.yaml)
            .record
            .expect("played");
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
    assert_eq!(compare(&want, &want, Version::V1_34).1, None);
    for (pointer, value) in [
        ("/timeline/0/t", json!(1)),
        ("/timeline/0/actions/0", json!("create Node other")),
        ("/timeline/0/events/0/message", json!("other")),
        ("/timeline/0/workloads/0/status", json!({})),
    ] {
        let mut other = want.clone();
        *other.pointer_mut(pointer).expect("is there") = value;
        assert_eq!(compare(&want, &other, Version::V1_34).0, 0, "{pointer}");
    }
}
