//! Compares Berth with kube-scheduler v1.36.3 on clusters as clouds label them, with all that v1.36 has on by default, and
//! on one rule a scenario (`minimal`).

use berth_scheduler::release::Version;

use crate::conformance::assert_equal;
use crate::conformance::corpus;
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_1363/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_1363/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (240, 3_433);

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED);
    assert_equal(&cases, Version::V1_36, RECORDED);
}
