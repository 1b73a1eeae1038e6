//! Finds files that are published beside the page, and loads modules when they are first needed.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/www/load.js")]
extern "C" {
    /// The address of a file.
    pub fn locate(name: &str) -> String;
    /// Loads a module; resolves to its namespace.
    pub fn load(address: &str) -> Promise;
}
