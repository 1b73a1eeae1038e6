//! JSON patches (RFC 6902): a list of operations.

use serde_json::Value;

/// Applies the operations one after the other.
///
/// # Errors
/// The operation that cannot be applied, and why.
pub fn apply_operations(target: &mut Value, patch: &Value) -> Result<(), String> {
    let Some(operations) = patch.as_array() else {
        return Err("a JSON patch is a list of operations".to_owned());
    };
    for operation in operations {
        let text = |field: &str| operation.get(field).and_then(Value::as_str);
        let (Some(name), Some(path)) = (text("op"), text("path")) else {
            return Err("an operation needs \"op\" and \"path\"".to_owned());
        };
        let value = operation.get("value");
        let from = || text("from").ok_or_else(|| format!("{name} operation needs \"from\""));
        let given = || {
            value
                .cloned()
                .ok_or_else(|| format!("{name} operation needs \"value\""))
        };
        match name {
            "add" => add(target, path, given()?)?,
            "remove" => drop(remove(target, path)?),
            "replace" => match target.pointer_mut(path) {
                Some(own) => *own = given()?,
                None => {
                    return Err(format!(
                        "replace operation does not apply: doc is missing key: {path}: missing value"
                    ));
                }
            },
            "move" => {
                let moved = remove(target, from()?)?;
                add(target, path, moved)?;
            }
            "copy" => {
                let from = from()?;
                let copied = target.pointer(from).cloned();
                let copied = copied.ok_or_else(|| missing("copy", from))?;
                add(target, path, copied)?;
            }
            "test" => {
                if target.pointer(path) != Some(&given()?) {
                    return Err(format!("testing value {path} failed: test failed"));
                }
            }
            other => return Err(format!("unexpected kind: {other}")),
        }
    }
    Ok(())
}

fn missing(operation: &str, path: &str) -> String {
    format!("{operation} operation does not apply: doc is missing path: {path}: missing value")
}

/// The parent of a path, and its last segment, unescaped.
fn split(path: &str) -> Option<(&str, String)> {
    let (around, last) = path.rsplit_once('/')?;
    Some((around, last.replace("~1", "/").replace("~0", "~")))
}

fn add(target: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let Some((around, last)) = split(path) else {
        *target = value;
        return Ok(());
    };
    match target.pointer_mut(around) {
        Some(Value::Object(map)) => drop(map.insert(last, value)),
        Some(Value::Array(list)) => {
            let place = if last == "-" {
                Some(list.len())
            } else {
                last.parse().ok().filter(|place| *place <= list.len())
            };
            let place = place.ok_or_else(|| {
                format!("add operation does not apply: doc is missing path: {path:?}: Unable to access invalid index: {last}: invalid index referenced")
            })?;
            list.insert(place, value);
        }
        _ => return Err(missing("add", path)),
    }
    Ok(())
}

fn remove(target: &mut Value, path: &str) -> Result<Value, String> {
    let gone = match split(path) {
        None => None,
        Some((around, last)) => match target.pointer_mut(around) {
            Some(Value::Object(map)) => map.shift_remove(&last),
            Some(Value::Array(list)) => {
                let place = last.parse().ok().filter(|place| *place < list.len());
                place.map(|place: usize| list.remove(place))
            }
            _ => None,
        },
    };
    gone.ok_or_else(|| missing("remove", path))
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
        for wrong in [
            json!([{"op": "remove", "path": "/z"}]),
            json!([{"op": "replace", "path": "/z", "value": 1}]),
            json!([{"op": "add", "path": "/a/9", "value": 1}]),
            json!([{"op": "test", "path": "/c", "value": 2}]),
            json!([{"op": "fly", "path": "/c"}]),
            json!({}),
        ] {
            assert!(apply_operations(&mut object, &wrong).is_err(), "{wrong}");
        }
    }
}
