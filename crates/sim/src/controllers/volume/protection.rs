//! Protects claims in use and bound volumes from deletion (`pkg/controller/volume/pvcprotection` and `pvprotection`,
//! Kubernetes v1.34): they stay Terminating until they are no longer used.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::binding::phase_of;
use super::reserve::claim_names;
use crate::controllers::Controller;
use crate::pod_util;
use crate::server::{ApiError, ApiServer, finalizers};
use crate::store::{Change, Key, Object, Store, namespace_of};
use crate::strategy::{CLAIM_PROTECTION, VOLUME_PROTECTION};
use crate::workqueue::WorkQueue;

/// The controller of both finalizers. Keys with a namespace are claims.
#[derive(Clone, Debug)]
pub struct VolumeProtection {
    queue: WorkQueue,
}

impl VolumeProtection {
    pub fn new(queue: WorkQueue) -> Self {
        VolumeProtection { queue }
    }
}

impl Controller for VolumeProtection {
    fn component(&self) -> &'static str {
        "pvc-protection-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((_, Some(claim))) = change.of::<PersistentVolumeClaim>() {
            self.note(&claim.metadata);
        } else if let Some((_, Some(volume))) = change.of::<PersistentVolume>() {
            self.note(&volume.metadata);
        } else if let Some((Some(pod), None)) = change.of::<Pod>() {
            let namespace = namespace_of(&pod.metadata);
            for name in claim_names(pod) {
                if let Some(claim) = cache.claims.get(&Key::new(namespace, name)) {
                    self.note(&claim.metadata);
                }
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, _cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let store = api.store();
        let (object, finalizer) = if key.namespace().is_empty() {
            let volume = store.volumes.get(key);
            let free = volume.filter(|volume| phase_of(volume) != "Bound").cloned();
            (free.map(Object::PersistentVolume), VOLUME_PROTECTION)
        } else {
            let claim = store.claims.get(key);
            let free = claim.filter(|_| !is_in_use(key, store)).cloned();
            (free.map(Object::PersistentVolumeClaim), CLAIM_PROTECTION)
        };
        let Some(object) = object.filter(|object| is_waiting(object.metadata())) else {
            return Ok(());
        };
        api.edit_metadata(&object, &|meta| {
            if let Some(finalizers) = &mut meta.finalizers {
                finalizers.retain(|name| name != finalizer);
            }
        })
    }
}

impl VolumeProtection {
    fn note(&mut self, meta: &ObjectMeta) {
        if is_waiting(meta) {
            self.queue.add(Key::of(meta));
        }
    }
}

fn is_waiting(meta: &ObjectMeta) -> bool {
    let protects = |name: &String| name == CLAIM_PROTECTION || name == VOLUME_PROTECTION;
    meta.deletion_timestamp.is_some() && finalizers(meta).iter().any(protects)
}

/// Whether a bound Pod uses the claim.
fn is_in_use(key: &Key, store: &Store) -> bool {
    let mut pods = store.pods.of_namespace(key.namespace());
    pods.any(|pod| {
        !pod_util::node_of(pod).is_empty() && claim_names(pod).any(|name| name == key.name())
    })
}
