//! All integration tests, in one binary: one link, and all test threads busy to the end.
//!
//! Tests marked `#[portable]` also run in WebAssembly (`cargo xtask test wasm`), so both builds are compared with the
//! same recordings and digests.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
#![cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "helpers of native tests"))]

mod conformance;
mod conformance_135;
mod conformance_136;
mod conformance_1363;
mod conformance_controllers;
mod conformance_devices;
mod conformance_queue;
mod conformance_wild;
mod lives;
mod pictures;
mod snapshot;
mod verify;

#[cfg(target_arch = "wasm32")]
mod js;

#[cfg(not(target_arch = "wasm32"))]
mod arithmetic;
#[cfg(not(target_arch = "wasm32"))]
mod cli;
#[cfg(not(target_arch = "wasm32"))]
mod compare;
#[cfg(not(target_arch = "wasm32"))]
mod conformance_api;
#[cfg(not(target_arch = "wasm32"))]
mod examples;
#[cfg(not(target_arch = "wasm32"))]
mod export;
#[cfg(not(target_arch = "wasm32"))]
mod fixes;
#[cfg(not(target_arch = "wasm32"))]
mod fuzz_smoke;
#[cfg(not(target_arch = "wasm32"))]
mod handouts;
#[cfg(not(target_arch = "wasm32"))]
mod languages;
#[cfg(not(target_arch = "wasm32"))]
mod lessons;
#[cfg(not(target_arch = "wasm32"))]
mod links;
#[cfg(not(target_arch = "wasm32"))]
mod mcp;
#[cfg(not(target_arch = "wasm32"))]
mod names;
#[cfg(not(target_arch = "wasm32"))]
mod reading;
mod redaction;
#[cfg(not(target_arch = "wasm32"))]
mod reduce;
#[cfg(not(target_arch = "wasm32"))]
mod report;
#[cfg(not(target_arch = "wasm32"))]
mod schema;
#[cfg(not(target_arch = "wasm32"))]
mod seeds;
#[cfg(not(target_arch = "wasm32"))]
mod serve;
#[cfg(not(target_arch = "wasm32"))]
mod shelf;
#[cfg(not(target_arch = "wasm32"))]
mod typescript;
#[cfg(not(target_arch = "wasm32"))]
mod what_ifs;

/// The attribute of a test that runs natively and in WebAssembly.
#[cfg(not(target_arch = "wasm32"))]
use core::prelude::v1::test as portable;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as portable;

/// Whether tests play all that they can instead of a part: `cargo xtask test all` sets it.
fn all() -> bool {
    std::env::var("BERTH_TESTS").is_ok_and(|extent| extent == "all")
}
