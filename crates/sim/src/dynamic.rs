//! Objects of any kind, for callers that know a kind only by its name: kubectl, scripts, the garbage collector
//! (client-go's dynamic client).

use std::sync::Arc;

use serde_json::Value;

use super::server::{ApiError, ApiServer, metadata_update};
use super::store::{Key, Object};
use super::strategy::Served;
use berth_base::json;
use berth_core::api::decode::{Fault, Finding, decode};
use berth_core::api::kinds::{Kind, for_each_kind, groups};
use berth_core::api::problem::Severity;

/// Why an object could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The API server refused the change.
    Refused(ApiError),
    /// Why the edit failed.
    Edit(String),
    /// Why its result is not an object of the kind, or which fields it does not have.
    Undecodable(Vec<Finding>),
}

/// What a write does about unknown fields (`fieldValidation` of a request).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    Ignore,
    Strict,
}

/// A written object, and whether the write changed it.
#[derive(Clone, Debug)]
pub struct Patched<O> {
    pub object: O,
    pub changed: bool,
}

impl From<ApiError> for ChangeError {
    fn from(error: ApiError) -> Self {
        ChangeError::Refused(error)
    }
}

impl std::fmt::Display for ChangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChangeError::Refused(error) => error.fmt(f),
            ChangeError::Edit(why) => f.write_str(why),
            ChangeError::Undecodable(findings) => {
                let mut errors = findings.iter();
                match errors.find(|finding| finding.severity == Severity::Error) {
                    Some(error) => write!(f, "{}: {}", error.path, error.message),
                    None => f.write_str("the object cannot be read"),
                }
            }
        }
    }
}

/// A change of an object, as JSON.
pub type Edit<'a> = &'a mut dyn FnMut(&mut Value) -> Result<(), String>;

/// Work that is the same for objects of every kind.
pub trait Visitor {
    type Output;

    fn visit<T: Served>(&mut self, object: &Arc<T>) -> Self::Output;
}

macro_rules! dynamic {
    ($($kind:ident ($group:ident::$version:ident) {$($rest:tt)*})*) => {
        impl Object {
            /// Calls the visitor with this object.
            pub fn visit<V: Visitor>(&self, visitor: &mut V) -> V::Output {
                match self {
                    $(Object::$kind(object) => visitor.visit(object),)*
                }
            }
        }

        impl ApiServer {
            /// Creates an object, as [`ApiServer::create`].
            ///
            /// # Errors
            /// As [`ApiServer::create`].
            pub fn create_object(&mut self, object: Object) -> Result<Object, ApiError> {
                let (kind, key) = (object.kind_of(), Key::of(object.metadata()));
                if self.implied_in_namespace(kind, &key).is_some() {
                    let kind = kind.info().kind;
                    return Err(ApiError::AlreadyExists { kind, key });
                }
                match object {
                    $(Object::$kind(object) => {
                        self.create(Arc::unwrap_or_clone(object)).map(Object::$kind)
                    })*
                }
            }

            /// Restores an object, as [`ApiServer::restore`].
            ///
            /// # Errors
            /// As [`ApiServer::restore`].
            pub fn restore_object(&mut self, object: Object) -> Result<(), ApiError> {
                match object {
                    $(Object::$kind(object) => self.restore(Arc::unwrap_or_clone(object)).map(drop),)*
                }
            }

            /// Creates an object with a given uid, as [`ApiServer::create_as`].
            ///
            /// # Errors
            /// As [`ApiServer::create`].
            pub(crate) fn create_object_as(
                &mut self,
                object: Object,
                uid: String,
            ) -> Result<(), ApiError> {
                match object {
                    $(Object::$kind(object) => {
                        self.create_as(Arc::unwrap_or_clone(object), Some(uid)).map(drop)
                    })*
                }
            }

            fn delete_of_kind(&mut self, kind: Kind, key: &Key) -> Result<(), ApiError> {
                match kind {
                    $(Kind::$kind => {
                        self.delete::<groups::$group::$version::$kind>(key)
                    })*
                }
            }

            fn patch_of_kind(
                &mut self,
                kind: Kind,
                key: &Key,
                validation: FieldValidation,
                edit: Edit<'_>,
            ) -> Result<Patched<Object>, ChangeError> {
                match kind {
                    $(Kind::$kind => {
                        let Patched { object, changed } = self.patch(key, validation, edit)?;
                        let object = Object::$kind(object);
                        Ok(Patched { object, changed })
                    })*
                }
            }
        }
    };
}

for_each_kind!(dynamic);

impl ApiServer {
    /// Deletes an object by the name of its kind, as [`ApiServer::delete`].
    ///
    /// # Errors
    /// As [`ApiServer::delete`].
    pub fn delete_object(&mut self, kind: &str, key: &Key) -> Result<(), ApiError> {
        self.delete_of_kind(known(kind)?, key)
    }

    /// Changes an object as JSON by the name of its kind, as [`ApiServer::patch`].
    ///
    /// # Errors
    /// As [`ApiServer::patch`].
    pub fn patch_object(
        &mut self,
        kind: &str,
        key: &Key,
        validation: FieldValidation,
        edit: Edit<'_>,
    ) -> Result<Patched<Object>, ChangeError> {
        let kind = known(kind)?;
        self.store_implied(kind, key);
        self.patch_of_kind(kind, key, validation, edit)
    }

    /// Changes the resources of a Pod as JSON, as [`ApiServer::resize`].
    ///
    /// # Errors
    /// As [`ApiServer::patch`].
    pub fn resize_pod(
        &mut self,
        key: &Key,
        edit: Edit<'_>,
    ) -> Result<Patched<Object>, ChangeError> {
        let Some(current) = self.store().pods.get(key).cloned() else {
            let (kind, key) = ("Pod", key.clone());
            return Err(ApiError::NotFound { kind, key }.into());
        };
        let mut value = json::value(&*current);
        edit(&mut value).map_err(ChangeError::Edit)?;
        let (object, findings) = decode::<k8s_openapi::api::core::v1::Pod>(&value);
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        let pod = match object {
            Some(pod) if !findings.iter().any(is_error) => *pod,
            _ => return Err(ChangeError::Undecodable(findings)),
        };
        let resized = self.resize(pod)?;
        Ok(Patched {
            changed: resized != current,
            object: Object::Pod(resized),
        })
    }

    /// Changes an object as JSON, and writes it; a changed status is written as well.
    ///
    /// # Errors
    /// If there is none, if the API server refuses the change, or if the result is not an object of the kind.
    pub(crate) fn patch<T: Served>(
        &mut self,
        key: &Key,
        validation: FieldValidation,
        edit: Edit<'_>,
    ) -> Result<Patched<Arc<T>>, ChangeError> {
        let Some(current) = T::table(self.store()).get(key).cloned() else {
            let (kind, key) = (T::KIND, key.clone());
            return Err(ApiError::NotFound { kind, key }.into());
        };
        let before = json::value(&*current);
        let mut value = before.clone();
        edit(&mut value).map_err(ChangeError::Edit)?;
        if value == before {
            let changed = false;
            return Ok(Patched {
                object: current,
                changed,
            });
        }
        let (object, findings) = decode::<T>(&value);
        let is_refused = |finding: &Finding| match finding.severity {
            Severity::Error => true,
            Severity::Warning => {
                validation == FieldValidation::Strict && finding.fault == Fault::UnknownField
            }
        };
        let mut object = match object {
            Some(object) if !findings.iter().any(is_refused) => *object,
            _ => return Err(ChangeError::Undecodable(findings)),
        };
        metadata_update::settle(&mut object, key, &*current)?;
        let mut updated = self.update(object.clone())?;
        if value.get("status") != before.get("status") {
            // Keep the version and the annotations that the update stored.
            let (meta, stored) = (object.metadata_mut(), updated.metadata());
            meta.resource_version.clone_from(&stored.resource_version);
            meta.annotations.clone_from(&stored.annotations);
            updated = self.update_status(&object)?;
        }
        if updated != current
            && let Some(kind) = Kind::of_name(T::KIND)
        {
            self.note_fields(kind, key, &before, &json::value(&*updated));
        }
        Ok(Patched {
            changed: updated != current,
            object: updated,
        })
    }
}

/// The kind with this name.
///
/// # Errors
/// If the API server serves no kind of that name.
fn known(kind: &str) -> Result<Kind, ApiError> {
    Kind::of_name(kind).ok_or(ApiError::NoResource)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::server::Naming;
    use berth_core::api::load::read_object;

    fn api() -> ApiServer {
        ApiServer::new(Naming::Counted(BTreeMap::new()), None)
    }

    fn object(manifest: Value) -> Object {
        let (manifest, _) = read_object(&manifest);
        manifest
            .as_ref()
            .and_then(Object::of_manifest)
            .expect("a manifest")
    }

    #[test]
    fn objects_are_found_changed_and_deleted_by_the_name_of_their_kind() {
        let mut api = api();
        let manifest = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
        api.create_object(object(manifest)).expect("it is new");
        let key = Key::new("", "n1");
        let strict = FieldValidation::Strict;
        let patched = api.patch_object("Node", &key, strict, &mut |node| {
            node["spec"] = json!({"unschedulable": true});
            node["status"] = json!({"capacity": {"cpu": "4"}});
            Ok(())
        });
        let patched = patched.expect("it is a node still");
        assert!(patched.changed);
        let changed = patched.object.to_json();
        assert_eq!(changed["kind"], "Node");
        assert_eq!(changed["spec"]["unschedulable"], true);
        assert_eq!(changed["status"]["capacity"]["cpu"], "4");
        let again = api.patch_object("Node", &key, strict, &mut |_| Ok(()));
        assert!(!again.expect("it is a node still").changed);
        assert_eq!(api.store().list("Node").len(), 1);
        api.delete_object("Node", &key).expect("it is there");
        assert!(api.store().get("Node", &key).is_none());
    }

    #[test]
    fn a_change_that_makes_no_object_of_the_kind_is_refused_with_its_field() {
        let mut api = api();
        let manifest = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
        api.create_object(object(manifest)).expect("it is new");
        let key = Key::new("", "n1");
        let mut set = |field: &str, value: Value, validation| {
            api.patch_object("Node", &key, validation, &mut |node| {
                node["spec"] = json!({field: value});
                Ok(())
            })
        };
        let error = set("unschedulable", json!("perhaps"), FieldValidation::Ignore);
        let error = error.expect_err("accepted").to_string();
        assert!(error.contains("spec.unschedulable"), "{error}");
        assert!(set("unknown", json!(1), FieldValidation::Strict).is_err());
        assert!(set("unknown", json!(1), FieldValidation::Ignore).is_ok());
    }
}
