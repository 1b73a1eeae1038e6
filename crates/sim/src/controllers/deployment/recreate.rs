//! Recreate: deletes all old Pods before the first new one is created.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::Sync;
use super::sets::{Sets, actual, is_same};
use crate::pod_util;
use crate::server::ApiError;
use crate::store::uid_of;

impl Sync<'_> {
    pub(super) fn recreate(&mut self, owned: &[Arc<ReplicaSet>]) -> Result<(), ApiError> {
        // The new ReplicaSet is not created before the old ones are scaled down.
        let mut sets = self.find_sets(owned, false)?;
        let mut scaled = false;
        for mut set in sets.active_old() {
            scaled |= self.resize(&mut set, 0)?;
        }
        if scaled || self.old_pods_run(&sets, owned) {
            return self.write_rollout_status(&sets);
        }
        if sets.new.is_none() {
            sets = self.find_sets(owned, true)?;
        }
        if let Some(mut new) = sets.new.clone() {
            self.resize(&mut new, self.replicas())?;
        }
        if self.is_complete() {
            self.clean_up(&sets)?;
        }
        self.write_rollout_status(&sets)
    }

    /// Whether a Pod of an old ReplicaSet still exists; finished Pods do not count.
    fn old_pods_run(&self, sets: &Sets, owned: &[Arc<ReplicaSet>]) -> bool {
        let is_new = |set: &ReplicaSet| {
            let new = sets.new.as_ref();
            new.is_some_and(|new| is_same(new, set))
        };
        let runs = |set: &Arc<ReplicaSet>| {
            let mut own = self.cache.pods.controlled_by(uid_of(&set.metadata));
            own.any(|pod| !pod_util::is_finished(pod))
        };
        sets.old.iter().any(|set| actual(set) > 0)
            || owned.iter().any(|set| !is_new(set) && runs(set))
    }
}
