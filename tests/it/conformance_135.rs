//! Compares Berth with kube-scheduler v1.35.6: every eighth of the scenarios that v1.34.1 and v1.36.3 decided, too, and all
//! that aim at what changed between them. Scenarios whose objects the API server of v1.35 refuses are not among them.

use berth_scheduler::release::Version;

use crate::conformance::assert_equal;
use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_135/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_135/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (407, 3_146);

pub fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    assert_equal(&cases(), Version::V1_35, RECORDED);
}
