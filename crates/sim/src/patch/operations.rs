//! JSON patches (RFC 6902): a list of operations.

use serde_json::Value;

/// Applies the operations one after the other, as `evanphx/json-patch` does for the API server (v4.12): a member that
/// is replaced or copied need not exist.
///
/// # Errors
/// If one does not apply; the API server does not say which.
pub fn apply_operations(target: &mut Value, patch: &Value) -> Result<(), DoesNotApply> {
    for operation in patch.as_array().ok_or(DoesNotApply)? {
        apply_operation(target, operation).ok_or(DoesNotApply)?;
    }
    Ok(())
}

/// An operation does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotApply;

fn apply_operation(target: &mut Value, operation: &Value) -> Option<()> {
    let text = |field: &str| operation.get(field).and_then(Value::as_str);
    let path = Place::parse(text("path")?)?;
    let value = || operation.get("value").cloned().unwrap_or_default();
    match text("op")? {
        "add" => path.add(target, value()),
        "remove" => path.remove(target).map(drop),
        "replace" => path.replace(target, value()),
        "move" => {
            let moved = Place::parse(text("from")?)?.remove(target)?;
            path.add(target, moved)
        }
        "copy" => {
            let copied = Place::parse(text("from")?)?.get(target)?;
            path.add(target, copied)
        }
        "test" => (path.get(target)? == value()).then_some(()),
        _ => None,
    }
}

/// A pointer: its parent, and the last segment. What precedes the first slash is ignored.
struct Place {
    around: String,
    last: String,
}

impl Place {
    fn parse(pointer: &str) -> Option<Self> {
        let (around, last) = pointer.rsplit_once('/')?;
        let around = around.find('/').and_then(|start| around.get(start..));
        Some(Place {
            around: around.unwrap_or_default().to_owned(),
            last: last.replace("~1", "/").replace("~0", "~"),
        })
    }

    /// The place of an item of a list that exists.
    fn index(&self, list: &[Value]) -> Option<usize> {
        self.last.parse().ok().filter(|place| *place < list.len())
    }

    fn get(&self, target: &Value) -> Option<Value> {
        match target.pointer(&self.around)? {
            Value::Object(map) => Some(map.get(&self.last).cloned().unwrap_or_default()),
            Value::Array(list) => list.get(self.index(list)?).cloned(),
            _ => None,
        }
    }

    fn add(&self, target: &mut Value, value: Value) -> Option<()> {
        match target.pointer_mut(&self.around)? {
            Value::Object(map) => {
                map.insert(self.last.clone(), value);
            }
            Value::Array(list) if self.last == "-" => list.push(value),
            Value::Array(list) => {
                let place = self
                    .last
                    .parse()
                    .ok()
                    .filter(|place| *place <= list.len())?;
                list.insert(place, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn replace(&self, target: &mut Value, value: Value) -> Option<()> {
        match target.pointer_mut(&self.around)? {
            Value::Object(map) => {
                map.insert(self.last.clone(), value);
            }
            Value::Array(list) => {
                let place = self.index(list)?;
                *list.get_mut(place)? = value;
            }
            _ => return None,
        }
        Some(())
    }

    fn remove(&self, target: &mut Value) -> Option<Value> {
        match target.pointer_mut(&self.around)? {
            Value::Object(map) => map.shift_remove(&self.last),
            Value::Array(list) => {
                let place = self.index(list)?;
                Some(list.remove(place))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_change_maps_and_lists() {
        let mut object = json!({"a": [1, 2], "b": {"x/y": 1}});
        let patch = json!([
            {"op": "add", "path": "/a/-", "value": 3},
            {"op": "replace", "path": "/a/0", "value": 0},
            {"op": "move", "from": "/b/x~1y", "path": "/c"},
            {"op": "test", "path": "/c", "value": 1},
            {"op": "remove", "path": "/a/1"},
        ]);
        apply_operations(&mut object, &patch).expect("they fit");
        assert_eq!(object, json!({"a": [0, 3], "b": {}, "c": 1}));
        let patch = json!([
            {"op": "replace", "path": "/b/new", "value": 1},
            {"op": "copy", "from": "/b/nosuch", "path": "/b/copied"},
        ]);
        apply_operations(&mut object, &patch).expect("they fit");
        assert_eq!(object["b"], json!({"new": 1, "copied": null}));
        for wrong in [
            json!([{"op": "remove", "path": "/z"}]),
            json!([{"op": "replace", "path": "/a/9", "value": 1}]),
            json!([{"op": "add", "path": "/y/z", "value": 1}]),
            json!([{"op": "add", "path": "/a/9", "value": 1}]),
            json!([{"op": "test", "path": "/c", "value": 2}]),
            json!([{"op": "fly", "path": "/c"}]),
            json!({}),
        ] {
            assert!(apply_operations(&mut object, &wrong).is_err(), "{wrong}");
        }
    }
}
