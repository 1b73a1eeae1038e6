//! The objects of a cluster by kind, namespace and name, as the API server keeps them and as informers
//! copy them.
//!
//! Objects are shared: a copy of the store copies pointers. Every iteration is in the order of namespace and name.

mod key;
mod table;

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};
use serde_json::Value;

use berth_base::json;
use berth_core::api::kinds::{Kind, for_each_kind, groups, has_word, is_namespaced};
use berth_core::api::object::Manifest;

pub use berth_core::api::meta::{controller_of, name_of, namespace_of, owners_of, uid_of};
pub use key::Key;
pub use table::Table;

/// Whether the controller of an object is the one with this metadata.
pub fn is_controlled_by(meta: &ObjectMeta, owner: &ObjectMeta) -> bool {
    controller_of(meta).is_some_and(|reference| reference.uid == uid_of(owner))
}

fn in_some_namespace<T: Stored>(mut object: Arc<T>) -> Arc<T> {
    if T::NAMESPACED && namespace_of(object.metadata()).is_empty() {
        Arc::make_mut(&mut object).metadata_mut().namespace = Some("default".to_owned());
    }
    object
}

/// A kind that the store holds.
pub trait Stored: Resource + Metadata<Ty = ObjectMeta> + Clone + PartialEq {
    /// Whether its objects are namespaced.
    const NAMESPACED: bool;
    /// Whether the API server sets `metadata.generation`, which counts changes of the desired state.
    const HAS_GENERATION: bool;

    fn table(store: &Store) -> &Table<Self>;
    fn table_mut(store: &mut Store) -> &mut Table<Self>;
    fn wrap(object: Arc<Self>) -> Object;
    fn unwrap(object: &Object) -> Option<&Arc<Self>>;
    /// Whether the desired state differs; `metadata.generation` counts these changes.
    fn wants_else(&self, other: &Self) -> bool;
    /// Copies what the status subresource writes: status and annotations.
    fn copy_status(&mut self, from: &Self);
    /// Removes the status.
    fn clear_status(&mut self);
}

macro_rules! stored {
    ($($kind:ident ($group:ident::$version:ident) {
        $table:ident [$($status:ident)?] [$($word:ident)*] $($names:tt)*
    })*) => {
        /// All objects of a cluster.
        #[derive(Clone, Debug, Default)]
        pub struct Store {
            $(pub $table: Table<groups::$group::$version::$kind>,)*
        }

        /// One object of any kind.
        #[derive(Clone, Debug)]
        pub enum Object {
            $($kind(Arc<groups::$group::$version::$kind>),)*
        }

        impl Object {
            /// The object's entry in the table of kinds.
            pub fn kind_of(&self) -> Kind {
                match self {
                    $(Object::$kind(_) => Kind::$kind,)*
                }
            }

            pub fn metadata(&self) -> &ObjectMeta {
                match self {
                    $(Object::$kind(object) => object.metadata(),)*
                }
            }

            /// The object as JSON, with `apiVersion` and `kind`.
            pub fn to_json(&self) -> Value {
                match self {
                    $(Object::$kind(object) => json::value(&**object),)*
                }
            }

            /// The object in the default namespace, if its kind is namespaced and it names none.
            #[must_use]
            pub fn in_some_namespace(self) -> Object {
                match self {
                    $(Object::$kind(object) => Object::$kind(in_some_namespace(object)),)*
                }
            }

            /// The object of a manifest; `None` for Berth's own documents.
            pub fn of_manifest(manifest: &Manifest) -> Option<Object> {
                match manifest {
                    $(Manifest::$kind(object) => {
                        Some(Object::$kind(Arc::new((**object).clone())))
                    })*
                    Manifest::SchedulerConfiguration(_)
                    | Manifest::Scenario(_)
                    | Manifest::Script(_) => None,
                }
            }
        }

        impl Store {
            /// Passes the digest of every object to `take`, by kind, namespace and name.
            pub fn digests(&self, take: &mut dyn FnMut(u64)) {
                $(self.$table.digests().for_each(&mut *take);)*
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

            /// All objects of a kind, by namespace and name.
            pub fn of_kind(&self, kind: Kind) -> Vec<Object> {
                match kind {
                    $(Kind::$kind => self.$table.iter().cloned().map(Object::$kind).collect(),)*
                }
            }

            fn get_of_kind(&self, kind: Kind, key: &Key) -> Option<Object> {
                match kind {
                    $(Kind::$kind => self.$table.get(key).cloned().map(Object::$kind),)*
                }
            }

            /// All objects that have an owner of this uid, Pods last.
            pub fn dependents(&self, uid: &str) -> Vec<Object> {
                let mut dependents = Vec::new();
                $(dependents.extend(self.$table.owned_by(uid).cloned().map(Object::$kind));)*
                berth_base::sort::sort_by_key(&mut dependents, |it| it.kind() == "Pod");
                dependents
            }

            /// All objects in a namespace.
            pub fn of_namespace(&self, namespace: &str) -> Vec<Object> {
                let mut objects = Vec::new();
                $(if Kind::$kind.info().namespaced {
                    let own = self.$table.of_namespace(namespace).cloned();
                    objects.extend(own.map(Object::$kind));
                })*
                objects
            }
        }

        $(impl Stored for groups::$group::$version::$kind {
            const NAMESPACED: bool = is_namespaced::<Self>();
            const HAS_GENERATION: bool = has_word(&[$(stringify!($word)),*], "generation");

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
            fn copy_status(&mut self, from: &Self) {
                $(self.$status.clone_from(&from.$status);)?
                self.metadata.annotations.clone_from(&from.metadata.annotations);
            }
            fn clear_status(&mut self) {
                $(self.$status = None;)?
            }
        })*
    };
}

for_each_kind!(stored);

impl Object {
    /// The kind's name, as in manifests.
    pub fn kind(&self) -> &'static str {
        self.kind_of().info().kind
    }

    /// Whether objects of the kind are namespaced.
    pub fn is_namespaced(&self) -> bool {
        self.kind_of().info().namespaced
    }
}

impl Store {
    /// An object by the name of its kind.
    pub fn get(&self, kind: &str, key: &Key) -> Option<Object> {
        self.get_of_kind(Kind::of_name(kind)?, key)
    }

    /// The same; the namespace is ignored for cluster-scoped kinds.
    pub fn find(&self, kind: &str, key: &Key) -> Option<Object> {
        let kind = Kind::of_name(kind)?;
        if kind.info().namespaced {
            self.get_of_kind(kind, key)
        } else {
            self.get_of_kind(kind, &Key::new("", key.name()))
        }
    }

    /// All objects of a kind by its name, by namespace and name.
    pub fn list(&self, kind: &str) -> Vec<Object> {
        Kind::of_name(kind).map_or_else(Vec::new, |kind| self.of_kind(kind))
    }
}

/// How the API names the objects of a kind in messages: `pods`, `deployments.apps`. The kind itself if the store does
/// not hold it.
pub fn resource_of(kind: &str) -> String {
    Kind::of_name(kind).map_or_else(|| kind.to_owned(), |kind| kind.info().resource())
}

/// Whether objects of a kind are namespaced; `None` if the store does not hold the kind.
pub fn is_namespaced_kind(kind: &str) -> Option<bool> {
    Kind::of_name(kind).map(|kind| kind.info().namespaced)
}

/// An object before and after a change.
pub type BeforeAndAfter<'a, T> = (Option<&'a Arc<T>>, Option<&'a Arc<T>>);

/// A watch event: an object was added, changed or removed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The key of the object.
    pub key: Key,
    /// `None` if it is new.
    pub before: Option<Object>,
    /// `None` if it is gone.
    pub after: Option<Object>,
    /// Only the status differs, so consumers of other fields need not compare.
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

    /// The object after the change, or its last state if it is gone.
    pub fn object(&self) -> Option<&Object> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

#[cfg(test)]
mod tests;
