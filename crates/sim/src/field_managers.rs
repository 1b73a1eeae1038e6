//! Server-side apply: who manages which fields of an object (apimachinery's `managedfields` and structured-merge-diff,
//! v1.36).
//!
//! Kept only of objects that the user writes, beside them. Fields that nobody is known to have written are those of
//! whoever made the object: `kubectl create`, or a controller.

mod apply;
mod paths;
mod typed;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::store::Key;
use berth_core::api::kinds::Kind;

pub use apply::{ApplyError, ApplyOptions};
use paths::Path;
pub(crate) use paths::leaves;

/// A manager of fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Manager {
    pub name: String,
    /// It applies; others update.
    pub applies: bool,
    pub subresource: Option<&'static str>,
}

impl Manager {
    fn updating(name: &str, subresource: Option<&'static str>) -> Self {
        Manager {
            name: name.to_owned(),
            applies: false,
            subresource,
        }
    }

    /// As conflicts name it: `"kubectl-patch" using v1`.
    fn shown(&self, version: &str) -> String {
        let name = &self.name;
        match self.subresource {
            _ if self.applies => format!("{name:?}"),
            Some(part) => format!("{name:?} with subresource {part:?} using {version}"),
            None => format!("{name:?} using {version}"),
        }
    }
}

/// The managers of one object, each with its fields.
pub(crate) type Managers = BTreeMap<Manager, BTreeSet<Path>>;

/// The managers of an object that is known to have some.
#[derive(Clone, Debug)]
struct Entry {
    /// One life of the object.
    uid: String,
    /// All but its maker.
    managers: Managers,
    /// The fields that its maker no longer has; `None` if it was made by an apply. The maker's own are all others, so
    /// that they need not be kept.
    taken: Option<BTreeSet<Path>>,
}

/// The managers of the objects that users have written.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldManagers(BTreeMap<(Kind, Key), Entry>);

impl FieldManagers {
    /// The managers of an object as it is; those of its status are the components that write it.
    pub fn of(&self, kind: Kind, key: &Key, object: &Value) -> Managers {
        let uid = uid(object);
        let known = self.0.get(&(kind, key.clone()));
        let known = known.filter(|entry| entry.uid == uid);
        let mut managers = known.map(|it| it.managers.clone()).unwrap_or_default();
        let nothing = BTreeSet::new();
        let taken = known.map_or(Some(&nothing), |entry| entry.taken.as_ref());
        if let Some(taken) = taken {
            let mut own = fields(object, false);
            own.retain(|path| !taken.contains(path));
            managers.insert(maker(object), own);
        }
        let status = fields(object, true);
        if !status.is_empty() {
            let component = match kind {
                Kind::Pod | Kind::Node => "kubelet",
                _ => "kube-controller-manager",
            };
            managers.insert(Manager::updating(component, Some("status")), status);
        }
        managers
    }

    /// Keeps the managers of an object as it is now.
    fn set(&mut self, kind: Kind, key: &Key, object: &Value, mut managers: Managers) {
        let made = managers.remove(&maker(object));
        let taken = made.map(|own| {
            let mut taken = fields(object, false);
            taken.retain(|path| !own.contains(path));
            taken
        });
        managers.retain(|manager, fields| manager.subresource.is_none() && !fields.is_empty());
        let entry = Entry {
            uid: uid(object),
            managers,
            taken,
        };
        self.0.insert((kind, key.clone()), entry);
    }

    /// Notes that a manager has changed an object: it manages what it changed, and nobody else does.
    pub fn note(&mut self, kind: Kind, key: &Key, name: &str, before: &Value, after: &Value) {
        let mut managers = self.of(kind, key, before);
        let changed = changed(before, after);
        let left: BTreeSet<Path> = fields(after, false);
        for fields in managers.values_mut() {
            fields.retain(|path| !changed.contains(path) && left.contains(path));
        }
        let own = managers.entry(Manager::updating(name, None)).or_default();
        own.extend(changed.into_iter().filter(|path| left.contains(path)));
        self.set(kind, key, after, managers);
    }
}

fn uid(object: &Value) -> String {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.unwrap_or_default().to_owned()
}

/// Whoever made an object.
fn maker(object: &Value) -> Manager {
    let owners = object.pointer("/metadata/ownerReferences");
    let mut owners = owners.and_then(Value::as_array).into_iter().flatten();
    let name = match owners.any(|owner| owner["controller"] == true) {
        true => "kube-controller-manager",
        false => "kubectl-create",
    };
    Manager::updating(name, None)
}

/// The fields of an object that have managers: those of its status, or all others.
fn fields(object: &Value, of_status: bool) -> BTreeSet<Path> {
    let paths = leaves(object).into_keys();
    paths
        .filter(|path| path.is_of_status() == of_status)
        .collect()
}

/// The fields that are new or have another value.
fn changed(before: &Value, after: &Value) -> BTreeSet<Path> {
    let old = leaves(before);
    let new = leaves(after).into_iter();
    let changed = new.filter(|(path, value)| old.get(path) != Some(value));
    changed.map(|(path, _)| path).collect()
}
