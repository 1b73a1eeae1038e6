//! The status of a DaemonSet.

use k8s_openapi::api::apps::v1::DaemonSetStatus;

use super::{Sync, sort_by_age};
use crate::pod_util;
use crate::server::ApiError;
use crate::store::{Key, name_of};
use berth_core::api::prepare::node_fit::Daemon;

impl Sync<'_> {
    /// Writes the status if it differs. Of several Pods on a node, only the first by [`sort_by_age`] counts.
    pub(super) fn write_status(&mut self) -> Result<(), ApiError> {
        let before = self.set.status.clone().unwrap_or_default();
        let status = self.calculate(&before);
        let ready = status.number_ready;
        let waiting = ready != status.number_available.unwrap_or(0);
        if status != before {
            let mut updated = (**self.set).clone();
            updated.status = Some(status);
            self.api.update_status(&updated)?;
        }
        let wait = self.min_ready_seconds();
        if wait > 0 && waiting {
            let key = Key::of(&self.set.metadata);
            let now = self.api.now_ms();
            self.queue.add_after(key, i64::from(wait) * 1_000, now);
        }
        Ok(())
    }

    fn calculate(&self, before: &DaemonSetStatus) -> DaemonSetStatus {
        let (mut desired, mut current, mut misscheduled) = (0, 0, 0);
        let (mut ready, mut available, mut updated) = (0, 0, 0);
        for (node, fits) in &self.nodes {
            let own = self.by_node.get(name_of(&node.metadata));
            let mut own = own.cloned().unwrap_or_default();
            sort_by_age(&mut own);
            let oldest = own.first();
            if *fits != Daemon::ShouldRun {
                misscheduled += i32::from(oldest.is_some());
                continue;
            }
            desired += 1;
            if let Some(pod) = oldest {
                current += 1;
                ready += i32::from(pod_util::is_ready(pod));
                available += i32::from(self.is_available(pod));
                updated += i32::from(self.is_updated(pod));
            }
        }
        let nonzero = |count: i32| (count != 0).then_some(count);
        DaemonSetStatus {
            observed_generation: self.set.metadata.generation,
            desired_number_scheduled: desired,
            current_number_scheduled: current,
            number_misscheduled: misscheduled,
            number_ready: ready,
            number_available: nonzero(available),
            number_unavailable: nonzero(desired - available),
            updated_number_scheduled: nonzero(updated),
            collision_count: before.collision_count,
            conditions: before.conditions.clone(),
        }
    }
}
