//! JSON through one serializer.
//!
//! serde compiles each serializer for every type, and Kubernetes has hundreds of types. So
//! types are serialized to text only, and a `Value` is parsed from that text.

use serde::Serialize;
use serde_json::Value;

/// Compact JSON; empty if JSON cannot represent the value, which is true of no type of Berth or Kubernetes.
pub fn text(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The same as a `Value`; null if JSON cannot represent the value.
pub fn value(value: &(impl Serialize + ?Sized)) -> Value {
    serde_json::from_str(&text(value)).unwrap_or_default()
}
