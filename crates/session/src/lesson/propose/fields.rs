//! What was written: fields of objects and of the scheduler's configuration that the steps changed.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use berth_core::api::load::Document;
use berth_protocol::draft::Meaning;
use berth_protocol::edit::ObjectRef;

use super::Candidate;
use crate::expectations;
use crate::lesson::draft::name_of;
use crate::session::Session;

/// Maximum number of changed fields that are proposed.
const MOST: usize = 8;
/// Maximum length of a value: a longer one cannot be read at a glance.
const LONGEST: usize = 160;
/// Parts of an object that people write.
const WRITTEN: [&str; 9] = [
    "spec",
    "metadata",
    "data",
    "value",
    "preemptionPolicy",
    "volumeBindingMode",
    "allowedTopologies",
    "profiles",
    "percentageOfNodesToScore",
];

/// A change of a field.
enum Change {
    /// The value that it has now; `None`: it is gone.
    Field(Option<Value>),
    /// A new item of a list.
    Item(Value),
}

/// Candidates about the objects of the manifests.
pub fn candidates(start: &Session, end: &Session) -> Vec<Candidate> {
    let names = |session: &Session| -> Vec<ObjectRef> {
        session
            .manifests()
            .loaded
            .documents
            .iter()
            .map(Document::reference)
            .collect()
    };
    let (old, new) = (names(start), names(end));
    let all: BTreeSet<&ObjectRef> = old.iter().chain(&new).collect();
    let mut candidates = Vec::new();
    for object in all {
        let Some(name) = name_of(object) else {
            continue;
        };
        let (before, after) = (
            expectations::object(start, &name),
            expectations::object(end, &name),
        );
        let mut changes = Vec::new();
        match (before, after) {
            (Some(before), Some(after)) => written(&before, &after, &mut changes),
            (Some(_), None) if object.kind != "Pod" => {
                changes.push((String::new(), Change::Field(None)));
            }
            _ => {}
        }
        candidates.extend(
            changes
                .into_iter()
                .map(|(path, change)| candidate(&name, path, change)),
        );
    }
    candidates.truncate(MOST);
    candidates
}

fn candidate(object: &str, path: String, change: Change) -> Candidate {
    let is_config = object == "KubeSchedulerConfiguration";
    let mut fields = Map::new();
    if !is_config {
        fields.insert("object".to_owned(), json!(object));
    }
    if !path.is_empty() {
        fields.insert("path".to_owned(), json!(path));
    }
    let object = object.to_owned();
    let meaning = match change {
        Change::Field(None) => {
            fields.insert("exists".to_owned(), json!(false));
            Meaning::Field {
                object,
                path,
                value: None,
            }
        }
        Change::Field(Some(value)) => {
            let shown = Some(shown(&value));
            fields.insert("equals".to_owned(), value);
            Meaning::Field {
                object,
                path,
                value: shown,
            }
        }
        Change::Item(item) => {
            let shown = shown(&item);
            fields.insert("contains".to_owned(), item);
            Meaning::Item {
                object,
                path,
                item: shown,
            }
        }
    };
    let value = Value::Object(fields);
    let value = if is_config {
        json!({"config": value})
    } else {
        value
    };
    Candidate {
        of_state: false,
        ..Candidate::new(value, meaning)
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The changes of what people write of an object.
fn written(before: &Value, after: &Value, changes: &mut Vec<(String, Change)>) {
    for part in WRITTEN {
        let of = |object: &Value| match part {
            "metadata" => json!({"labels": labels_of(object)}),
            part => object.get(part).cloned().unwrap_or_default(),
        };
        compare(part.to_owned(), &of(before), &of(after), changes);
    }
    changes.retain(|(path, change)| {
        let is_short = match change {
            Change::Field(Some(value)) | Change::Item(value) => value.to_string().len() <= LONGEST,
            Change::Field(None) => true,
        };
        // The scheduler writes it.
        is_short && path != "spec.nodeName"
    });
}

/// The labels, but those of zones and regions that a Pod has from its node.
fn labels_of(object: &Value) -> Value {
    let mut labels = object["metadata"]["labels"].clone();
    if let (Some("Pod"), Some(labels)) = (object["kind"].as_str(), labels.as_object_mut()) {
        labels.retain(|key, _| !key.starts_with("topology.kubernetes.io/"));
    }
    labels
}

fn compare(path: String, before: &Value, after: &Value, changes: &mut Vec<(String, Change)>) {
    let empty = Map::new();
    match (before, after) {
        _ if before == after => {}
        (Value::Object(_) | Value::Null, Value::Object(new)) => {
            let old = before.as_object().unwrap_or(&empty);
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let of =
                    |fields: &Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                compare(child(&path, name), &of(old), &of(new), changes);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(format!("{path}[{index}]"), old, new, changes);
            }
        }
        (Value::Array(_) | Value::Null, Value::Array(new)) => {
            let old = before.as_array().map(Vec::as_slice).unwrap_or_default();
            let added: Vec<&Value> = new.iter().filter(|item| !old.contains(item)).collect();
            if added.is_empty() {
                changes.push((path, Change::Field(Some(after.clone()))));
                return;
            }
            let added = added.into_iter().cloned();
            changes.extend(added.map(|item| (path.clone(), Change::Item(item))));
        }
        (_, Value::Null) => changes.push((path, Change::Field(None))),
        (_, after) => changes.push((path, Change::Field(Some(after.clone())))),
    }
}

/// The path of a field, as expectations write it.
fn child(path: &str, name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match name.chars().all(is_plain) {
        true => format!("{path}.{name}"),
        false => format!("{path}[{name}]"),
    }
}
