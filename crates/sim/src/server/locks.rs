//! Locks of a lesson: what its user may not change.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{ApiError, ApiServer};
use crate::store::Key;
use crate::strategy::Served;
use berth_base::json;
use berth_core::api::kinds::Kind;
use berth_core::api::scenario::Lock;

/// The annotation in which kubectl keeps what was applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Locks, and the objects that they concern as they were at the start.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    locks: Vec<Lock>,
    originals: Arc<BTreeMap<(String, Key), Value>>,
}

impl ApiServer {
    /// Refuses the user's changes that these locks forbid. Locked fields keep the values that they have now; the same
    /// locks again change nothing.
    pub fn lock(&mut self, locks: &[Lock]) {
        let known = self.guard.as_ref().map_or(&[][..], |guard| &guard.locks);
        if known == locks {
            return;
        }
        let kinds = Kind::ALL.iter().map(|kind| kind.info().kind);
        let locked = kinds.filter(|kind| locks.iter().any(|lock| lock.kind == *kind));
        let objects = locked.flat_map(|kind| {
            self.store.list(kind).into_iter().map(move |object| {
                let key = Key::of(object.metadata());
                ((kind.to_owned(), key), object.to_json())
            })
        });
        self.guard = Some(Guard {
            originals: Arc::new(objects.collect()),
            locks: locks.to_vec(),
        });
    }

    /// Whether the following writes are made by hand.
    pub fn set_user_write(&mut self, user_write: bool) {
        self.user_write = user_write;
    }

    /// Returns whether the user makes the writes, and lets a component make those from now on.
    pub(super) fn take_user_write(&mut self) -> bool {
        std::mem::take(&mut self.user_write)
    }

    /// Refuses a change that a lock forbids; `None` is an object that is not there.
    pub(super) fn check_locks<T: Served>(
        &self,
        key: &Key,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), ApiError> {
        match &self.guard {
            Some(guard) if self.user_write => guard.check(key, before, after),
            _ => Ok(()),
        }
    }
}

impl Guard {
    #[inline(never)]
    fn check<T: Served>(
        &self,
        key: &Key,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), ApiError> {
        let mut locks = self.locks.iter();
        let (namespace, name) = (key.namespace(), key.name());
        if !locks
            .clone()
            .any(|lock| lock.is_of(T::KIND, namespace, name))
        {
            return Ok(());
        }
        let (before, after) = (before.map(bare), after.map(bare));
        let original = self.originals.get(&(T::KIND.to_owned(), key.clone()));
        let forbids = |lock: &&Lock| {
            lock.is_of(T::KIND, namespace, name)
                && lock.forbids(original, before.as_ref(), after.as_ref())
        };
        match locks.find(forbids) {
            None => Ok(()),
            Some(lock) => Err(ApiError::Forbidden {
                kind: T::KIND,
                key: key.clone(),
                message: format!("this lesson locks {lock}"),
            }),
        }
    }
}

/// An object without what every write changes.
fn bare<T: Served>(object: &T) -> Value {
    let mut value = json::value(object);
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else {
        return value;
    };
    for field in ["resourceVersion", "generation", "managedFields"] {
        metadata.remove(field);
    }
    let annotations = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut);
    let is_empty = annotations.is_some_and(|annotations| {
        annotations.remove(LAST_APPLIED);
        annotations.is_empty()
    });
    if is_empty {
        metadata.remove("annotations");
    }
    value
}
