//! Compares Berth with kube-scheduler v1.36 (recorded at v1.36.2): scenarios aimed at what it decides differently, and
//! every third of those that v1.34.1 decided.

use berth_scheduler::release::Version;

use crate::conformance::assert_equal;
use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_136/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_136/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (560, 3_501);

/// All cases.
pub fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    assert_equal(&cases(), Version::V1_36, RECORDED);
}
