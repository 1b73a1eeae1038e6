//! Objects as JSON and YAML, as kubectl prints them.

use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::Fields;
use berth_core::api::yaml;

/// The same value with the keys of all maps sorted.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(_) => {
            let mut map = Map::new();
            for (key, value) in value.entries_here() {
                map.insert(key.to_owned(), sorted(value));
            }
            Value::Object(map)
        }
        other => other.clone(),
    }
}

/// JSON text as Go writes it, escaped for HTML. In JSON, these characters occur only in strings.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// `-o json`: indented by four spaces per level.
pub(crate) fn json(value: &Value) -> String {
    json_in_order(&sorted(value), "    ")
}

/// JSON with the keys in the given order, as Go writes structs.
pub(crate) fn json_in_order(value: &Value, indent: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Writing a value into memory cannot fail, and what is written is UTF-8.
    let _ = value.serialize(&mut serializer);
    let mut text = escaped(&String::from_utf8(bytes).unwrap_or_default());
    text.push('\n');
    text
}

/// `-o yaml`.
pub(crate) fn yaml(value: &Value) -> String {
    yaml::write(value)
}

/// Wraps objects in a `List`.
pub(crate) fn list(items: Vec<Value>) -> Value {
    serde_json::json!({
        "apiVersion": "v1",
        "items": items,
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    })
}

/// A value as Go's `%#v` shows it, for client-go's messages about templates.
pub(crate) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(_) => {
            let entries = value.entries_here().into_iter();
            let entries: Vec<_> = entries
                .map(|(key, value)| format!("{key:?}:{}", go_syntax(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_sorted_indented_and_escaped() {
        assert_eq!(
            json(&json!({"b": [], "a": {"x": "<1>"}})),
            "{\n    \"a\": {\n        \"x\": \"\\u003c1\\u003e\"\n    },\n    \"b\": []\n}\n"
        );
    }

    #[test]
    fn go_shows_types() {
        assert_eq!(
            go_syntax(&json!({"items": [], "n": 1})),
            "map[string]interface {}{\"items\":[]interface {}{}, \"n\":1}"
        );
    }
}
