//! Changes to objects as JSON: what `kubectl` sends as patches.

use serde::Deserialize;
use serde_json::Value;

use super::operations::Outcome;
use crate::dynamic::{ChangeError, Edit, FieldValidation};
use crate::server::{ApiError, ApiServer};
use crate::store::Key;
use berth_core::api::decode::decode;
use berth_core::api::kinds::Kind;
use berth_core::api::problem::Severity;

/// The kind of this name.
pub(super) fn known(kind: &str) -> Outcome<Kind> {
    Kind::of_name(kind).ok_or_else(|| format!("objects of kind {kind:?} cannot be changed here"))
}

/// Changes an object as JSON, and writes it.
pub(super) fn edit(kind: &str, key: &Key, api: &mut ApiServer, change: Edit<'_>) -> Outcome {
    known(kind)?;
    let patched = api.patch_object(kind, key, FieldValidation::Ignore, change);
    patched.map(drop).map_err(|error| {
        if let ChangeError::Refused(ApiError::NotFound { kind, key }) = error {
            return format!("{kind} {:?} not found", key.name());
        }
        error.to_string()
    })
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
