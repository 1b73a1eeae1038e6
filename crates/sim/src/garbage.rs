//! The garbage collector: deletes the dependents of deleted objects (kube-controller-manager v1.34 `garbagecollector`),
//! without its delay.
//!
//! An object is deleted with the last of its owners. The foreground deletion of an owner waits until the dependents
//! that block it are gone. The finalizer `orphan` first removes the owner from its dependents.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::server::{ApiServer, FOREGROUND, ORPHAN, Propagation, finalizers};
use super::store::{Change, Key, Object, namespace_of, owners_of, uid_of};

/// Handles a change. `is_whole` includes propagation policies and owners that never existed; otherwise dependents are
/// only deleted after their owner.
pub(super) fn collect(change: &Change, api: &mut ApiServer, is_whole: bool) {
    match (&change.before, &change.after) {
        (Some(gone), None) => {
            let uid = uid_of(gone.metadata());
            if !uid.is_empty() {
                for dependent in api.store().dependents(uid) {
                    follow_owners(&dependent, api);
                }
            }
            if is_whole {
                retry_owners(owners_of(gone.metadata()), gone.metadata(), api);
            }
        }
        (before, Some(after)) if is_whole => {
            let before = before.as_ref().map(Object::metadata);
            look_at(before, after, api);
        }
        _ => {}
    }
}

/// Handles an object that is new or has changed.
fn look_at(before: Option<&ObjectMeta>, after: &Object, api: &mut ApiServer) {
    let meta = after.metadata();
    if meta.deletion_timestamp.is_some() {
        if has_finalizer(meta, ORPHAN) {
            orphan_dependents(after, api);
        } else if has_finalizer(meta, FOREGROUND) {
            delete_dependents(after, api);
        }
    }
    let before = before.map(owners_of).unwrap_or_default();
    if before != owners_of(meta) {
        follow_owners(after, api);
        retry_owners(before, meta, api);
    }
}

/// Retries the foreground deletion of owners that wait for their dependents.
fn retry_owners(owners: &[OwnerReference], dependent: &ObjectMeta, api: &mut ApiServer) {
    for owner in owners {
        if let Some(owner) = find(owner, dependent, api)
            && is_waiting(owner.metadata())
        {
            delete_dependents(&owner, api);
        }
    }
}

/// How an owner reference is classified (`classifyReferences`).
enum Owner {
    /// It exists, and does not wait for its dependents.
    Solid,
    /// It does not exist.
    Absent,
    /// It is being deleted in the foreground, and waits for its dependents.
    Waiting,
}

fn judge(reference: &OwnerReference, dependent: &ObjectMeta, api: &ApiServer) -> Owner {
    // The store does not hold objects of this kind, so the owner may exist.
    if super::store::is_namespaced_kind(&reference.kind).is_none() {
        return Owner::Solid;
    }
    match find(reference, dependent, api) {
        None if api.is_assumed_to_exist(&reference.uid) => Owner::Solid,
        None => Owner::Absent,
        Some(owner) if is_waiting(owner.metadata()) => Owner::Waiting,
        Some(_) => Owner::Solid,
    }
}

/// Deletes an object that has no solid owner left; otherwise removes its references to all other owners.
fn follow_owners(dependent: &Object, api: &mut ApiServer) {
    let meta = dependent.metadata();
    if meta.deletion_timestamp.is_some() || owners_of(meta).is_empty() {
        return;
    }
    let mut solid = Vec::new();
    let mut is_awaited = false;
    for owner in owners_of(meta) {
        match judge(owner, meta, api) {
            Owner::Solid => solid.push(owner.uid.clone()),
            Owner::Absent => {}
            Owner::Waiting => is_awaited = true,
        }
    }
    if solid.len() == owners_of(meta).len() {
        return;
    }
    // On a conflict, the delivery of the other change leads here again.
    if !solid.is_empty() {
        let _ = api.edit_metadata(dependent, &|meta| {
            let owners = meta.owner_references.iter_mut();
            owners.for_each(|owners| owners.retain(|owner| solid.contains(&owner.uid)));
        });
        return;
    }
    let has_dependents = !api.store().dependents(uid_of(meta)).is_empty();
    let propagation = if has_finalizer(meta, ORPHAN) {
        Propagation::Orphan
    } else if has_finalizer(meta, FOREGROUND) || is_awaited && has_dependents {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let _ = api.delete_any(dependent, propagation);
}

/// One step of a foreground deletion: deletes the dependents, then removes the finalizer.
fn delete_dependents(owner: &Object, api: &mut ApiServer) {
    let uid = uid_of(owner.metadata());
    for dependent in api.store().dependents(uid) {
        follow_owners(&dependent, api);
    }
    let left = api.store().dependents(uid);
    let blocks = |dependent: &Object| {
        let mut owners = owners_of(dependent.metadata()).iter();
        owners.any(|owner| owner.uid == uid && owner.block_owner_deletion == Some(true))
    };
    if !left.iter().any(blocks) {
        remove_finalizer(owner, FOREGROUND, api);
    }
}

fn orphan_dependents(owner: &Object, api: &mut ApiServer) {
    let uid = uid_of(owner.metadata());
    for dependent in api.store().dependents(uid) {
        let _ = api.edit_metadata(&dependent, &|meta| {
            let owners = meta.owner_references.iter_mut();
            owners.for_each(|owners| owners.retain(|owner| owner.uid != uid));
        });
    }
    remove_finalizer(owner, ORPHAN, api);
}

fn remove_finalizer(object: &Object, finalizer: &str, api: &mut ApiServer) {
    let _ = api.edit_metadata(object, &|meta| {
        if let Some(finalizers) = &mut meta.finalizers {
            finalizers.retain(|name| name != finalizer);
        }
    });
}

fn find(reference: &OwnerReference, dependent: &ObjectMeta, api: &ApiServer) -> Option<Object> {
    let key = Key::new(namespace_of(dependent), reference.name.as_str());
    let owner = api.store().find(&reference.kind, &key)?;
    (uid_of(owner.metadata()) == reference.uid).then_some(owner)
}

fn is_waiting(meta: &ObjectMeta) -> bool {
    meta.deletion_timestamp.is_some() && has_finalizer(meta, FOREGROUND)
}

fn has_finalizer(meta: &ObjectMeta, name: &str) -> bool {
    finalizers(meta).iter().any(|finalizer| finalizer == name)
}

#[cfg(test)]
mod tests;
