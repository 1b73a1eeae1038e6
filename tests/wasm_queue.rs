//! The recorded lives of the scheduling queue in WebAssembly.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "conformance_queue/compare.rs"]
mod compare;
#[path = "conformance/corpus.rs"]
mod corpus;

use berth::session::replay::replay;
use berth::session::{Options, SourceFile};
use wasm_bindgen_test::wasm_bindgen_test;

const SCENARIOS: &[u8] = include_bytes!("conformance_queue/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("conformance_queue/expected.br");

#[wasm_bindgen_test]
fn every_recorded_life_is_lived_again() {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED);
    let mut events = 0;
    for case in &cases {
        let options = Options {
            first_on_ties: true,
            seed: 0,
            expand_workloads: false,
            live: false,
        };
        let file = SourceFile::new(case.name.as_str(), case.yaml.as_str());
        let text = replay(&[file], None, options, false).events(&case.name);
        let got = serde_json::from_str(&text.expect("played")).expect("JSON");
        let want = serde_json::from_str(&case.json).expect("JSON");
        let (equal, difference) = compare::compare(&want, &got);
        assert!(difference.is_none(), "{}: {difference:?}", case.name);
        assert_eq!(equal, compare::events(&want).len());
        events += equal;
    }
    assert_eq!((cases.len(), events), (80, 3_915));
}
