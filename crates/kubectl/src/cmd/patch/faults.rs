//! The API server's errors about a patch whose values have the wrong types, or that has unknown fields
//! (apiserver v1.34 `endpoints/handlers/patch.go`, apimachinery's `runtime/converter.go`).

use serde_json::Value;

use crate::kinds::of_kind;
use crate::printers::output;
use crate::resource::validation::drop_unknown;
use berth_core::api::decode::{Fault, Finding, JsonType};
use berth_core::api::load::read_object;
use berth_core::api::problem::Severity;

/// Removes unknown fields from a patched object; returns the API server's warnings, one per field.
///
/// # Errors
/// The API server's error if values have the wrong types. It shows the patch itself for a strategic patch, and the
/// patched object for the other types.
pub(crate) fn mend(how: &str, patch: &Value, patched: &mut Value) -> Result<Vec<String>, String> {
    let (_, findings) = read_object(patched);
    let rule = |it: &&Finding| it.severity == Severity::Error && it.fault == Fault::Rule;
    if let Some(finding) = findings.iter().find(rule) {
        let shown = match how {
            "strategic" => go_map(patch),
            _ => output::sorted(patched).to_string(),
        };
        let why = &finding.message;
        return Err(format!(
            "The request is invalid: patch: Invalid value: {shown:?}: {why}"
        ));
    }
    let wrong_type = findings.iter().find_map(|it| match it.fault {
        Fault::WrongType { found, wanted } => Some((it, found, wanted)),
        Fault::Rule | Fault::UnknownField | Fault::Undecodable => None,
    });
    if let Some((finding, found, wanted)) = wrong_type {
        let (shown, why) = if how == "strategic" {
            (go_map(patch), restoring(found, wanted))
        } else {
            let shown = output::sorted(patched).to_string();
            (shown, finding.message.to_string())
        };
        return Err(refused(&shown, &why));
    }
    let undecodable = findings.iter().find(|it| it.fault == Fault::Undecodable);
    if let Some(finding) = undecodable {
        let shown = output::sorted(patched).to_string();
        return Err(refused(&shown, &finding.message.to_string()));
    }
    let dropped = drop_unknown(patched, findings).into_iter();
    Ok(dropped
        .map(|it| format!("Warning: {}", it.message))
        .collect())
}

/// Whether a patched object has still the type of its resource.
///
/// # Errors
/// The API server's error about another kind or version.
pub(crate) fn same_type(before: &Value, patched: &Value) -> Result<(), String> {
    let of = |object: &Value, field: &str| -> String {
        let text = object.get(field).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let (kind, version) = (of(patched, "kind"), of(patched, "apiVersion"));
    let own = (of(before, "kind"), of(before, "apiVersion"));
    if own == (kind.clone(), version.clone()) {
        return Ok(());
    }
    let shown = output::sorted(patched).to_string();
    let is_known = of_kind(&kind).is_some_and(|info| info.api_version == version);
    let why = if is_known {
        let short = |version: &str| version.rsplit('/').next().unwrap_or_default().to_owned();
        let group = own.1.split_once('/').map_or("core", |(group, _)| group);
        let group = group.split('.').next().unwrap_or_default();
        let (version, wanted) = (short(&version), &own.0);
        format!("converting ({version}.{kind}) to ({group}.{wanted}): unknown conversion")
    } else {
        format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\""
        )
    };
    Err(refused(&shown, &why))
}

fn refused(shown: &str, why: &str) -> String {
    format!("The request is invalid: patch: Invalid value: {shown:?}: {why}")
}

/// The converter's message.
fn restoring(found: JsonType, wanted: &str) -> String {
    let found = match found {
        JsonType::String | JsonType::Bool => found.name(),
        JsonType::Object => "map",
        JsonType::Array => "slice",
        JsonType::Float => "float64",
        JsonType::Integer | JsonType::Null => "int64",
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
