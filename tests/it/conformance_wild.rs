//! Compares Berth with kube-scheduler v1.34.1 on clusters as people really have them (random mixes of everything), and
//! on storage capacity.

use berth_core::release::Version;

use crate::conformance::{assert_equal, corpus};
use crate::portable;

const SCENARIOS: &[u8] = include_bytes!("conformance_wild/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_wild/expected.br");

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (101, 735);

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED);
    assert_equal(&cases, Version::V1_34, RECORDED);
}
