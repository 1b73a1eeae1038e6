//! Fields of objects as JSON: how to get there, and what an edit does to them.

use serde_json::{Map, Value};

use crate::protocol::edit::PathStep;

/// What becomes of a field.
#[derive(Clone, Debug)]
pub enum Action {
    Set(Value),
    Append(Value),
    Remove,
}

/// A step to a key.
pub fn key(name: &str) -> PathStep {
    PathStep::Key(name.to_owned())
}

/// A field path as the API server writes it (`spec.containers[0].image`) in steps. What stands in
/// brackets is a position if it is a number.
pub fn steps(path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (name, after) = inside.split_once(']').unwrap_or((inside, ""));
            steps.push(name.parse().map_or_else(|_| key(name), PathStep::Index));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.is_empty() {
            steps.push(key(name));
        }
        rest = after;
    }
    steps
}

/// The value of a field, if it is there.
pub fn get<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Index(index) => value.get(index),
        PathStep::Key(name) => value.get(name),
    })
}

/// Does the action to a field. `None` if the way there is not what the path says.
pub fn apply(value: &mut Value, path: &[PathStep], action: Action) -> Option<()> {
    if matches!(action, Action::Remove) {
        remove(value, path).map(|_| ())
    } else {
        change(value, path, action)
    }
}

fn change(value: &mut Value, path: &[PathStep], action: Action) -> Option<()> {
    if value.is_null() && matches!(path.first(), Some(PathStep::Key(_))) {
        *value = Value::Object(Map::new());
    }
    match path {
        [] => match action {
            Action::Set(new) => *value = new,
            Action::Append(new) => {
                if value.is_null() {
                    *value = Value::Array(Vec::new());
                }
                value.as_array_mut()?.push(new);
            }
            Action::Remove => return None,
        },
        [PathStep::Key(name), rest @ ..] => {
            let fields = value.as_object_mut()?;
            change(
                fields.entry(name.clone()).or_insert(Value::Null),
                rest,
                action,
            )?;
        }
        [PathStep::Index(index), rest @ ..] => {
            change(value.as_array_mut()?.get_mut(*index)?, rest, action)?;
        }
    }
    Some(())
}

/// Whether the value is empty afterwards.
fn remove(value: &mut Value, path: &[PathStep]) -> Option<bool> {
    let (step, rest) = path.split_first()?;
    match step {
        PathStep::Key(name) => {
            let fields = value.as_object_mut()?;
            if rest.is_empty() || remove(fields.get_mut(name)?, rest)? {
                fields.remove(name)?;
            }
            Some(fields.is_empty())
        }
        PathStep::Index(index) => {
            let items = value.as_array_mut()?;
            let gone = rest.is_empty() || remove(items.get_mut(*index)?, rest)?;
            if gone && *index < items.len() {
                items.remove(*index);
            } else if gone {
                return None;
            }
            Some(items.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_read_as_the_api_server_writes_them() {
        let path = steps("spec.containers[1].resources.limits[nvidia.com/gpu]");
        let want = [
            key("spec"),
            key("containers"),
            PathStep::Index(1),
            key("resources"),
            key("limits"),
            key("nvidia.com/gpu"),
        ];
        assert_eq!(path, want);
    }

    #[test]
    fn what_is_left_empty_goes_too() {
        let mut value = json!({"spec": {"a": {"list": [{"x": 1}]}, "b": 2}});
        apply(&mut value, &steps("spec.a.list[0]"), Action::Remove).unwrap();
        assert_eq!(value, json!({"spec": {"b": 2}}));
        assert!(apply(&mut value, &steps("spec.a"), Action::Remove).is_none());
    }

    #[test]
    fn the_way_to_a_new_field_is_made() {
        let mut value = json!({});
        apply(&mut value, &steps("spec.list"), Action::Append(json!(1))).unwrap();
        apply(&mut value, &steps("spec.list"), Action::Append(json!(2))).unwrap();
        apply(&mut value, &steps("spec.list[0]"), Action::Set(json!(3))).unwrap();
        assert_eq!(value, json!({"spec": {"list": [3, 2]}}));
        assert!(apply(&mut value, &steps("spec.list[7]"), Action::Set(json!(3))).is_none());
    }
}
