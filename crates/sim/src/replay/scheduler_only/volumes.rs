//! The PersistentVolume controller without a control plane: binds the claims that do not wait for a Pod whenever
//! volumes change.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use serde::Serialize;

use super::store::Store;
use crate::scheduler_cache::SchedulerCache;
use berth_base::json;
use berth_core::api::controllers::volumes::bind_volumes;
use berth_scheduler::cluster::event::Event;

/// Binds the claims that do not wait for a Pod, as the PersistentVolume controller does.
pub fn bind_what_can_be(store: &Store, cache: &mut SchedulerCache) {
    let stored = cache.cluster.volumes();
    let claims = store.names_of("PersistentVolumeClaim");
    let claims = claims.iter();
    let old_claims: Vec<PersistentVolumeClaim> = claims
        .filter_map(|(namespace, name)| stored.claim(namespace, name))
        .map(|claim| claim.as_ref().clone())
        .collect();
    let old_volumes: Vec<PersistentVolume> = stored
        .persistent_volumes
        .values()
        .map(|volume| volume.as_ref().clone())
        .collect();
    let classes: Vec<_> = stored
        .storage_classes
        .values()
        .map(|class| class.as_ref().clone())
        .collect();
    let (mut volumes, mut claims) = (old_volumes.clone(), old_claims.clone());
    bind_volumes(&mut volumes, &mut claims, &classes);
    for volume in changed(&old_volumes, volumes) {
        cache.set(Event::VolumeSet(Arc::new(volume)));
    }
    for claim in changed(&old_claims, claims) {
        cache.set(Event::ClaimSet(Arc::new(claim)));
    }
}

/// New objects that differ from the old object at the same index.
fn changed<T: Serialize>(old: &[T], new: Vec<T>) -> Vec<T> {
    let pairs = old.iter().zip(new);
    let changed = pairs.filter(|(old, new)| json::text(*old) != json::text(new));
    changed.map(|(_, new)| new).collect()
}
