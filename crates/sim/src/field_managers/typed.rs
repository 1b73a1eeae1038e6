//! Whether a configuration has the types of its kind (structured-merge-diff `typed`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::paths::{Path, item_key};
use berth_core::api::decode::{Fault, Finding};
use berth_core::api::load::read_object;
use berth_core::api::yaml;

/// Why a configuration is no typed object: the first field that is unknown, has another type, or is there twice.
pub(super) fn problem(config: &Value) -> Option<String> {
    let (_, findings) = read_object(config);
    let mut problems = findings.iter().filter_map(|finding| fault(config, finding));
    problems
        .next()
        .or_else(|| twice(&Path::default(), "", config))
}

fn fault(config: &Value, finding: &Finding) -> Option<String> {
    let why = match finding.fault {
        Fault::UnknownField => "field not declared in schema".to_owned(),
        Fault::WrongType { wanted, .. } => {
            let value = at(config, &finding.path)?;
            let got = match value {
                Value::String(_) => "string".to_owned(),
                Value::Array(_) | Value::Object(_) => format!("&{{{}}}", go(value)),
                other => format!("&value.valueUnstructured{{Value:{other}}}"),
            };
            let wanted = match wanted {
                "string" => "string",
                "bool" => "boolean",
                "list" => "list",
                it if it.starts_with("int") || it.starts_with("float") => "numeric (int or float)",
                _ => "map",
            };
            format!("expected {wanted}, got {got}")
        }
        Fault::Rule | Fault::Undecodable => return None,
    };
    Some(format!("{}: {why}", shown(config, &finding.path)))
}

fn at<'v>(config: &'v Value, path: &str) -> Option<&'v Value> {
    let mut segments = yaml::segments(path).into_iter();
    segments.try_fold(config, |value, segment| match value {
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        other => other.get(segment),
    })
}

/// A path with the keys of items in place of their indexes.
fn shown(config: &Value, path: &str) -> String {
    let mut text = String::new();
    let (mut value, mut list) = (config, "");
    for segment in yaml::segments(path) {
        let (next, step) = match value {
            Value::Array(items) => {
                let item = segment.parse::<usize>().ok().and_then(|at| items.get(at));
                let item = item.unwrap_or(&Value::Null);
                let key = item_key(list, item).unwrap_or_else(|| segment.to_owned());
                (item, format!("[{key}]"))
            }
            other => (
                other.get(segment).unwrap_or(&Value::Null),
                format!(".{segment}"),
            ),
        };
        list = segment;
        text.push_str(&step);
        value = next;
    }
    text
}

/// A list that has two items of one key.
fn twice(path: &Path, name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Object(map) => {
            let mut found = map
                .iter()
                .filter_map(|(name, value)| twice(&path.field(name), name, value));
            found.next()
        }
        Value::Array(items) => {
            let mut known = BTreeSet::new();
            for item in items {
                let Some(key) = item_key(name, item) else {
                    continue;
                };
                if !known.insert(key.clone()) {
                    return Some(format!("{path}: duplicate entries for key [{key}]"));
                }
                if let Some(problem) = twice(&path.item(key), "", item) {
                    return Some(problem);
                }
            }
            None
        }
        _ => None,
    }
}

fn go(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(go).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{key}:{}", go(value)));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}
