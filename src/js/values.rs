//! Results and errors, as JavaScript has them.

use serde::Serialize;
use wasm_bindgen::JsValue;

/// A plain object.
///
/// By way of JSON: numbers beyond 2^53 are rounded, as they are for everybody in JavaScript, where
/// `serde_wasm_bindgen` would refuse the whole object; a key `__proto__` stays a key; and engines
/// parse JSON faster than they create objects one call at a time.
pub(super) fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|problem| error(&problem.to_string()))?;
    js_sys::JSON::parse(&text)
}

/// An `Error`: something that cannot be done now.
pub(super) fn error(message: &str) -> JsValue {
    js_sys::Error::new(&format!("berth: {message}")).into()
}

/// A `TypeError`: an argument that cannot be right.
pub(super) fn type_error(message: &str) -> JsValue {
    js_sys::TypeError::new(&format!("berth: {message}")).into()
}
