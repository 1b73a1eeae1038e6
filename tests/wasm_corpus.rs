//! The recorded scenarios in WebAssembly: the same decisions, and the same runs as natively.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "conformance/compare.rs"]
mod compare;
#[path = "conformance/corpus.rs"]
mod corpus;
#[path = "conformance/parity.rs"]
mod parity;

use berth::session::{Options, Session, SourceFile};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn every_recorded_decision_is_equal_in_every_field() {
    let cases = corpus::cases();
    let mut equal = 0;
    for case in &cases {
        let mut session = Session::new(Options {
            first_on_ties: true,
            seed: 0,
            expand_workloads: false,
            live: false,
        });
        session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]);
        let want: serde_json::Value = serde_json::from_str(&case.json).expect("JSON");
        let got = session.trace(&case.name).expect("a trace");
        let comparison = compare::compare(&want, &got);
        let first = comparison.differences.first();
        assert!(first.is_none(), "{}: {first:?}", case.name);
        equal += comparison.equal_attempts;
    }
    assert_eq!((cases.len(), equal), (1_342, 8_894));
}

#[wasm_bindgen_test]
fn fingerprints_are_those_of_every_build() {
    parity::assert_fingerprints(&corpus::cases());
}
