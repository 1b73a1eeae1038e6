//! Binds PersistentVolumes and claims (`pkg/controller/volume/persistentvolume`, Kubernetes v1.34).
//!
//! The real controller resyncs all objects every 15 seconds. Here a pending claim is synced when something changes
//! that it may wait for. Every StorageClass has an external provisioner, except those of
//! `kubernetes.io/no-provisioner`; it takes a second.

mod binding;
mod claims;
pub mod ephemeral;
pub mod protection;
mod provision;
mod reserve;
mod volumes;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::storage::v1::StorageClass;

use super::Controller;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of, namespace_of};
use crate::workqueue::WorkQueue;
use berth_scheduler::volumes::{bound_volume, class_of_claim, class_of_volume};

pub use reserve::reserve;

/// Annotation with the node for which a volume is to be provisioned; the scheduler sets it.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// How long external provisioners take to create or delete a volume.
const PROVISIONER_MS: i64 = 1_000;

/// The controller of PersistentVolumes and claims. Keys with a namespace are claims.
#[derive(Clone, Debug)]
pub struct VolumeController {
    queue: WorkQueue,
    /// When external provisioners will have completed their pending requests.
    at_work: BTreeMap<Key, i64>,
    provisions_at_once: bool,
}

impl VolumeController {
    /// `provisions_at_once`: whether claims get volumes for which the scheduler selects no node.
    pub fn new(queue: WorkQueue, provisions_at_once: bool) -> Self {
        VolumeController {
            queue,
            at_work: BTreeMap::new(),
            provisions_at_once,
        }
    }

    /// The progress of the external provisioner's request for this key; starts one if there is none.
    fn is_done(&mut self, key: &Key, now_ms: i64) -> Work {
        let due = now_ms.saturating_add(PROVISIONER_MS);
        let asked = self.at_work.contains_key(key);
        let due = *self.at_work.entry(key.clone()).or_insert(due);
        if asked && due <= now_ms {
            self.at_work.remove(key);
            return Work::Done;
        }
        self.queue.add_after(key.clone(), due - now_ms, now_ms);
        if asked { Work::Goes } else { Work::Begins }
    }

    /// Enqueues the claims of a class that wait for a volume.
    fn wake_claims(&mut self, class: &str, cache: &Store) {
        for claim in cache.claims.iter() {
            if !binding::is_complete(claim) && class_of_claim(claim) == class {
                self.queue.add(Key::of(&claim.metadata));
            }
        }
    }
}

/// The progress of an external provisioner's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// It was just requested.
    Begins,
    /// It is in progress.
    Goes,
    Done,
}

impl Controller for VolumeController {
    fn component(&self) -> &'static str {
        "persistentvolume-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((before, after)) = change.of::<PersistentVolumeClaim>() {
            let Some(claim) = after.or(before) else {
                return;
            };
            let key = Key::of(&claim.metadata);
            if after.is_none() {
                self.at_work.remove(&key);
            }
            self.queue.add(key);
            if let Some(name) = bound_volume(claim) {
                self.queue.add(Key::new("", name));
            }
        } else if let Some((before, after)) = change.of::<PersistentVolume>() {
            let Some(volume) = after.or(before) else {
                return;
            };
            self.queue.add(Key::of(&volume.metadata));
            // A claim that its volume no longer refers to is bound again, or lost.
            let claims = [before, after].into_iter().flatten();
            for claim in claims.filter_map(|volume| binding::claim_key(volume)) {
                self.queue.add(claim);
            }
            let is_free = |volume: &PersistentVolume| binding::phase_of(volume) == "Available";
            let came = before.is_none_or(|before| !is_free(before));
            if after.is_some_and(|after| is_free(after) && came) {
                self.wake_claims(class_of_volume(volume), cache);
            }
            if after.is_none() {
                self.at_work.remove(&Key::of(&volume.metadata));
                let name = name_of(&volume.metadata);
                let losers = cache
                    .claims
                    .iter()
                    .filter(|claim| bound_volume(claim) == Some(name));
                losers.for_each(|claim| self.queue.add(Key::of(&claim.metadata)));
            }
        } else if let Some((_, Some(class))) = change.of::<StorageClass>() {
            self.wake_claims(name_of(&class.metadata), cache);
        } else if let Some((None, Some(pod))) = change.of::<Pod>() {
            let namespace = namespace_of(&pod.metadata);
            for name in reserve::claim_names(pod) {
                let key = Key::new(namespace, name);
                let claim = cache.claims.get(&key);
                if claim.is_some_and(|claim| !binding::is_complete(claim)) {
                    self.queue.add(key);
                }
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, _cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        if key.namespace().is_empty() {
            match api.store().volumes.get(key).cloned() {
                Some(volume) => self.sync_volume(&volume, api),
                None => Ok(()),
            }
        } else {
            match api.store().claims.get(key).cloned() {
                Some(claim) => self.sync_claim(&claim, api),
                None => Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
