//! The status of ResourceQuotas: recounts the usage after deletions and changed limits
//! (`pkg/controller/resourcequota`, Kubernetes v1.34). Admission charges new objects.

use k8s_openapi::api::core::v1::{Pod, ResourceQuota};

use super::Controller;
use crate::pod_util;
use crate::quota::recounted;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, namespace_of};
use crate::workqueue::WorkQueue;

/// The controller of ResourceQuotas.
#[derive(Clone, Debug)]
pub struct QuotaController {
    queue: WorkQueue,
}

impl QuotaController {
    pub fn new(queue: WorkQueue) -> Self {
        QuotaController { queue }
    }
}

impl Controller for QuotaController {
    fn component(&self) -> &'static str {
        "resourcequota-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((_, Some(quota))) = change.of::<ResourceQuota>() {
            let hard = quota.spec.as_ref().and_then(|spec| spec.hard.as_ref());
            let known = quota
                .status
                .as_ref()
                .and_then(|status| status.hard.as_ref());
            if hard != known || quota.status.is_none() {
                self.queue.add(Key::of(&quota.metadata));
            }
        }
        let Some(object) = change.object().filter(|_| gives_back(change)) else {
            return;
        };
        let namespace = namespace_of(object.metadata());
        if !namespace.is_empty() {
            for quota in cache.resource_quotas.of_namespace(namespace) {
                self.queue.add(Key::of(&quota.metadata));
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, _cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(quota) = api.store().resource_quotas.get(key).cloned() else {
            return Ok(());
        };
        let counted = recounted(&quota, api.store(), api.now_ms());
        api.update_status(&counted).map(drop)
    }
}

/// Whether the change may reduce the usage: an object was deleted, or a Pod has finished.
fn gives_back(change: &Change) -> bool {
    match change.of::<Pod>() {
        Some((Some(before), Some(after))) => {
            !pod_util::is_finished(before) && pod_util::is_finished(after)
        }
        _ => change.after.is_none(),
    }
}

#[cfg(test)]
mod tests;
