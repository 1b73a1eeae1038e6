//! Objects that are there although nobody wrote them.

use std::collections::BTreeSet;

use super::ApiServer;
use crate::store::Key;

impl ApiServer {
    /// Treats these owners as existing.
    pub(crate) fn assume_exists(&mut self, owners: BTreeSet<String>) {
        self.assumed_uids.extend(owners);
    }

    /// Whether an owner that is not stored is treated as existing.
    pub(crate) fn is_assumed_to_exist(&self, uid: &str) -> bool {
        self.assumed_uids.contains(uid)
    }

    /// Whether an object is there although nobody wrote it: manifests may bring their own.
    pub(crate) fn is_implied(&self, kind: &'static str, key: &Key) -> bool {
        self.implied.contains(&(kind, key.clone()))
    }
}
