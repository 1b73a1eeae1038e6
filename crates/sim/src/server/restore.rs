//! The objects that a cluster begins with: those of manifests and dumps, and those that nobody wrote.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ApiError, ApiServer, AuditEntry, namespace_of};
use crate::store::Key;
use crate::strategy::Served;

impl ApiServer {
    /// Stores an object of a dump or a manifest with its own uid, age and status, in place of one that is only implied.
    /// New Pods pass admission.
    ///
    /// # Errors
    /// As [`ApiServer::create`].
    pub fn restore<T: Served>(&mut self, object: T) -> Result<Arc<T>, ApiError> {
        let mut object = object;
        let meta = object.metadata_mut();
        if T::NAMESPACED && namespace_of(meta).is_empty() {
            meta.namespace = Some("default".to_owned());
        }
        let key = Key::of(meta);
        let current = T::table(&self.store).get(&key).cloned();
        let implied = current.clone().filter(|_| self.is_implied(T::KIND, &key));
        match (&implied, object.metadata().uid.is_some()) {
            (None, false) => return self.create(object),
            (None, true) if current.is_some() => {
                return Err(ApiError::AlreadyExists { kind: T::KIND, key });
            }
            (None, true) | (Some(_), true) => {}
            (Some(implied), false) => {
                object = self.admit(object)?;
                let (meta, known) = (object.metadata_mut(), implied.metadata());
                meta.uid.clone_from(&known.uid);
                meta.creation_timestamp
                    .clone_from(&known.creation_timestamp);
            }
        }
        object.set_defaults();
        let now = self.now();
        object.settle(&self.release, &now);
        let meta = object.metadata_mut();
        meta.creation_timestamp.get_or_insert(now);
        self.implied.remove(&(T::KIND, key.clone()));
        let object = self.commit(key, implied, object);
        self.audit_log
            .push(AuditEntry::Created(T::wrap(object.clone())));
        Ok(object)
    }

    /// Whether an object is there although nobody wrote it: manifests may bring their own.
    pub(crate) fn is_implied(&self, kind: &'static str, key: &Key) -> bool {
        self.implied.contains(&(kind, key.clone()))
    }

    /// Creates an object that nobody wrote.
    pub(super) fn imply<T: Served>(&mut self, object: T) {
        let key = Key::of(object.metadata());
        // An invalid name is reported with the object that uses it.
        if self.create(object).is_ok() {
            self.implied.insert((T::KIND, key));
        }
    }

    /// Treats these owners as existing.
    pub(crate) fn assume_exists(&mut self, owners: BTreeSet<String>) {
        self.assumed_uids.extend(owners);
    }

    /// Whether an owner that is not stored is treated as existing.
    pub(crate) fn is_assumed_to_exist(&self, uid: &str) -> bool {
        self.assumed_uids.contains(uid)
    }
}
