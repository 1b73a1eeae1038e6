//! The status of a StatefulSet.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::StatefulSetStatus;
use k8s_openapi::api::core::v1::Pod;

use super::Sync;
use crate::pod_util;
use crate::server::ApiError;
use berth_core::api::workloads::REVISION_HASH;

impl Sync<'_> {
    /// The status that results from these Pods.
    pub(super) fn new_status<'p>(
        &self,
        own: impl Iterator<Item = &'p Arc<Pod>>,
    ) -> StatefulSetStatus {
        let (current, update) = (self.revisions.current.name(), self.revisions.update.name());
        let mut counts = [0; 5];
        for pod in own {
            let revision = pod_util::label_of(pod, REVISION_HASH);
            let stays = !pod_util::is_terminating(pod);
            let counted = [
                true,
                pod_util::is_running_and_ready(pod),
                self.is_available(pod),
                stays && revision == current,
                stays && revision == update,
            ];
            for (count, is_so) in counts.iter_mut().zip(counted) {
                *count += i32::from(is_so);
            }
        }
        let [replicas, ready, available, at_current, at_update] = counts;
        let nonzero = |count: i32| (count != 0).then_some(count);
        StatefulSetStatus {
            observed_generation: self.set.metadata.generation,
            replicas,
            ready_replicas: nonzero(ready),
            available_replicas: Some(available),
            current_replicas: nonzero(at_current),
            updated_replicas: nonzero(at_update),
            current_revision: Some(current.to_owned()),
            update_revision: Some(update.to_owned()),
            collision_count: Some(self.revisions.collisions),
            conditions: None,
        }
    }

    /// Writes the status if it differs. An update is complete when all desired Pods exist, are ready and of the
    /// update revision, which then becomes the current one.
    pub(super) fn write_status(&mut self, status: &mut StatefulSetStatus) -> Result<(), ApiError> {
        let wanted = self.replicas();
        if self.is_rolling_update()
            && status.updated_replicas.unwrap_or(0) == wanted
            && status.ready_replicas.unwrap_or(0) == wanted
            && status.replicas == wanted
        {
            status.current_replicas = status.updated_replicas;
            status.current_revision.clone_from(&status.update_revision);
        }
        let before = self.set.status.clone().unwrap_or_default();
        // A changed collision count alone is not written.
        let same = StatefulSetStatus {
            collision_count: before.collision_count,
            ..status.clone()
        };
        if same == before {
            return Ok(());
        }
        let mut updated = (**self.set).clone();
        updated.status = Some(status.clone());
        self.api.update_status(&updated).map(drop)
    }
}
