//! Results and errors, as JavaScript has them.

use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::base::json;

/// A plain object. Numbers beyond 2^53 are rounded, as they are for everybody in JavaScript.
pub(super) fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    js_sys::JSON::parse(&json::text(value))
}

/// An `Error`: something that cannot be done now.
pub(super) fn error(message: &str) -> JsValue {
    js_sys::Error::new(&format!("berth: {message}")).into()
}

/// A `TypeError`: an argument that cannot be right.
pub(super) fn type_error(message: &str) -> JsValue {
    js_sys::TypeError::new(&format!("berth: {message}")).into()
}
