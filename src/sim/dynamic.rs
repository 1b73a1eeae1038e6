//! Objects of any kind, for those who know kinds by name only: kubectl, and scripts.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    ReplicationController, ResourceQuota, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, StorageClass};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::server::{ApiError, ApiServer};
use super::store::{Key, Object, Store, Stored};
use crate::api::decode::decode;
use crate::api::object::Manifest;
use crate::api::problem::Severity;
use crate::base::json;

/// Why an object could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The API server refuses.
    Refused(ApiError),
    /// The change makes no object of its kind of it, or was not to be made: why.
    Unfit(String),
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
            ChangeError::Unfit(why) => f.write_str(why),
        }
    }
}

/// A change of an object, as JSON.
pub type Edit<'a> = &'a mut dyn FnMut(&mut Value) -> Result<(), String>;

/// Kinds with their manifests' variants. Every function on a kind by name is made from it.
macro_rules! any {
    ($($kind:ident $manifest:ident;)*) => {
        impl Object {
            /// The object as JSON, with `apiVersion` and `kind`.
            pub fn to_json(&self) -> Value {
                match self {
                    $(Object::$kind(object) => json::value(&**object),)*
                    Object::ControllerRevision(object) => json::value(&**object),
                }
            }

            /// The object of a manifest; `None` for Berth's own documents.
            pub fn of_manifest(manifest: &Manifest) -> Option<Object> {
                Some(match manifest {
                    $(Manifest::$manifest(object) => Object::$kind(Arc::new((**object).clone())),)*
                    _ => return None,
                })
            }
        }

        impl Store {
            /// An object by the name of its kind.
            pub fn get(&self, kind: &str, key: &Key) -> Option<Object> {
                match kind {
                    $(stringify!($kind) => $kind::table(self).get(key).cloned().map($kind::wrap),)*
                    "ControllerRevision" => {
                        let revision = self.controller_revisions.get(key).cloned();
                        revision.map(ControllerRevision::wrap)
                    }
                    _ => None,
                }
            }

            /// All objects of a kind, by namespace and name.
            pub fn list(&self, kind: &str) -> Vec<Object> {
                match kind {
                    $(stringify!($kind) => {
                        let all = $kind::table(self).iter();
                        all.cloned().map($kind::wrap).collect()
                    })*
                    "ControllerRevision" => {
                        let all = self.controller_revisions.iter();
                        all.cloned().map(ControllerRevision::wrap).collect()
                    }
                    _ => Vec::new(),
                }
            }
        }

        impl ApiServer {
            /// Creates an object, as [`ApiServer::create`].
            ///
            /// # Errors
            /// As there.
            pub fn create_object(&mut self, object: Object) -> Result<Object, ApiError> {
                match object {
                    $(Object::$kind(object) => {
                        self.create(Arc::unwrap_or_clone(object)).map($kind::wrap)
                    })*
                    Object::ControllerRevision(object) => {
                        let created = self.create(Arc::unwrap_or_clone(object));
                        created.map(ControllerRevision::wrap)
                    }
                }
            }

            /// Brings in an object, as [`ApiServer::restore`].
            ///
            /// # Errors
            /// As there.
            pub fn restore_object(&mut self, object: Object) -> Result<(), ApiError> {
                match object {
                    $(Object::$kind(object) => self.restore(Arc::unwrap_or_clone(object)).map(drop),)*
                    Object::ControllerRevision(object) => {
                        self.restore(Arc::unwrap_or_clone(object)).map(drop)
                    }
                }
            }

            /// Deletes an object, as [`ApiServer::delete`].
            ///
            /// # Errors
            /// As there.
            pub fn delete_object(&mut self, kind: &str, key: &Key) -> Result<(), ApiError> {
                match kind {
                    $(stringify!($kind) => self.delete::<$kind>(key),)*
                    _ => self.delete::<ControllerRevision>(key),
                }
            }

            /// Changes an object as JSON, its status included, and writes it.
            ///
            /// # Errors
            /// If there is none, if the API server refuses, or if it is not an object of its kind any more.
            pub fn change_object(
                &mut self,
                kind: &str,
                key: &Key,
                edit: Edit<'_>,
            ) -> Result<Object, ChangeError> {
                match kind {
                    $(stringify!($kind) => self.change::<$kind>(key, edit).map($kind::wrap),)*
                    _ => {
                        let changed = self.change::<ControllerRevision>(key, edit);
                        changed.map(ControllerRevision::wrap)
                    }
                }
            }
        }
    };
}

any! {
    Node Node;
    Pod Pod;
    Deployment Deployment;
    ReplicaSet ReplicaSet;
    StatefulSet StatefulSet;
    DaemonSet DaemonSet;
    Job Job;
    CronJob CronJob;
    PersistentVolumeClaim PersistentVolumeClaim;
    PersistentVolume PersistentVolume;
    StorageClass StorageClass;
    CSINode CsiNode;
    CSIDriver CsiDriver;
    Namespace Namespace;
    PriorityClass PriorityClass;
    LimitRange LimitRange;
    ResourceQuota ResourceQuota;
    PodDisruptionBudget PodDisruptionBudget;
    Service Service;
    ReplicationController ReplicationController;
}

impl ApiServer {
    /// [`ApiServer::change_object`] where the kind is known.
    pub(in crate::sim) fn change<T>(
        &mut self,
        key: &Key,
        edit: Edit<'_>,
    ) -> Result<Arc<T>, ChangeError>
    where
        T: Stored + Serialize + for<'de> Deserialize<'de>,
    {
        let Some(current) = T::table(self.store()).get(key) else {
            let (kind, key) = (T::KIND, key.clone());
            return Err(ApiError::NotFound { kind, key }.into());
        };
        let mut value = json::value(&**current);
        edit(&mut value).map_err(ChangeError::Unfit)?;
        let (object, findings) = decode::<T>(&value);
        let errors = findings.iter();
        let mut errors = errors.filter(|finding| finding.severity == Severity::Error);
        let mut object = match (object, errors.next()) {
            (Some(object), None) => *object,
            (_, error) => {
                let why = error.map_or_else(
                    || "the object cannot be read".to_owned(),
                    |finding| format!("{}: {}", finding.path, finding.message),
                );
                return Err(ChangeError::Unfit(why));
            }
        };
        let updated = self.update(object.clone())?;
        // What the API server has written itself is not taken back with the status.
        let (meta, stored) = (object.metadata_mut(), updated.metadata());
        meta.resource_version.clone_from(&stored.resource_version);
        meta.annotations.clone_from(&stored.annotations);
        Ok(self.update_status(&object)?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::api::load::read_object;
    use crate::sim::server::Naming;

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
        let changed = api.change_object("Node", &key, &mut |node| {
            node["spec"] = json!({"unschedulable": true});
            node["status"] = json!({"capacity": {"cpu": "4"}});
            Ok(())
        });
        let changed = changed.expect("it is a node still").to_json();
        assert_eq!(changed["kind"], "Node");
        assert_eq!(changed["spec"]["unschedulable"], true);
        assert_eq!(changed["status"]["capacity"]["cpu"], "4");
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
        let changed = api.change_object("Node", &key, &mut |node| {
            node["spec"] = json!({"unschedulable": "perhaps"});
            Ok(())
        });
        let Err(ChangeError::Unfit(why)) = changed else {
            panic!("accepted");
        };
        assert!(why.contains("spec.unschedulable"), "{why}");
    }
}
