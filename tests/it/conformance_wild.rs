//! Compares Berth with kube-scheduler v1.34.1 on clusters as people really have them (random mixes of everything), and
//! on storage capacity.

use berth_scheduler::release::Version;

use crate::conformance::assert_equal;
use crate::conformance::corpus::{self, Case};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_wild/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_wild/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (101, 735);

/// All cases.
pub fn cases() -> Vec<Case> {
    corpus::cases_of(SCENARIOS, EXPECTED)
}

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    assert_equal(&cases(), Version::V1_34, RECORDED);
}
