//! Objects as the API server sends them: empty fields are there or not as Go's encoder decides.

use serde_json::{Map, Value, json};

use super::{Encoded, fields, item_of};
use crate::api::load::is_served;
use berth_base::quantity::Quantity;

/// Completes a stored object as the API server encodes it, in place.
pub fn as_served(object: &mut Value) {
    let kind = object.get("kind").and_then(Value::as_str);
    let Some(kind) = kind.map(str::to_owned) else {
        return;
    };
    let version = object.get("apiVersion").and_then(Value::as_str);
    // What was converted back has the shape of that version.
    let is_converted = is_served(&kind, version.unwrap_or_default());
    if fields(&kind).is_some() && !is_converted {
        structure(&kind, object);
    }
}

pub(super) fn structure(kind: &str, value: &mut Value) {
    let (Some(fields), Some(map)) = (fields(kind), value.as_object_mut()) else {
        return;
    };
    let mut embedded = Vec::new();
    for field in fields {
        if field.key.is_empty() {
            embedded.push(field.kind);
            continue;
        }
        match map.get_mut(field.key) {
            Some(own) => {
                encode(field.kind, own);
                let leaves = match field.encoded {
                    Encoded::Always => false,
                    Encoded::IfNotEmpty => is_empty(field.kind, own),
                    Encoded::IfNotZero => own.is_null() || *own == zero(field.kind),
                };
                if leaves {
                    map.shift_remove(field.key);
                } else if own.is_null() {
                    *own = zero(field.kind);
                }
            }
            None => {
                let structured = is_structure(field.kind) && field.encoded == Encoded::IfNotEmpty;
                if field.encoded == Encoded::Always || structured {
                    map.insert(field.key.to_owned(), zero(field.kind));
                }
            }
        }
    }
    for kind in embedded {
        structure(kind, value);
    }
}

fn encode(kind: &'static str, value: &mut Value) {
    let kind = kind.trim_start_matches('*');
    if fields(kind).is_some() {
        structure(kind, value);
        return;
    }
    if let ("Quantity", Value::String(text)) = (kind, &mut *value) {
        if let Ok(amount) = Quantity::parse(text) {
            *text = amount.to_string();
        }
        return;
    }
    let Some(item) = item_of(kind) else { return };
    match value {
        Value::Array(items) => items.iter_mut().for_each(|own| encode(item, own)),
        Value::Object(map) => map.values_mut().for_each(|own| encode(item, own)),
        _ => {}
    }
}

/// Whether a field holds a structure itself, not a pointer to one. Times are encoded as structures are.
fn is_structure(kind: &str) -> bool {
    fields(kind).is_some() || matches!(kind, "Time" | "MicroTime" | "Quantity" | "IntOrString")
}

/// Whether Go leaves the value out with `omitempty`.
fn is_empty(kind: &str, value: &Value) -> bool {
    if kind.starts_with('*') {
        return value.is_null();
    }
    match value {
        Value::Null => !is_structure(kind),
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0) && kind.starts_with("int"),
        Value::String(text) => text.is_empty() && !is_structure(kind),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty() && item_of_map(kind),
    }
}

fn item_of_map(kind: &str) -> bool {
    kind.starts_with("map[") || kind.starts_with('~')
}

/// The zero value of a type, as Go encodes it.
fn zero(kind: &str) -> Value {
    if kind.starts_with(['*', '[', '~']) || kind.starts_with("map[") {
        return Value::Null;
    }
    if fields(kind).is_some() {
        let mut value = Value::Object(Map::new());
        structure(kind, &mut value);
        return value;
    }
    match kind {
        "bool" => json!(false),
        "int32" | "int64" | "IntOrString" => json!(0),
        "Time" | "MicroTime" | "Raw" => Value::Null,
        "Quantity" => json!("0"),
        _ => json!(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(mut object: Value) -> Value {
        as_served(&mut object);
        object
    }

    #[test]
    fn empty_values_go_and_structures_stay() {
        let spec = json!({"paused": false, "replicas": 0, "minReadySeconds": 0,
            "selector": {"matchLabels": {}}, "template": {"spec": {"containers": [
                {"name": "", "args": [], "ports": [{"containerPort": 80, "hostPort": 0}]}]}}});
        let shown = served(json!({"kind": "Deployment", "metadata": {"labels": {}}, "spec": spec}));
        assert_eq!(
            shown,
            json!({"kind": "Deployment", "metadata": {}, "status": {}, "spec": {
                "replicas": 0, "selector": {}, "strategy": {}, "template": {"metadata": {}, "spec": {
                    "containers": [{"name": "", "ports": [{"containerPort": 80}], "resources": {}}]}}}})
        );
    }

    #[test]
    fn fields_without_omitempty_are_always_there() {
        let shown = served(json!({"kind": "Pod", "status": {"conditions": [
            {"type": "Ready", "status": "True"}]}}));
        assert_eq!(
            shown["status"]["conditions"][0],
            json!({"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": null})
        );
    }
}
