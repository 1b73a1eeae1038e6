//! The recorded lives of workloads in WebAssembly: as natively.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "conformance_controllers/compare.rs"]
mod compare;
#[path = "conformance/corpus.rs"]
mod corpus;

use berth::session::{SourceFile, timeline};
use wasm_bindgen_test::wasm_bindgen_test;

const SCENARIOS: &[u8] = include_bytes!("conformance_controllers/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_controllers/expected.br");

#[wasm_bindgen_test]
fn every_recorded_life_is_equal_instant_by_instant() {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED);
    let mut equal = 0;
    for case in &cases {
        let file = SourceFile::new(case.name.as_str(), case.yaml.as_str());
        let want: serde_json::Value = serde_json::from_str(&case.json).expect("JSON");
        let got = timeline::play(&[file]).record.expect("played");
        let (instants, problem) = compare::compare(&want, &got);
        assert_eq!(problem, None, "{}/{}", case.category, case.name);
        equal += instants;
    }
    assert_eq!((cases.len(), equal), (95, 913));
}
