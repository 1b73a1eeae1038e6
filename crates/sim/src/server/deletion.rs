//! Deletion: the propagation to dependents, and the deletion of objects of any kind.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{ApiError, ApiServer};
use crate::dynamic::Visitor;
use crate::store::{Key, Object};
use crate::strategy::Served;

pub use berth_core::api::validation::metadata::{FOREGROUND, ORPHAN};

/// What happens to the dependents of a deleted object (`propagationPolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted after it.
    #[default]
    Background,
    /// They are deleted first, and it waits for those with `blockOwnerDeletion`.
    Foreground,
    /// They stay, without this owner.
    Orphan,
}

impl Propagation {
    fn finalizer(self) -> Option<&'static str> {
        match self {
            Propagation::Background => None,
            Propagation::Foreground => Some(FOREGROUND),
            Propagation::Orphan => Some(ORPHAN),
        }
    }

    /// Sets the finalizer of this policy, and removes that of another.
    pub(super) fn mark(self, meta: &mut ObjectMeta) {
        let finalizers = meta.finalizers.get_or_insert_default();
        finalizers.retain(|name| name != FOREGROUND && name != ORPHAN);
        finalizers.extend(self.finalizer().map(str::to_owned));
        if finalizers.is_empty() {
            meta.finalizers = None;
        }
    }
}

impl ApiServer {
    /// As [`ApiServer::delete_as`], for an object of any kind.
    ///
    /// # Errors
    /// If it is gone already, or may not be deleted.
    pub fn delete_any(
        &mut self,
        object: &Object,
        propagation: Propagation,
    ) -> Result<(), ApiError> {
        object.visit(&mut Delete {
            api: self,
            propagation,
        })
    }

    /// Changes the metadata of an object of any kind, as it is stored now.
    ///
    /// # Errors
    /// If it is gone, or the change is refused.
    pub fn edit_metadata(
        &mut self,
        object: &Object,
        edit: &dyn Fn(&mut ObjectMeta),
    ) -> Result<(), ApiError> {
        object.visit(&mut EditMetadata { api: self, edit })
    }
}

struct Delete<'a> {
    api: &'a mut ApiServer,
    propagation: Propagation,
}

impl Visitor for Delete<'_> {
    type Output = Result<(), ApiError>;

    fn visit<T: Served>(&mut self, object: &Arc<T>) -> Self::Output {
        let key = Key::of(object.metadata());
        self.api.delete_as::<T>(&key, self.propagation)
    }
}

struct EditMetadata<'a> {
    api: &'a mut ApiServer,
    edit: &'a dyn Fn(&mut ObjectMeta),
}

impl Visitor for EditMetadata<'_> {
    type Output = Result<(), ApiError>;

    fn visit<T: Served>(&mut self, object: &Arc<T>) -> Self::Output {
        let key = Key::of(object.metadata());
        let Some(current) = T::table(self.api.store()).get(&key) else {
            return Err(ApiError::NotFound { kind: T::KIND, key });
        };
        let mut edited = (**current).clone();
        (self.edit)(edited.metadata_mut());
        self.api.update(edited).map(drop)
    }
}
