//! RollingUpdate: updates one Pod at a time from the highest ordinal down, once all above it are healthy.

use k8s_openapi::api::apps::v1::StatefulSetStatus;

use super::Sync;
use super::replicas::{Members, is_healthy};
use crate::pod_util;
use crate::server::ApiError;
use berth_core::api::workloads::REVISION_HASH;

impl Sync<'_> {
    /// Deletes the highest Pod of an old revision, unless one above it is unhealthy; the next sync recreates it.
    pub(super) fn update_next(
        &mut self,
        members: &Members,
        status: &mut StatefulSetStatus,
    ) -> Result<(), ApiError> {
        let rules = self.api.release().rules().controllers;
        let waits_for_available = rules.update_waits_for_available;
        let from = usize::try_from(self.partition()).unwrap_or(0);
        for member in members.wanted.iter().skip(from).rev() {
            let pod = &member.pod;
            let is_old = pod_util::label_of(pod, REVISION_HASH) != self.revisions.update.name();
            if is_old && !pod_util::is_terminating(pod) {
                self.delete(pod)?;
                let left = status.current_replicas.unwrap_or(0) - 1;
                status.current_replicas = (left != 0).then_some(left);
                return Ok(());
            }
            if !is_healthy(pod) || waits_for_available && !self.is_available(pod) {
                return Ok(());
            }
        }
        Ok(())
    }
}
