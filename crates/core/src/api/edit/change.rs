//! An edit as a change of a JSON value, which yields the expected value of the document.

use serde_json::{Map, Number, Value};

use berth_protocol::edit::{EditError, PathStep};
use berth_protocol::remark::Remark;

/// The operation at a path, which has been checked against the value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Replaces the value at the path with that of the expected document, creating missing parents.
    Set,
    /// Appends the last item of the expected list to the list at the path.
    Append,
    /// Removes the entry or item at the path.
    Remove,
}

/// The change that one edit makes to a document.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) path: Vec<PathStep>,
    pub(super) goal: Goal,
    /// The document's value after the change.
    pub(super) expected: Value,
}

/// Normalizes numbers as the YAML reader does: floats without a fraction become integers.
pub(super) fn normal(value: Value) -> Value {
    /// 2^53: up to here every whole float is exactly one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            if float.fract() == 0.0 && float.abs() <= EXACT {
                // Exact by the test above.
                return Value::Number(Number::from(float as i64));
            }
            Value::Number(number)
        }
        Value::Array(list) => Value::Array(list.into_iter().map(normal).collect()),
        Value::Object(map) => {
            let entries = map.into_iter().map(|(key, value)| (key, normal(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}

/// The value at a path.
pub(super) fn at<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.as_object()?.get(key),
        PathStep::Index(index) => value.as_array()?.get(*index),
    })
}

fn at_mut<'v>(value: &'v mut Value, path: &[PathStep]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.as_object_mut()?.get_mut(key),
        PathStep::Index(index) => value.as_array_mut()?.get_mut(*index),
    })
}

/// A path as the API server writes it: `spec.taints[0].key`, `metadata.labels[a.b/c]`.
pub(super) fn shown(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Key(key) => {
                let is_name = key.chars().all(char::is_alphanumeric);
                match (is_name, text.is_empty()) {
                    (false, _) => text.push_str(&format!("[{key}]")),
                    (true, true) => text.push_str(key),
                    (true, false) => text.push_str(&format!(".{key}")),
                }
            }
        }
    }
    text
}

/// Sets the field at a path.
pub(super) fn set(old: &Value, path: &[PathStep], value: Value) -> Result<Planned, EditError> {
    if path.is_empty() {
        return Err(EditError::new(
            Remark::whole_object(),
            Remark::name_fields(),
        ));
    }
    let mut expected = old.clone();
    *place(&mut expected, path)? = normal(value);
    Ok(Planned {
        path: path.to_vec(),
        goal: Goal::Set,
        expected,
    })
}

/// Appends to the list at a path.
pub(super) fn append(old: &Value, path: &[PathStep], value: Value) -> Result<Planned, EditError> {
    let mut expected = old.clone();
    let list = place(&mut expected, path)?;
    if list.is_null() {
        *list = Value::Array(Vec::new());
    }
    let kind = kind_of(list);
    let Value::Array(items) = list else {
        return Err(EditError::new(
            Remark::not_a(shown(path), kind, Remark::kind_list()),
            Remark::change_value(),
        ));
    };
    items.push(normal(value));
    // A missing or empty list is written as a whole.
    let exists = at(old, path).is_some_and(|value| value.as_array().is_some_and(|l| !l.is_empty()));
    Ok(Planned {
        path: path.to_vec(),
        goal: if exists { Goal::Append } else { Goal::Set },
        expected,
    })
}

/// Removes the value at a path and the parents that this leaves empty, except `metadata`.
///
/// `None` if there is nothing at the path.
pub(super) fn remove(old: &Value, path: &[PathStep]) -> Result<Option<Planned>, EditError> {
    if path.is_empty() {
        return Err(EditError::new(
            Remark::empty_path(),
            Remark::delete_object(),
        ));
    }
    if at(old, path).is_none() {
        return Ok(None);
    }
    let mut end = path.len();
    let mut expected = old.clone();
    loop {
        let (Some(parent), Some(last)) = (path.get(..end - 1), path.get(end - 1)) else {
            return Ok(None);
        };
        let left = take(&mut expected, parent, last);
        let is_metadata = matches!(parent, [PathStep::Key(key)] if key == "metadata");
        if left > 0 || parent.is_empty() {
            break;
        }
        if is_metadata {
            // Empty `metadata` stays, as `{}`.
            return Ok(Some(Planned {
                path: parent.to_vec(),
                goal: Goal::Set,
                expected,
            }));
        }
        end -= 1;
    }
    Ok(Some(Planned {
        path: path.get(..end).unwrap_or_default().to_vec(),
        goal: Goal::Remove,
        expected,
    }))
}

/// Removes an entry or item from the mapping or list at `parent`; returns the number of those left.
fn take(value: &mut Value, parent: &[PathStep], last: &PathStep) -> usize {
    match (at_mut(value, parent), last) {
        (Some(Value::Object(map)), PathStep::Key(key)) => {
            map.shift_remove(key);
            map.len()
        }
        (Some(Value::Array(list)), PathStep::Index(index)) => {
            if *index < list.len() {
                list.remove(*index);
            }
            list.len()
        }
        _ => 1,
    }
}

/// The value at a path. If it is missing, it is created as null, with the mappings and lists around it.
fn place<'v>(value: &'v mut Value, path: &[PathStep]) -> Result<&'v mut Value, EditError> {
    let mut here = value;
    for (depth, step) in path.iter().enumerate() {
        let wrong = |wanted: Remark, kind: Remark| {
            let around = shown(path.get(..depth).unwrap_or_default());
            EditError::new(Remark::not_a(around, kind, wanted), Remark::change_value())
        };
        here = match step {
            PathStep::Key(key) => {
                if here.is_null() {
                    *here = Value::Object(Map::new());
                }
                let kind = kind_of(here);
                let map = here
                    .as_object_mut()
                    .ok_or_else(|| wrong(Remark::kind_mapping(), kind))?;
                map.entry(key.as_str()).or_insert(Value::Null)
            }
            PathStep::Index(index) => {
                if here.is_null() {
                    *here = Value::Array(Vec::new());
                }
                let kind = kind_of(here);
                let list = here
                    .as_array_mut()
                    .ok_or_else(|| wrong(Remark::kind_list(), kind))?;
                if *index == list.len() {
                    list.push(Value::Null);
                }
                let length = list.len();
                list.get_mut(*index).ok_or_else(|| {
                    let around = shown(path.get(..depth).unwrap_or_default());
                    let message = Remark::no_item(around, *index, length);
                    EditError::new(message, Remark::manifests_changed())
                })?
            }
        };
    }
    Ok(here)
}

fn kind_of(value: &Value) -> Remark {
    match value {
        Value::Null => Remark::kind_null(),
        Value::Bool(_) => Remark::kind_boolean(),
        Value::Number(_) => Remark::kind_number(),
        Value::String(_) => Remark::kind_text(),
        Value::Array(_) => Remark::kind_list(),
        Value::Object(_) => Remark::kind_mapping(),
    }
}
