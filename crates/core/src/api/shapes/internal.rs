//! Objects as the API server holds them: its internal types, which some messages print.
//!
//! `internal.txt` has a line for each structure of `pkg/apis` (v1.36) that such a message can contain, as
//! `types.txt`. `Name=key` is a field whose key in JSON is another one, `=/key` one that belongs to the owner's
//! owner in `v1`; `=Type` is a type of `apimachinery`, which is encoded as it is served.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{display, fields};
use berth_base::quantity::Quantity;
use berth_base::{difflib, sort};

const TYPES: &str = include_str!("internal.txt");

static SHAPES: LazyLock<BTreeMap<&'static str, Vec<Field>>> = LazyLock::new(|| {
    let lines = TYPES.lines().filter_map(|line| {
        let (name, fields) = line.split_once(": ")?;
        Some((name, fields.split(", ").map(field).collect()))
    });
    sort::gather(lines)
});

/// A field of a structure.
struct Field {
    /// Go's name, which is printed; empty for an embedded structure.
    name: &'static str,
    /// The key in JSON.
    key: String,
    /// Whether `v1` has the field in the structure around this one.
    is_outer: bool,
    kind: &'static str,
}

fn field(text: &'static str) -> Field {
    if let Some(kind) = text.strip_prefix('^') {
        return Field {
            name: "",
            key: String::new(),
            is_outer: false,
            kind,
        };
    }
    let (name, kind) = text.split_once(' ').unwrap_or((text, "string"));
    let (name, key) = match name.split_once('=') {
        Some((name, key)) => (name, key.to_owned()),
        None => (name, key_of(name)),
    };
    let is_outer = key.starts_with('/');
    Field {
        name,
        key: key.trim_start_matches('/').to_owned(),
        is_outer,
        kind,
    }
}

/// The JSON key of a Go field: `dnsPolicy` for `DNSPolicy`, `os` for `OS`.
pub(crate) fn key_of(name: &str) -> String {
    let capitals = name.chars().take_while(char::is_ascii_uppercase).count();
    let lowered = if capitals > 1 && capitals < name.len() {
        capitals - 1
    } else {
        capitals
    };
    let (head, tail) = name.split_at(lowered);
    head.to_ascii_lowercase() + tail
}

/// A value of a type as the API server's internal type encodes it.
pub fn internal(kind: &str, value: &Value) -> Value {
    of(kind, value, &Value::Null)
}

/// How two values of a type differ, as the API server's messages about immutable fields show it (`diff.Diff`).
pub fn difference(kind: &str, old: &Value, new: &Value) -> String {
    let [old, new] = [old, new].map(|value| pretty(&internal(kind, value)));
    difflib::unified(&old, &new)
}

/// JSON indented by one space, as Go writes it.
fn pretty(value: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Writing a value into memory cannot fail, and what is written is UTF-8.
    let _ = value.serialize(&mut serializer);
    let text = String::from_utf8(bytes).unwrap_or_default();
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn of(kind: &str, value: &Value, owner: &Value) -> Value {
    if let Some(pointed) = kind.strip_prefix('*') {
        return match value {
            Value::Null => Value::Null,
            value => of(pointed, value, owner),
        };
    }
    if let Some(item) = kind.strip_prefix("[]") {
        return match value {
            // Containers are required: an absent list is an empty one in our types.
            Value::Array(items) if items.is_empty() && item == "Container" => Value::Null,
            Value::Array(items) => items.iter().map(|it| of(item, it, value)).collect(),
            _ => Value::Null,
        };
    }
    if let Some(name) = kind.strip_prefix('=') {
        return tagged(name, value);
    }
    let of_map = match kind.strip_prefix("map[") {
        Some(rest) => rest.split_once(']').map(|(_, item)| item),
        None => kind.starts_with('~').then_some("Quantity"),
    };
    if let Some(item) = of_map {
        let Value::Object(entries) = value else {
            return Value::Null;
        };
        let entries: BTreeMap<&String, &Value> = sort::gather(entries);
        let entries = entries.into_iter();
        return Value::Object(
            entries
                .map(|(key, it)| (key.clone(), of(item, it, value)))
                .collect(),
        );
    }
    if let Some(fields) = SHAPES.get(kind) {
        let mut map = Map::new();
        structure(fields, value, owner, &mut map);
        return Value::Object(map);
    }
    match (kind, value) {
        ("Quantity", Value::String(text)) => {
            let amount = Quantity::parse(text);
            amount.map_or_else(|_| json!(text), |amount| json!(amount.to_string()))
        }
        ("Quantity", _) => json!("0"),
        ("bool", Value::Null) => json!(false),
        ("int32" | "int64" | "IntOrString", Value::Null) => json!(0),
        ("string", Value::Null) => json!(""),
        (_, value) => value.clone(),
    }
}

fn structure(own: &[Field], value: &Value, owner: &Value, map: &mut Map<String, Value>) {
    for field in own {
        if !field.name.is_empty() {
            let from = if field.is_outer { owner } else { value };
            let given = from.get(&field.key).unwrap_or(&Value::Null);
            map.insert(field.name.to_owned(), of(field.kind, given, value));
            continue;
        }
        // Go encodes the fields of an embedded structure as those of the outer one.
        if let Some(embedded) = SHAPES.get(field.kind) {
            structure(embedded, value, owner, map);
        } else if let Some(name) = field.kind.strip_prefix('=') {
            let meta = value.get("metadata").unwrap_or(&Value::Null);
            if let Value::Object(fields) = tagged(name, meta) {
                map.extend(fields);
            }
        }
    }
}

/// A value of a type of `apimachinery`, with its fields in Go's order.
fn tagged(name: &str, value: &Value) -> Value {
    let mut value = match value {
        Value::Object(_) => value.clone(),
        _ => Value::Object(Map::new()),
    };
    display::structure(name, &mut value);
    ordered(name, &value)
}

fn ordered(kind: &str, value: &Value) -> Value {
    let bare = kind.trim_start_matches(['*', '[', ']']);
    match value {
        Value::Array(items) => items.iter().map(|it| ordered(bare, it)).collect(),
        Value::Object(map) => match fields(bare) {
            Some(fields) => {
                let found = fields.iter().filter_map(|field| {
                    let own = map.get(field.key)?;
                    Some((field.key.to_owned(), ordered(field.kind, own)))
                });
                Value::Object(found.collect())
            }
            None => {
                let sorted: BTreeMap<&String, &Value> = sort::gather(map);
                let entries = sorted.into_iter();
                Value::Object(entries.map(|(key, it)| (key.clone(), it.clone())).collect())
            }
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_gos_names_and_the_hosts_are_in_the_security_context() {
        let spec = json!({"hostNetwork": true, "securityContext": {}, "containers": [
            {"name": "c", "livenessProbe": {"httpGet": {"port": 80}}}]});
        let shown = internal("PodSpec", &spec);
        assert_eq!(shown["SecurityContext"]["HostNetwork"], true);
        let container = &shown["Containers"][0];
        assert_eq!(
            container["Resources"],
            json!({"Limits": null, "Requests": null, "Claims": null})
        );
        assert_eq!(container["LivenessProbe"]["HTTPGet"]["Port"], 80);
        assert_eq!(shown["Volumes"], Value::Null);
    }

    #[test]
    fn metadata_is_encoded_as_it_is_served() {
        let template = json!({"metadata": {"labels": {"b": "1", "a": "2"}}, "spec": {}});
        let text = internal("PodTemplateSpec", &template).to_string();
        assert!(
            text.starts_with(r#"{"labels":{"a":"2","b":"1"},"Spec":{"Volumes":null,"#),
            "{text}"
        );
    }
}
