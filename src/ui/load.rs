//! Loads modules that are published beside the page when they are first needed.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/www/load.js")]
extern "C" {
    /// Loads a module; resolves to its namespace.
    pub fn load(address: &str) -> Promise;
}
