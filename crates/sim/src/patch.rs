//! Changes to objects as JSON: the patches that `kubectl` sends, and the merge of `kubectl apply` with an existing
//! object.

mod operations;
mod problem;
mod strategic;

use serde_json::{Map, Value};

pub use operations::{DoesNotApply, apply_operations};
pub use problem::strategic_problem;
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
}
