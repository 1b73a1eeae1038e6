//! Converts results and errors to JavaScript values.

use serde::Serialize;
use serde_json::{Number, Value};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use berth_base::json;

/// Integers up to here (and down to its negative) are exact in JavaScript.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// A plain object. Integers beyond 2^53 are rounded, as in JavaScript; `serde_wasm_bindgen` would fail on the
/// whole object.
pub(super) fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let mut value = json::value(value);
    round_large(&mut value);
    let plain = value.serialize(&Serializer::json_compatible());
    plain.map_err(|problem| error(&problem.to_string()))
}

// Rounded on purpose.
fn round_large(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let unsafe_integer = number
                .as_i64()
                .filter(|number| number.unsigned_abs() > MAX_SAFE_INTEGER.unsigned_abs());
            if let Some(rounded) = unsafe_integer.and_then(|number| Number::from_f64(number as f64))
            {
                *number = rounded;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round_large),
        Value::Object(fields) => fields.values_mut().for_each(round_large),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// An `Error`, for a call that cannot be executed in the current state.
pub(super) fn error(message: &str) -> JsValue {
    js_sys::Error::new(&format!("berth: {message}")).into()
}

/// A `TypeError`, for an invalid argument.
pub(super) fn type_error(message: &str) -> JsValue {
    js_sys::TypeError::new(&format!("berth: {message}")).into()
}
