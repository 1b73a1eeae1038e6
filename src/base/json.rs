//! JSON by one serializer.
//!
//! Each of serde's serializers is compiled anew for every type it writes, and Kubernetes has
//! hundreds of types. So text is the only form that types are written in; a value is read back
//! from it, which concerns no type but `Value`.

use serde::Serialize;
use serde_json::Value;

/// Compact JSON; empty for what JSON cannot hold, which none of our types or Kubernetes' do.
pub fn text(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The same as a value; null for what JSON cannot hold.
pub fn value(value: &(impl Serialize + ?Sized)) -> Value {
    serde_json::from_str(&text(value)).unwrap_or_default()
}
