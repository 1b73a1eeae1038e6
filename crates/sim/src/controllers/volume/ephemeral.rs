//! Generic ephemeral volumes: creates a claim for each, owned by its Pod (`pkg/controller/volume/ephemeral`,
//! Kubernetes v1.34).

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};

use crate::controllers::Controller;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, is_controlled_by};
use crate::workqueue::WorkQueue;
use berth_core::api::meta::reference;
use berth_core::api::workloads::ephemeral_claim;

/// The controller that creates the claims.
#[derive(Clone, Debug)]
pub struct EphemeralVolumes {
    queue: WorkQueue,
}

impl EphemeralVolumes {
    pub fn new(queue: WorkQueue) -> Self {
        EphemeralVolumes { queue }
    }
}

fn has_some(pod: &Pod) -> bool {
    let volumes = pod
        .spec
        .iter()
        .flat_map(|spec| spec.volumes.iter().flatten());
    let mut ephemeral = volumes.filter(|volume| volume.ephemeral.is_some());
    ephemeral.next().is_some()
}

impl Controller for EphemeralVolumes {
    fn component(&self) -> &'static str {
        "ephemeral_volume"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((_, Some(pod))) = change.of::<Pod>() {
            if has_some(pod) && !pod_util::is_terminating(pod) {
                self.queue.add(Key::of(&pod.metadata));
            }
        } else if let Some((Some(gone), None)) = change.of::<PersistentVolumeClaim>() {
            // A deleted claim is created again.
            let owners = gone.metadata.owner_references.iter().flatten();
            for owner in owners.filter(|owner| owner.kind == "Pod") {
                let namespace = gone.metadata.namespace.clone().unwrap_or_default();
                let key = Key::new(namespace, owner.name.as_str());
                if cache.pods.get(&key).is_some() {
                    self.queue.add(key);
                }
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(pod) = cache.pods.get(key) else {
            return Ok(());
        };
        if pod_util::is_terminating(pod) || pod_util::is_finished(pod) {
            return Ok(());
        }
        for volume in pod
            .spec
            .iter()
            .flat_map(|spec| spec.volumes.iter().flatten())
        {
            let owner = (key.namespace(), key.name());
            let claim = ephemeral_claim(owner, reference(&**pod), volume);
            let Some(claim) = claim else {
                continue;
            };
            let existing = api.store().claims.get(&Key::of(&claim.metadata));
            if let Some(existing) = existing {
                if !is_controlled_by(&existing.metadata, &pod.metadata) {
                    let kind = "PersistentVolumeClaim";
                    let key = Key::of(&existing.metadata);
                    return Err(ApiError::AlreadyExists { kind, key });
                }
                continue;
            }
            api.create(claim)?;
        }
        Ok(())
    }
}
