//! Writes objects as the API server accepts them, with strict decoding.

use serde_json::{Map, Value};

use super::binding::{self, BINDING};
use super::shown::{self, shown};
use crate::errors::{self, Complaint, ErrorContext};
use crate::kinds::KindInfo;
use berth_base::sort::sort_by_key;
use berth_core::api::decode::{Fault, Finding};
use berth_core::api::load::read_object;
use berth_core::api::object::Manifest;
use berth_core::api::problem::Severity;
use berth_core::api::shapes;
use berth_sim::dynamic::{ChangeError, FieldValidation, Patched};
use berth_sim::server::{ApiError, ApiServer};
use berth_sim::store::{Key, Object};
use berth_sim::strategy::without_account;

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
    if value.get("kind").is_some_and(|kind| kind == "Pod") {
        without_account(&mut value);
    }
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
/// kubectl's error.
pub(crate) fn decoded(value: &Value, context: ErrorContext<'_>) -> Result<Manifest, String> {
    decoded_without(value, &[], context)
}

/// The same of an object from which the fields were taken that the release does not know.
fn decoded_without(
    value: &Value,
    later: &[String],
    context: ErrorContext<'_>,
) -> Result<Manifest, String> {
    let (object, mut findings) = read_object(value);
    findings.extend(later.iter().map(Finding::unknown_field));
    if !later.is_empty() {
        sort_by_key(&mut findings, |finding| finding.path.clone());
    }
    let is_unknown = |finding: &&Finding| finding.fault == Fault::UnknownField;
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    match object {
        Some(object) if !findings.iter().any(|it| is_error(&it) || is_unknown(&it)) => Ok(object),
        _ => Err(undecodable(value, &findings, context)),
    }
}

/// The API server's error about an object that cannot be decoded strictly.
fn undecodable(value: &Value, findings: &[Finding], context: ErrorContext<'_>) -> String {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind");
    let version = text("apiVersion").rsplit('/').next().unwrap_or_default();
    let why = why_undecodable(findings);
    let message = format!("{kind} in version {version:?} cannot be handled as a {kind}: {why}");
    errors::bad_request(&message, context)
}

fn why_undecodable(findings: &[Finding]) -> String {
    let errors = || findings.iter().filter(|it| it.severity == Severity::Error);
    // Go's decoder goes on after a value of another type, and stops at one that decodes itself.
    let stops = errors().find(|it| it.fault == Fault::Undecodable);
    if let Some(error) = stops.or_else(|| errors().next()) {
        let (path, message) = (&error.path, &error.message);
        return match error.fault {
            Fault::Undecodable | Fault::WrongType { .. } => message.to_string(),
            Fault::Rule | Fault::UnknownField => format!("{path}: {message}"),
        };
    }
    let strict = findings.iter().filter(|it| it.fault == Fault::UnknownField);
    let strict: Vec<String> = strict
        .map(|finding| format!("unknown field {:?}", finding.path))
        .collect();
    if strict.is_empty() {
        return "the object cannot be read".to_owned();
    }
    format!("strict decoding error: {}", strict.join(", "))
}

/// Creates an object.
///
/// # Errors
/// kubectl's message about the API server's error.
pub(crate) fn create(
    given: &Value,
    kind: &KindInfo,
    namespace: &str,
    context: ErrorContext<'_>,
    api: &mut ApiServer,
) -> Result<Value, Complaint> {
    if kind.kind == BINDING.kind {
        return Ok(binding::create(given, namespace, context, api)?);
    }
    // Fields that only the server writes are decoded as well, before they are dropped.
    let mut known = given.clone();
    let later = shapes::take_later(&mut known, api.release().version());
    decoded_without(&known, &later, context).map_err(|why| worded(why, api))?;
    let mut value = desired(&known);
    if let Some(meta) = meta_of(&mut value) {
        complete_namespace(meta, kind, namespace);
    }
    let manifest = decoded(&value, context).map_err(|why| worded(why, api))?;
    let Some(object) = Object::of_manifest(&manifest) else {
        return Err(format!("error: objects of kind {} are not kept", kind.kind).into());
    };
    let created = api.create_object(object);
    let created = created.map_err(|error| errors::server_while(&error, context))?;
    Ok(shown::created(&created, api))
}

/// Fills in the namespace of the request. What is no text stays: the API server refuses it.
fn complete_namespace(meta: &mut Map<String, Value>, kind: &KindInfo, namespace: &str) {
    if !kind.namespaced {
        meta.shift_remove("namespace");
        return;
    }
    let is_open = match meta.get("namespace") {
        None | Some(Value::Null | Value::String(_)) => true,
        Some(_) => false,
    };
    if is_open {
        meta.insert("namespace".to_owned(), namespace.into());
    }
}

/// A message of the decoder as the server's release words it.
fn worded(message: String, api: &ApiServer) -> String {
    match api.release().rules().names_embedded_fields {
        true => message,
        false => shapes::without_embedded(&message),
    }
}

/// Refuses an object whose name or namespace are not those of the request (apiserver `checkName`).
fn check_name(value: &mut Value, key: &Key) -> Result<(), String> {
    let text = |value: &Value, field: &str| {
        let text = value
            .get("metadata")
            .and_then(|meta| meta.get(field)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    let (name, wanted) = (text(value, "name"), key.name());
    let problem = if name.is_empty() {
        format!(
            "the name of the object ({wanted} based on URL) was undeterminable: name must be provided"
        )
    } else if name != wanted {
        format!("the name of the object ({name}) does not match the name on the URL ({wanted})")
    } else if key.namespace().is_empty() || text(value, "namespace") == key.namespace() {
        return Ok(());
    } else if text(value, "namespace").is_empty() {
        if let Some(meta) = meta_of(value) {
            meta.insert("namespace".to_owned(), key.namespace().into());
        }
        return Ok(());
    } else {
        "the namespace of the provided object does not match the namespace sent on the request"
            .to_owned()
    };
    Err(format!("Error from server (BadRequest): {problem}"))
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
) -> Result<(bool, Value), Complaint> {
    change_part(kind, key, None, ErrorContext::Nothing, api, edit)
}

/// The same for a subresource, in the words of a command.
///
/// # Errors
/// As [`change`].
pub(crate) fn change_part(
    kind: &KindInfo,
    key: &Key,
    part: Option<&str>,
    context: ErrorContext<'_>,
    api: &mut ApiServer,
    edit: &mut dyn FnMut(&mut Value) -> Result<(), String>,
) -> Result<(bool, Value), Complaint> {
    let mut after = Value::Null;
    let mut kept = |value: &mut Value| {
        edit(value)?;
        check_name(value, key)?;
        after.clone_from(value);
        Ok(())
    };
    let patched = match part {
        Some("resize") => api.resize_pod(key, &mut kept),
        _ => api.patch_object(kind.kind, key, FieldValidation::Strict, &mut kept),
    };
    let Patched { object, changed } = patched.map_err(|error| match error {
        ChangeError::Refused(ApiError::NotFound { .. }) => {
            errors::not_found(kind.kind, key.name()).into()
        }
        ChangeError::Refused(error) => errors::server_while(&error, context),
        error => worded(refused(&after, error, context), api).into(),
    })?;
    Ok((changed, shown(&object, api)))
}

/// kubectl's message about a change that was refused, to this object.
pub(crate) fn refused(value: &Value, error: ChangeError, context: ErrorContext<'_>) -> String {
    match error {
        ChangeError::Refused(error) => errors::server_while(&error, context).into(),
        ChangeError::Edit(message) => message,
        ChangeError::Undecodable(findings) => undecodable(value, &findings, context),
    }
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
