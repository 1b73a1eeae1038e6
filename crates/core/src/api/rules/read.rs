//! Reads fields of JSON values, absent ones as Go's zero values.

use serde_json::Value;

/// A text; empty if there is none.
pub fn text<'a>(owner: &'a Value, key: &str) -> &'a str {
    owner.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number.
pub fn number(owner: &Value, key: &str) -> Option<i64> {
    owner.get(key).and_then(Value::as_i64)
}

/// Whether a flag is set.
pub fn flag(owner: &Value, key: &str) -> bool {
    owner.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The items of a list.
pub fn list<'a>(owner: &'a Value, key: &str) -> &'a [Value] {
    owner
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A field that is there and not null.
pub fn at<'a>(owner: &'a Value, key: &str) -> Option<&'a Value> {
    owner.get(key).filter(|value| !value.is_null())
}

/// Whether a field is there.
pub fn has(owner: &Value, key: &str) -> bool {
    at(owner, key).is_some()
}

/// Whether a value is what Go leaves out with `omitempty`; structures never are.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(_) | Value::Object(_) => false,
    }
}
