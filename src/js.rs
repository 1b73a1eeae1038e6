//! The JavaScript API: a class `Berth` with plain objects as arguments and results, and TypeScript types.
//!
//! No argument causes a panic: one of the wrong type throws a `TypeError`, a call that cannot be executed
//! throws an `Error`, and both messages name the remedy.

mod arguments;
mod berth;
#[cfg(feature = "cli")]
mod tools;
mod values;

use wasm_bindgen::prelude::*;

pub use berth::{Berth, Change, Owner, install};

/// The types of arguments, as `arguments` reads them.
#[wasm_bindgen(typescript_custom_section)]
const ARGUMENTS: &str = include_str!("js/arguments.d.ts");

/// The types of results, as serde writes them.
#[wasm_bindgen(typescript_custom_section)]
const RESULTS: &str = include_str!("js/types.d.ts");

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the program started.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;
}

/// Measures how fast this machine schedules; returns a table. `args` are numbers of nodes, names of
/// workloads and `crowd`, separated by spaces; empty measures everything, which takes minutes.
#[wasm_bindgen]
pub fn bench(
    #[wasm_bindgen(unchecked_optional_param_type = "string")] args: JsValue,
) -> Result<String, JsValue> {
    let args = arguments::optional_text("args", &args)?.unwrap_or_default();
    let environment = crate::bench::Environment {
        now_ms: &now_ms,
        memory_bytes: &memory_bytes,
    };
    Ok(crate::bench::run(&args, &environment))
}

/// The size of the module's memory, which never shrinks.
#[cfg(target_arch = "wasm32")]
fn memory_bytes() -> Option<u64> {
    u64::try_from(core::arch::wasm32::memory_size(0))
        .ok()
        .map(|pages| pages * 65_536)
}

#[cfg(not(target_arch = "wasm32"))]
fn memory_bytes() -> Option<u64> {
    None
}
