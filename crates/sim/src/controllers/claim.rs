//! Ownership of objects: controllers adopt orphans that they select, and release objects that they no longer select
//! (`ControllerRefManager`, Kubernetes v1.34).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference};

use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Store, Stored, controller_of, is_controlled_by, uid_of};
use crate::strategy::Served;
use berth_core::api::meta::reference;
use berth_scheduler::selector;

/// The controller of an object, if it is of this kind and its UID matches.
pub(super) fn resolve<'a, T: Stored>(cache: &'a Store, meta: &ObjectMeta) -> Option<&'a Arc<T>> {
    resolve_reference(cache, meta, controller_of(meta)?)
}

/// Like [`resolve`], with a given reference, such as a former one.
pub(super) fn resolve_reference<'a, T: Stored>(
    cache: &'a Store,
    meta: &ObjectMeta,
    reference: &OwnerReference,
) -> Option<&'a Arc<T>> {
    if reference.kind != T::KIND {
        return None;
    }
    let namespace = meta.namespace.clone().unwrap_or_default();
    let owner = T::table(cache).get(&Key::new(namespace, reference.name.clone()))?;
    (uid_of(owner.metadata()) == reference.uid).then_some(owner)
}

/// Returns the `candidates` that belong to the owner: those that it controls and selects, and orphans that it
/// selects, which it adopts. Objects that it controls but no longer selects are released.
///
/// # Errors
/// If the API server rejects an adoption.
pub(super) fn claim<T: Served, O: Stored>(
    owner: &O,
    selector: &LabelSelector,
    candidates: Vec<&Arc<T>>,
    api: &mut ApiServer,
) -> Result<Vec<Arc<T>>, ApiError> {
    let mut claimed = Vec::with_capacity(candidates.len());
    let is_deleted = owner.metadata().deletion_timestamp.is_some();
    let nothing = BTreeMap::new();
    for candidate in candidates {
        let meta = candidate.metadata();
        let labels = meta.labels.as_ref().unwrap_or(&nothing);
        let fits = selector::matches(selector, labels);
        match (controller_of(meta), fits) {
            (Some(_), _) if !is_controlled_by(meta, owner.metadata()) => {}
            (Some(_), true) => claimed.push(candidate.clone()),
            (Some(_), false) if !is_deleted => release(&**candidate, owner, api),
            (None, true) if !is_deleted && meta.deletion_timestamp.is_none() => {
                claimed.push(adopt(&**candidate, owner, api)?);
            }
            _ => {}
        }
    }
    Ok(claimed)
}

fn adopt<T: Served, O: Stored>(
    object: &T,
    owner: &O,
    api: &mut ApiServer,
) -> Result<Arc<T>, ApiError> {
    let mut object = object.clone();
    let owners = &mut object.metadata_mut().owner_references;
    owners.get_or_insert_default().push(reference(owner));
    api.update(object)
}

/// Removes the owner's reference. An error is ignored: it means that the object has changed, and that change triggers
/// another sync.
fn release<T: Served, O: Stored>(object: &T, owner: &O, api: &mut ApiServer) {
    let mut object = object.clone();
    let uid = uid_of(owner.metadata());
    let references = &mut object.metadata_mut().owner_references;
    if let Some(owners) = references {
        owners.retain(|reference| reference.uid != uid);
    }
    // Go omits empty lists.
    references.take_if(|owners| owners.is_empty());
    let _ = api.update(object);
}

/// Whether a selector matches these labels; for controllers, an empty selector matches nothing.
pub(super) fn selects(selector: &LabelSelector, labels: Option<&BTreeMap<String, String>>) -> bool {
    let nothing = BTreeMap::new();
    !selector::is_empty(selector) && selector::matches(selector, labels.unwrap_or(&nothing))
}

/// The objects of the owner's kind whose selectors match this orphan.
pub(super) fn matching_owners<'a, O: Stored + 'a>(
    cache: &'a Store,
    orphan: &'a ObjectMeta,
    selector: fn(&O) -> Option<Cow<'_, LabelSelector>>,
) -> impl Iterator<Item = Key> + 'a {
    let namespace = orphan.namespace.as_deref().unwrap_or_default();
    O::table(cache)
        .of_namespace(namespace)
        .filter(move |owner| {
            selector(owner).is_some_and(|selector| selects(&selector, orphan.labels.as_ref()))
        })
        .map(|owner| Key::of(owner.metadata()))
}
