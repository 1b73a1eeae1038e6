//! The API server's errors about a patch whose values have the wrong types, or that has unknown fields
//! (apiserver v1.34 `endpoints/handlers/patch.go`, apimachinery's `runtime/converter.go`).

use serde_json::Value;

use crate::printers::output;
use berth_core::api::load::read_object;
use berth_core::api::problem::Severity;

/// Removes unknown fields from a patched object; returns the API server's warnings, one per field.
///
/// # Errors
/// The API server's error if values have the wrong types. It shows the patch itself for a strategic patch, and the
/// patched object for the other types.
pub(crate) fn mend(how: &str, patch: &Value, patched: &mut Value) -> Result<Vec<String>, String> {
    let (_, findings) = read_object(patched);
    let mut errors = findings.iter().filter(|it| it.severity == Severity::Error);
    if let Some(error) = errors.find(|it| it.message.quotation().starts_with("json: ")) {
        let message = error.message.quotation();
        let (shown, why) = if how == "strategic" {
            (go_map(patch), restoring(message))
        } else {
            (output::sorted(patched).to_string(), message.to_owned())
        };
        return Err(format!(
            "The request is invalid: patch: Invalid value: {shown:?}: {why}"
        ));
    }
    let unknown = findings.iter();
    let unknown = unknown.filter(|it| it.is_unknown_field);
    let mut warnings = Vec::new();
    for finding in unknown {
        if remove(patched, &finding.path) {
            warnings.push(format!("Warning: unknown field {:?}", finding.path));
        }
    }
    Ok(warnings)
}

/// Removes the field at a path like `spec.containers[0].foo`; returns whether it existed.
fn remove(value: &mut Value, path: &str) -> bool {
    let path = path.replace('[', ".").replace(']', "");
    let (folder, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let mut at = Some(value);
    for part in folder.split('.').filter(|part| !part.is_empty()) {
        at = at.and_then(|value| match value {
            Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
            other => other.get_mut(part),
        });
    }
    let map = at.and_then(Value::as_object_mut);
    map.is_some_and(|map| map.shift_remove(name).is_some())
}

/// The converter's message for the JSON decoder's `json: cannot unmarshal A into B of type C`.
fn restoring(message: &str) -> String {
    let words = message.strip_prefix("json: cannot unmarshal ");
    let words = words.and_then(|it| it.split_once(" into "));
    let parts = words.and_then(|(found, rest)| Some((found, rest.rsplit_once(" of type ")?.1)));
    let Some((found, wanted)) = parts else {
        return message.to_owned();
    };
    let found = match found {
        "string" | "bool" => found,
        "object" => "map",
        "array" => "slice",
        number if number.trim_start_matches("number").contains(['.', 'e']) => "float64",
        _ => "int64",
    };
    match wanted {
        // Our decoder does not name the item's type.
        "list" => format!("cannot restore slice from {found}"),
        "map" => format!("cannot restore map from {found}"),
        "string" if found == "int64" => "cannot convert int64 to string".to_owned(),
        _ if wanted.starts_with("int") && found == "float64" => {
            format!("cannot convert float64 to {wanted}")
        }
        _ if wanted == "string" || wanted == "bool" || wanted.starts_with("int") => {
            format!("unrecognized type: {wanted}")
        }
        _ => format!("cannot restore struct from: {found}"),
    }
}

/// A value as Go's `%+v` shows it.
fn go_map(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(go_map).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let mut entries: Vec<String> = Vec::new();
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            for key in keys {
                let value = map.get(key).map(go_map).unwrap_or_default();
                entries.push(format!("{key}:{value}"));
            }
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}
