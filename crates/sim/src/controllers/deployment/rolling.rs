//! RollingUpdate: scales the new ReplicaSet up and the old ones down, within `maxSurge` and `maxUnavailable`.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::Sync;
use super::sets::{self, Sets, available, total};
use crate::server::ApiError;

impl Sync<'_> {
    /// One step of a rolling update.
    pub(super) fn roll(&mut self, owned: &[Arc<ReplicaSet>]) -> Result<(), ApiError> {
        let sets = self.find_sets(owned, true)?;
        let Some(new) = sets.new.clone() else {
            return Ok(());
        };
        // The status is computed from the sizes before this step.
        let moved = self.grow_new(&sets, new.clone())? || self.shrink_old(&sets, &new)?;
        if !moved && self.is_complete() {
            self.clean_up(&sets)?;
        }
        self.write_rollout_status(&sets)
    }

    /// Scales the new ReplicaSet up as far as the surge permits, or down to `replicas`.
    fn grow_new(&mut self, sets: &Sets, mut new: Arc<ReplicaSet>) -> Result<bool, ApiError> {
        let (size, replicas) = (sets::replicas(&new), self.replicas());
        if size > replicas {
            return self.resize(&mut new, replicas);
        }
        let room = self.most().saturating_sub(sets.wanted());
        self.resize(&mut new, size + room.clamp(0, replicas - size))
    }

    /// Scales old ReplicaSets down: unavailable Pods first, then as many others as `maxUnavailable` permits.
    /// Unavailable Pods of the new ReplicaSet count as missing.
    fn shrink_old(&mut self, sets: &Sets, new: &ReplicaSet) -> Result<bool, ApiError> {
        let mut old = sets.active_old();
        let min_available = self.replicas() - self.max_unavailable();
        let not_yet = sets::replicas(new) - available(new);
        let spare = sets.wanted().saturating_sub(min_available);
        let budget = spare.saturating_sub(not_yet);
        if old.is_empty() || budget <= 0 {
            return Ok(false);
        }
        // A conflict ends this step; the conflicting change triggers the next sync.
        let Ok(Some(unhealthy)) = self.drop_unhealthy(&mut old, budget) else {
            return Ok(false);
        };
        let all_available = total(old.iter(), available);
        let spare = all_available + available(new) - min_available;
        let healthy = self.drop_available(&mut old, spare).unwrap_or(0);
        Ok(unhealthy + healthy > 0)
    }

    /// Removes unavailable Pods. `None` if a status is outdated, with more Pods available than desired.
    fn drop_unhealthy(
        &mut self,
        old: &mut [Arc<ReplicaSet>],
        budget: i32,
    ) -> Result<Option<i32>, ApiError> {
        let mut dropped = 0;
        for set in old {
            let size = sets::replicas(set);
            let unhealthy = size - available(set);
            if dropped >= budget {
                break;
            }
            if size == 0 || unhealthy == 0 {
                continue;
            }
            if unhealthy < 0 {
                return Ok(None);
            }
            let count = unhealthy.min(budget - dropped);
            self.resize(set, size - count)?;
            dropped += count;
        }
        Ok(Some(dropped))
    }

    fn drop_available(&mut self, old: &mut [Arc<ReplicaSet>], spare: i32) -> Result<i32, ApiError> {
        let mut dropped = 0;
        for set in old {
            let size = sets::replicas(set);
            if dropped >= spare {
                break;
            }
            if size > 0 {
                let count = size.min(spare - dropped);
                self.resize(set, size - count)?;
                dropped += count;
            }
        }
        Ok(dropped)
    }
}
