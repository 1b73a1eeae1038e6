//! Changes to objects as JSON: the patches that `kubectl` sends, and the merge of `kubectl apply` with an existing
//! object.

mod operations;
mod strategic;

use serde_json::{Map, Value};

pub use operations::apply_operations;
pub use strategic::{apply_again, strategic};

/// A JSON merge patch (RFC 7396).
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(target) = target.as_object_mut() else {
        return;
    };
    for (key, value) in patch {
        if value.is_null() {
            target.shift_remove(key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), value);
        }
    }
}

/// Removes the fields from `live` that `before` has and `now` lacks.
pub fn drop_missing(live: &mut Value, before: &Value, now: &Value) {
    let (Some(live), Some(before)) = (live.as_object_mut(), before.as_object()) else {
        return;
    };
    for (key, value) in before {
        match (live.get_mut(key), now.get(key)) {
            (Some(live), Some(now)) => drop_missing(live, value, now),
            (Some(_), None) => drop(live.shift_remove(key)),
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_merge_patch_sets_removes_and_replaces() {
        let mut target = json!({"a": {"b": 1, "c": [1, 2]}, "d": "x"});
        merge(
            &mut target,
            &json!({"a": {"b": null, "c": [3]}, "e": {"f": 1, "g": null}}),
        );
        assert_eq!(target, json!({"a": {"c": [3]}, "d": "x", "e": {"f": 1}}));
    }

    #[test]
    fn only_fields_that_the_last_manifest_set_are_removed() {
        let mut live = json!({"spec": {"replicas": 3, "paused": true, "added": 1}});
        let before = json!({"spec": {"replicas": 3, "paused": true}});
        drop_missing(&mut live, &before, &json!({"spec": {"replicas": 5}}));
        assert_eq!(live, json!({"spec": {"replicas": 3, "added": 1}}));
    }
}
