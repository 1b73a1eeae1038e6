//! The objects of a cluster by kind, namespace and name, as the API server keeps them and as informers
//! copy them.
//!
//! Objects are shared: a copy of the store is a copy of pointers. Every walk is in the order of namespace
//! and name.

mod key;
mod table;

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
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use k8s_openapi::{Metadata, Resource};

use super::defaults::Defaults;
use super::strategy::Strategy;

pub use key::Key;
pub use table::Table;

/// `metadata.name`, empty if absent.
pub fn name_of(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// `metadata.namespace`, empty if absent.
pub fn namespace_of(meta: &ObjectMeta) -> &str {
    meta.namespace.as_deref().unwrap_or_default()
}

/// `metadata.uid`, empty if absent.
pub fn uid_of(meta: &ObjectMeta) -> &str {
    meta.uid.as_deref().unwrap_or_default()
}

/// The owner with `controller: true`.
pub fn controller_of(meta: &ObjectMeta) -> Option<&OwnerReference> {
    let owners = meta.owner_references.as_deref().unwrap_or_default();
    owners.iter().find(|owner| owner.controller == Some(true))
}

/// Whether the controller of an object is the one with this metadata.
pub fn is_controlled_by(meta: &ObjectMeta, owner: &ObjectMeta) -> bool {
    controller_of(meta).is_some_and(|reference| reference.uid == uid_of(owner))
}

/// A kind that the store holds.
pub trait Stored:
    Resource + Metadata<Ty = ObjectMeta> + Defaults + Strategy + Clone + PartialEq
{
    /// Whether its objects live in a namespace.
    const NAMESPACED: bool;

    fn table(store: &Store) -> &Table<Self>;
    fn table_mut(store: &mut Store) -> &mut Table<Self>;
    fn wrap(object: Arc<Self>) -> Object;
    fn unwrap(object: &Object) -> Option<&Arc<Self>>;
    /// Whether what is wanted differs; that is what `metadata.generation` counts.
    fn wants_else(&self, other: &Self) -> bool;
    /// Takes over what happens, as the status subresource does: status and annotations.
    fn take_status(&mut self, from: &Self);
}

/// Work that is the same for objects of every kind.
pub trait Visitor {
    type Output;

    fn visit<T: Stored>(&mut self, object: &Arc<T>) -> Self::Output;
}

macro_rules! stored {
    ($($kind:ident, $table:ident, $namespaced:literal, $($status:ident)?;)*) => {
        /// Everything that is in a cluster.
        #[derive(Clone, Debug, Default)]
        pub struct Store {
            $(pub $table: Table<$kind>,)*
        }

        /// One object of any kind.
        #[derive(Clone, Debug)]
        pub enum Object {
            $($kind(Arc<$kind>),)*
        }

        impl Object {
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Object::$kind(_) => $kind::KIND,)*
                }
            }

            /// Whether objects of the kind live in a namespace.
            pub fn is_namespaced(&self) -> bool {
                match self {
                    $(Object::$kind(_) => $kind::NAMESPACED,)*
                }
            }

            pub fn metadata(&self) -> &ObjectMeta {
                match self {
                    $(Object::$kind(object) => object.metadata(),)*
                }
            }

            /// Does the visitor's work on this object.
            pub fn visit<V: Visitor>(&self, visitor: &mut V) -> V::Output {
                match self {
                    $(Object::$kind(object) => visitor.visit(object),)*
                }
            }
        }

        /// How the API names the objects of a kind in messages: `pods`, `deployments.apps`. The kind
        /// itself if it is none of the store's.
        pub fn resource_of(kind: &str) -> String {
            $(if kind == $kind::KIND {
                return match $kind::GROUP {
                    "" => $kind::URL_PATH_SEGMENT.to_owned(),
                    group => format!("{}.{group}", $kind::URL_PATH_SEGMENT),
                };
            })*
            kind.to_owned()
        }

        /// Whether objects of a kind live in a namespace; `None` if it is none of the store's.
        pub fn is_namespaced(kind: &str) -> Option<bool> {
            $(if kind == $kind::KIND {
                return Some($namespaced);
            })*
            None
        }

        impl Store {
            /// Hands on every object, by kind, namespace and name.
            pub fn each(&self, take: &mut dyn FnMut(&Object)) {
                $(self.$table.iter().for_each(|object| take(&Object::$kind(Arc::clone(object))));)*
            }

            /// Applies a change that happened elsewhere.
            pub fn apply(&mut self, change: &Change) {
                match (&change.after, &change.before) {
                    $((Some(Object::$kind(object)), _) => {
                        self.$table.put(&change.key, Arc::clone(object));
                    })*
                    $((None, Some(Object::$kind(_))) => {
                        self.$table.remove(&change.key);
                    })*
                    (None, None) => {}
                }
            }

            /// An object by its kind; the namespace does not matter for kinds without.
            pub fn find(&self, kind: &str, key: &Key) -> Option<Object> {
                $(if kind == $kind::KIND {
                    let bare = Key::new("", key.name());
                    let key = if $namespaced { key } else { &bare };
                    return self.$table.get(key).cloned().map(Object::$kind);
                })*
                None
            }

            /// All objects that have an owner of this uid, Pods last.
            pub fn dependents(&self, uid: &str) -> Vec<Object> {
                let mut dependents = Vec::new();
                $(dependents.extend(self.$table.owned_by(uid).cloned().map(Object::$kind));)*
                crate::base::sort::sort_by_key(&mut dependents, |it| it.kind() == "Pod");
                dependents
            }

            /// All objects in a namespace.
            pub fn of_namespace(&self, namespace: &str) -> Vec<Object> {
                let mut objects = Vec::new();
                $(if $namespaced {
                    let own = self.$table.of_namespace(namespace).cloned();
                    objects.extend(own.map(Object::$kind));
                })*
                objects
            }
        }

        $(impl Stored for $kind {
            const NAMESPACED: bool = $namespaced;

            fn table(store: &Store) -> &Table<Self> {
                &store.$table
            }
            fn table_mut(store: &mut Store) -> &mut Table<Self> {
                &mut store.$table
            }
            fn wrap(object: Arc<Self>) -> Object {
                Object::$kind(object)
            }
            fn unwrap(object: &Object) -> Option<&Arc<Self>> {
                match object {
                    Object::$kind(object) => Some(object),
                    _ => None,
                }
            }
            fn wants_else(&self, other: &Self) -> bool {
                $(let _ = stringify!($status); return self.spec != other.spec;)?
                #[allow(unreachable_code, reason = "of the kinds with a status")]
                {
                    let mut same = other.clone();
                    same.metadata.clone_from(&self.metadata);
                    *self != same
                }
            }
            #[allow(unused_variables, reason = "not every kind has a status")]
            fn take_status(&mut self, from: &Self) {
                $(self.$status.clone_from(&from.$status);)?
                self.metadata.annotations.clone_from(&from.metadata.annotations);
            }
        })*
    };
}

stored! {
    Node, nodes, false, status;
    Pod, pods, true, status;
    Deployment, deployments, true, status;
    ReplicaSet, replica_sets, true, status;
    StatefulSet, stateful_sets, true, status;
    DaemonSet, daemon_sets, true, status;
    Job, jobs, true, status;
    CronJob, cron_jobs, true, status;
    ControllerRevision, controller_revisions, true, ;
    PersistentVolumeClaim, claims, true, status;
    PersistentVolume, volumes, false, status;
    StorageClass, storage_classes, false, ;
    CSINode, csi_nodes, false, ;
    CSIDriver, csi_drivers, false, ;
    Namespace, namespaces, false, status;
    PriorityClass, priority_classes, false, ;
    LimitRange, limit_ranges, true, ;
    ResourceQuota, resource_quotas, true, status;
    PodDisruptionBudget, budgets, true, status;
    Service, services, true, status;
    ReplicationController, replication_controllers, true, status;
}

/// An object as it was and as it is.
pub type BeforeAndAfter<'a, T> = (Option<&'a Arc<T>>, Option<&'a Arc<T>>);

/// What a watch tells: an object came, changed or went.
#[derive(Clone, Debug)]
pub struct Change {
    /// The object's.
    pub key: Key,
    /// `None` if it is new.
    pub before: Option<Object>,
    /// `None` if it is gone.
    pub after: Option<Object>,
    /// Nothing but the status differs: who asks about the rest need not compare.
    pub is_of_status: bool,
}

impl Change {
    /// The change of an object of this kind, before and after; `None` if it is of another kind.
    pub fn of<T: Stored>(&self) -> Option<BeforeAndAfter<'_, T>> {
        let before = self.before.as_ref().map(T::unwrap);
        let after = self.after.as_ref().map(T::unwrap);
        match (before, after) {
            (Some(None), _) | (_, Some(None)) => None,
            (before, after) => Some((before.flatten(), after.flatten())),
        }
    }

    /// The object, as it is or as it last was.
    pub fn object(&self) -> Option<&Object> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

#[cfg(test)]
mod tests;
