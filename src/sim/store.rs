//! The objects of a cluster by kind, namespace and name, as the API server keeps them and as informers
//! copy them.
//!
//! Objects are shared: a copy of the store is a copy of pointers. Every walk is in the order of namespace
//! and name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
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

/// Namespace (empty for kinds without) and name of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub namespace: String,
    pub name: String,
}

impl Key {
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Key {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The key of an object with this metadata.
    pub fn of(meta: &ObjectMeta) -> Self {
        Key::new(namespace_of(meta), name_of(meta))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

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

/// All objects of one kind.
#[derive(Clone, Debug)]
pub struct Table<T> {
    objects: BTreeMap<Key, Arc<T>>,
    /// Keys by the uid of their controller; of those without one under the empty uid.
    by_controller: BTreeMap<String, BTreeSet<Key>>,
    /// Keys by the uid of each owner that is not the controller.
    by_other_owner: BTreeMap<String, BTreeSet<Key>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            objects: BTreeMap::new(),
            by_controller: BTreeMap::new(),
            by_other_owner: BTreeMap::new(),
        }
    }
}

impl<T: Metadata<Ty = ObjectMeta>> Table<T> {
    pub fn get(&self, key: &Key) -> Option<&Arc<T>> {
        self.objects.get(key)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// All objects, by namespace and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.objects.values()
    }

    /// The objects of a namespace, by name.
    pub fn of_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Arc<T>> {
        self.objects
            .range(Key::new(namespace, "")..)
            .take_while(move |(key, _)| key.namespace == namespace)
            .map(|(_, object)| object)
    }

    /// The objects whose controller has this uid, by namespace and name.
    pub fn controlled_by(&self, uid: &str) -> impl Iterator<Item = &Arc<T>> {
        let keys = self.by_controller.get(uid);
        keys.into_iter()
            .flatten()
            .filter_map(|key| self.objects.get(key))
    }

    /// The objects that have an owner of this uid, whether it is their controller or not.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = &Arc<T>> {
        let others = self.by_other_owner.get(uid).into_iter().flatten();
        self.controlled_by(uid)
            .chain(others.filter_map(|key| self.objects.get(key)))
    }

    /// The objects of a namespace that this controller has or could adopt: its own and those without a
    /// controller, by name.
    pub fn claimable(&self, owner: &ObjectMeta) -> Vec<&Arc<T>> {
        let namespace = namespace_of(owner);
        let own = self.by_controller.get(uid_of(owner)).into_iter().flatten();
        let orphans = self.by_controller.get("").into_iter().flatten();
        let orphans = orphans.filter(|key| key.namespace == namespace);
        let keys: BTreeSet<&Key> = crate::base::sort::gather(own.chain(orphans));
        keys.into_iter()
            .filter_map(|key| self.objects.get(key))
            .collect()
    }

    pub(super) fn put(&mut self, object: Arc<T>) {
        let key = Key::of(object.metadata());
        if let Some(known) = self.objects.get_mut(&key)
            && known.metadata().owner_references == object.metadata().owner_references
        {
            *known = object;
            return;
        }
        self.remove(&key);
        let meta = object.metadata();
        let uid = controller_uid(meta);
        let keys = self.by_controller.entry(uid.to_owned()).or_default();
        keys.insert(key.clone());
        for uid in other_owners(meta) {
            let keys = self.by_other_owner.entry(uid.to_owned()).or_default();
            keys.insert(key.clone());
        }
        self.objects.insert(key, object);
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<Arc<T>> {
        let object = self.objects.remove(key)?;
        let meta = object.metadata();
        forget(&mut self.by_controller, controller_uid(meta), key);
        for uid in other_owners(meta) {
            forget(&mut self.by_other_owner, uid, key);
        }
        Some(object)
    }
}

fn forget(index: &mut BTreeMap<String, BTreeSet<Key>>, uid: &str, key: &Key) {
    if let Some(keys) = index.get_mut(uid) {
        keys.remove(key);
        if keys.is_empty() {
            index.remove(uid);
        }
    }
}

/// The uids of the owners that are not the controller.
fn other_owners(meta: &ObjectMeta) -> impl Iterator<Item = &str> {
    let controller = controller_uid(meta);
    let owners = meta.owner_references.iter().flatten();
    owners
        .map(|owner| owner.uid.as_str())
        .filter(move |uid| *uid != controller)
}

fn controller_uid(meta: &ObjectMeta) -> &str {
    controller_of(meta).map_or("", |owner| owner.uid.as_str())
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
                    $((Some(Object::$kind(object)), _) => self.$table.put(Arc::clone(object)),)*
                    $((None, Some(Object::$kind(object))) => {
                        self.$table.remove(&Key::of(object.metadata()));
                    })*
                    (None, None) => {}
                }
            }

            /// An object by its kind; the namespace does not matter for kinds without.
            pub fn find(&self, kind: &str, key: &Key) -> Option<Object> {
                $(if kind == $kind::KIND {
                    let bare = Key::new("", key.name.as_str());
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
    /// `None` if it is new.
    pub before: Option<Object>,
    /// `None` if it is gone.
    pub after: Option<Object>,
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
