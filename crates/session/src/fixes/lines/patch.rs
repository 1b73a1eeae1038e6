//! The difference of two values as a JSON Patch (RFC 6902).

use serde_json::{Map, Value, json};

/// The operations that make `after` of `before`, in order.
pub fn between(before: &Value, after: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    values("", before, after, &mut operations);
    operations
}

fn values(path: &str, before: &Value, after: &Value, out: &mut Vec<Value>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(before), Value::Object(after)) => maps(path, before, after, out),
        (Value::Array(before), Value::Array(after)) => lists(path, before, after, out),
        _ => out.push(json!({"op": "replace", "path": path, "value": after})),
    }
}

fn maps(path: &str, before: &Map<String, Value>, after: &Map<String, Value>, out: &mut Vec<Value>) {
    for (key, value) in before {
        let path = below(path, key);
        match after.get(key) {
            Some(after) => values(&path, value, after, out),
            None => out.push(json!({"op": "remove", "path": path})),
        }
    }
    for (key, value) in after {
        if !before.contains_key(key) {
            out.push(json!({"op": "add", "path": below(path, key), "value": value}));
        }
    }
}

/// Items that are appended or left out, or changed in place; anything else replaces the list.
fn lists(path: &str, before: &[Value], after: &[Value], out: &mut Vec<Value>) {
    if before.len() == after.len() {
        for (at, (before, after)) in before.iter().zip(after).enumerate() {
            values(&format!("{path}/{at}"), before, after, out);
        }
        return;
    }
    if let Some(appended) = after.strip_prefix(before) {
        let add = |item| json!({"op": "add", "path": format!("{path}/-"), "value": item});
        out.extend(appended.iter().map(add));
        return;
    }
    match left_out(before, after) {
        // The last one first: an item that is removed moves those after it.
        Some(places) => out.extend(
            places
                .iter()
                .rev()
                .map(|at| json!({"op": "remove", "path": format!("{path}/{at}")})),
        ),
        None => out.push(json!({"op": "replace", "path": path, "value": after})),
    }
}

/// The places of the items of `before` that `after` lacks; `None` if it has others, or another order.
fn left_out(before: &[Value], after: &[Value]) -> Option<Vec<usize>> {
    let mut kept = after.iter().peekable();
    let mut places = Vec::new();
    for (at, item) in before.iter().enumerate() {
        match kept.next_if_eq(&item) {
            Some(_) => {}
            None => places.push(at),
        }
    }
    kept.next().is_none().then_some(places)
}

fn below(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_make_one_value_of_the_other() {
        let before = json!({"a": {"x/y": 1, "gone": 2}, "list": [1, 2, 3], "same": [{}]});
        let after = json!({"a": {"x/y": 5}, "list": [1, 3], "same": [{}], "new": {"z": []}});
        assert_eq!(
            between(&before, &after),
            [
                json!({"op": "replace", "path": "/a/x~1y", "value": 5}),
                json!({"op": "remove", "path": "/a/gone"}),
                json!({"op": "remove", "path": "/list/1"}),
                json!({"op": "add", "path": "/new", "value": {"z": []}}),
            ]
        );
        assert_eq!(
            between(&json!([1]), &json!([1, 2])),
            [json!({"op": "add", "path": "/-", "value": 2})]
        );
        assert_eq!(
            between(&json!([1, 2]), &json!([3, 1, 2])),
            [json!({"op": "replace", "path": "", "value": [3, 1, 2]})]
        );
        assert_eq!(between(&before, &before), Vec::<Value>::new());
    }
}
