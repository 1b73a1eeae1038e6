//! Writes objects as the API server accepts them, with strict decoding.

use serde_json::{Map, Value};

use crate::errors;
use crate::kinds::KindInfo;
use berth_core::api::load::read_object;
use berth_core::api::object::Manifest;
use berth_core::api::problem::Severity;
use berth_sim::dynamic::ChangeError;
use berth_sim::server::ApiServer;
use berth_sim::store::{Key, Object};

/// The annotation with the manifest that was applied last.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Metadata fields that only the API server writes.
const OWN_META: [&str; 8] = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
];

/// A manifest without the fields that only the API server writes. Nodes keep their status: their capacity comes from
/// manifests here.
pub(crate) fn desired(value: &Value) -> Value {
    let mut value = value.clone();
    let keeps_status = value.get("kind").is_some_and(|kind| kind == "Node");
    if let Some(object) = value.as_object_mut() {
        if !keeps_status {
            object.shift_remove("status");
        }
        if let Some(Value::Object(meta)) = object.get_mut("metadata") {
            meta.retain(|key, _| !OWN_META.contains(&key.as_str()));
        }
    }
    value
}

/// Decodes an object strictly, as the API server does.
///
/// # Errors
/// kubectl's error; `doing` is `error when creating "a.yaml"`, or empty.
pub(crate) fn decoded(value: &Value, doing: &str) -> Result<Manifest, String> {
    let (object, findings) = read_object(value);
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind");
    let doing = if doing.is_empty() {
        String::new()
    } else {
        format!("{doing}: ")
    };
    let version = text("apiVersion").rsplit('/').next().unwrap_or_default();
    let opening = format!(
        "Error from server (BadRequest): {doing}{kind} in version {version:?} cannot be handled as a {kind}: "
    );
    let error = findings.iter().find(|it| it.severity == Severity::Error);
    if let Some(error) = error {
        let (path, message) = (&error.path, &error.message);
        // Go's decoder names the field itself, if at all.
        let is_whole = ["json: ", "illegal base64 data"];
        return Err(if is_whole.iter().any(|it| message.starts_with(it)) {
            format!("{opening}{message}")
        } else {
            format!("{opening}{path}: {message}")
        });
    }
    let strict = findings
        .iter()
        .filter(|it| it.message.starts_with("unknown field"));
    let strict: Vec<String> = strict
        .map(|finding| format!("unknown field {:?}", finding.path))
        .collect();
    if !strict.is_empty() {
        let faults = strict.join(", ");
        return Err(format!("{opening}strict decoding error: {faults}"));
    }
    object.ok_or_else(|| format!("{opening}the object cannot be read"))
}

/// Creates an object.
///
/// # Errors
/// kubectl's message about the API server's error.
pub(crate) fn create(
    value: &Value,
    kind: &KindInfo,
    namespace: &str,
    doing: &str,
    api: &mut ApiServer,
) -> Result<Value, String> {
    let mut value = desired(value);
    if let Some(meta) = meta_of(&mut value) {
        if kind.namespaced {
            meta.insert("namespace".to_owned(), namespace.into());
        } else {
            meta.shift_remove("namespace");
        }
    }
    let manifest = decoded(&value, doing)?;
    let Some(object) = Object::of_manifest(&manifest) else {
        return Err(format!("error: objects of kind {} are not kept", kind.kind));
    };
    let created = api.create_object(object);
    let created = created.map_err(|error| errors::server_while(&error, doing))?;
    Ok(created.to_json())
}

/// Changes an object; returns whether that changed anything, and the object.
///
/// # Errors
/// kubectl's message about the API server's error; an error of `edit` is returned unchanged.
pub(crate) fn change(
    kind: &KindInfo,
    key: &Key,
    api: &mut ApiServer,
    edit: &mut dyn FnMut(&mut Value) -> Result<(), String>,
) -> Result<(bool, Value), String> {
    let Some(before) = api.store().get(kind.kind, key) else {
        return Err(errors::not_found(kind.kind, key.name()));
    };
    let before = before.to_json();
    let mut after = before.clone();
    edit(&mut after)?;
    if after == before {
        return Ok((false, before));
    }
    decoded(&after, "")?;
    let changed = api.change_object(kind.kind, key, &mut |value| {
        *value = after.clone();
        Ok(())
    });
    let object = changed.map_err(|error| match error {
        ChangeError::Refused(_) => errors::change(&error),
        ChangeError::Unfit(why) => format!("Error from server (BadRequest): {why}"),
    })?;
    let object = object.to_json();
    let version = |value: &Value| value.pointer("/metadata/resourceVersion").cloned();
    let is_other = version(&object) != version(&before) || object != before;
    Ok((is_other, object))
}

/// Reverts what a request may not change: the status, or everything else if it is for the `status` subresource.
pub(crate) fn stay_within(subresource: Option<&str>, after: &mut Value, before: &Value) {
    let mut status = before.get("status").cloned();
    if subresource == Some("status") {
        status = after.get("status").cloned();
        after.clone_from(before);
    }
    if let Some(object) = after.as_object_mut() {
        match status {
            Some(status) => object.insert("status".to_owned(), status),
            None => object.shift_remove("status"),
        };
    }
}

/// The metadata of an object, created if absent.
pub(crate) fn meta_of(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let object = value.as_object_mut()?;
    let meta = object
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    meta.as_object_mut()
}

/// The labels or annotations of an object, created if absent.
pub(crate) fn entries_of<'a>(
    value: &'a mut Value,
    field: &str,
) -> Option<&'a mut Map<String, Value>> {
    let meta = meta_of(value)?;
    let entries = meta
        .entry(field)
        .or_insert_with(|| Value::Object(Map::new()));
    if entries.is_null() {
        *entries = Value::Object(Map::new());
    }
    entries.as_object_mut()
}
