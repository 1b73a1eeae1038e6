//! What an update may say in `metadata` (apiserver's `rest.BeforeUpdate`, apimachinery's
//! `ValidateObjectMetaAccessorUpdate`, v1.36).

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::ApiError;
use crate::store::{Key, name_of, namespace_of};
use crate::strategy::Served;
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};

const IMMUTABLE: &str = "field is immutable";

/// Restores the fields that only the API server writes, and finds changes of those that never change. A version that
/// the update names stays: it is the one that was read.
///
/// # Errors
/// If the update names another object, or changes what never changes.
pub(crate) fn settle<T: Served>(object: &mut T, key: &Key, before: &T) -> Result<(), ApiError> {
    let old = before.metadata();
    let new = object.metadata_mut();
    if name_of(new) != key.name() {
        let (name, own) = (name_of(new), key.name());
        return Err(ApiError::BadRequest {
            message: format!(
                "the name of the object ({name}) does not match the name on the URL ({own})"
            ),
        });
    }
    if T::NAMESPACED && namespace_of(new) != key.namespace() {
        let (name, own) = (namespace_of(new), key.namespace());
        return Err(ApiError::BadRequest {
            message: format!(
                "the namespace of the object ({name}) does not match the namespace on the URL ({own})"
            ),
        });
    }
    fill(new, old);
    let mut errors = Vec::new();
    let path = Path::root().child("metadata");
    let fields = [
        ("uid", new.uid != old.uid, json::value(&new.uid)),
        (
            "creationTimestamp",
            new.creation_timestamp != old.creation_timestamp,
            json::value(&new.creation_timestamp),
        ),
        (
            "deletionTimestamp",
            new.deletion_timestamp != old.deletion_timestamp,
            json::value(&new.deletion_timestamp),
        ),
    ];
    for (field, is_changed, value) in fields {
        if is_changed {
            errors.push(FieldError::invalid(&path.child(field), value, IMMUTABLE));
        }
    }
    if errors.is_empty() {
        return Ok(());
    }
    let (kind, key) = (T::KIND, key.clone());
    Err(ApiError::Invalid { kind, key, errors })
}

/// What an update leaves out stays.
fn fill(new: &mut ObjectMeta, old: &ObjectMeta) {
    new.generation = old.generation;
    if new
        .resource_version
        .as_deref()
        .is_none_or(|it| it.is_empty() || it == "0")
    {
        new.resource_version.clone_from(&old.resource_version);
    }
    if new.uid.as_deref().is_none_or(str::is_empty) {
        new.uid.clone_from(&old.uid);
    }
    // Texts of times have no fractions.
    let is_kept = |new: &Option<Time>, old: &Option<Time>| {
        new.is_none() || json::value(new) == json::value(old)
    };
    if is_kept(&new.creation_timestamp, &old.creation_timestamp) {
        new.creation_timestamp.clone_from(&old.creation_timestamp);
    }
    if is_kept(&new.deletion_timestamp, &old.deletion_timestamp) {
        new.deletion_timestamp.clone_from(&old.deletion_timestamp);
    }
    new.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
}
