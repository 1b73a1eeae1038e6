//! Compares Berth with kube-scheduler on dynamic resource allocation.

use berth_scheduler::release::Version;

use crate::conformance::assert_equal;
use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_devices/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_devices/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (516, 2_791);

/// All cases that v1.34.1 decided.
pub fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

/// All cases that v1.36.2 decided; v1.36.3 decides them equally.
pub fn cases_136() -> Vec<Case> {
    corpus::cases_of(SCENARIOS_136, EXPECTED_136)
}

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    assert_equal(&cases(), Version::V1_34, RECORDED);
}

const SCENARIOS_136: &[u8] = include_bytes!("conformance_devices_136/scenarios.br");
const EXPECTED_136: &[u8] = include_bytes!("conformance_devices_136/expected.br");

#[portable]
fn every_decision_of_v1_36_is_equal_in_every_field() {
    assert_equal(&cases_136(), Version::V1_36, (524, 2_827));
}
