//! Changes to objects as JSON: what `kubectl` sends as patches.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::steps::Outcome;
use crate::api::decode::decode;
use crate::api::problem::Severity;
use crate::base::json;
use crate::sim::server::ApiServer;
use crate::sim::store::{Key, Stored};

/// Changes an object as JSON, and writes it.
pub(super) fn edit<T>(
    key: &Key,
    api: &mut ApiServer,
    change: &mut dyn FnMut(&mut Value) -> Outcome,
) -> Outcome
where
    T: Stored + serde::Serialize + for<'de> Deserialize<'de>,
{
    let Some(current) = T::table(api.store()).get(key) else {
        return Err(format!("{} {:?} not found", T::KIND, key.name));
    };
    let mut value = json::value(&**current);
    change(&mut value)?;
    let mut object: T = decode_as(&value)?;
    let updated = api.update(object.clone());
    let updated = updated.map_err(|error| error.to_string())?;
    // A patch may change the status as well.
    let version = updated.metadata().resource_version.clone();
    object.metadata_mut().resource_version = version;
    let written = api.update_status(&object);
    written.map(drop).map_err(|error| error.to_string())
}

/// Reads an object of a type.
pub(super) fn decode_as<T: for<'de> Deserialize<'de>>(value: &Value) -> Outcome<T> {
    let (object, findings) = decode::<T>(value);
    object.map(|object| *object).ok_or_else(|| {
        let error = findings.iter().find(|it| it.severity == Severity::Error);
        error.map_or_else(
            || "the object cannot be read".to_owned(),
            |finding| format!("{}: {}", finding.path, finding.message),
        )
    })
}

/// Sets the image of the first container of a template.
pub(super) fn set_image(object: &mut Value, image: &str) -> Outcome {
    let container = object.pointer_mut("/spec/template/spec/containers/0");
    match container.and_then(Value::as_object_mut) {
        Some(container) => {
            container.insert("image".to_owned(), image.into());
            Ok(())
        }
        None => Err("the object has no container whose image could be set".to_owned()),
    }
}

/// A JSON merge patch (RFC 7396).
pub(crate) fn merge(target: &mut Value, patch: &Value) {
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

/// Removes from `live` what `before` said and `now` says no more.
pub(crate) fn drop_missing(live: &mut Value, before: &Value, now: &Value) {
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
    fn only_what_was_said_before_and_is_not_now_goes() {
        let mut live = json!({"spec": {"replicas": 3, "paused": true, "added": 1}});
        let before = json!({"spec": {"replicas": 3, "paused": true}});
        drop_missing(&mut live, &before, &json!({"spec": {"replicas": 5}}));
        assert_eq!(live, json!({"spec": {"replicas": 3, "added": 1}}));
    }
}
