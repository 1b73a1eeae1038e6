//! Deployments: scale one ReplicaSet per template against the others (`pkg/controller/deployment`, Kubernetes v1.34).
//!
//! One sync performs one step of a rollout and writes the status; its changes trigger the next sync.

mod annotations;
mod new_set;
mod progress;
mod proportional;
mod recreate;
mod rolling;
mod sets;
mod status;
mod strategy;
mod watch;

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};

use super::Controller;
use super::claim::claim;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;

use sets::Sets;

pub(crate) use annotations::{
    DESIRED_REPLICAS, MAX_REPLICAS, OWN, REVISION, REVISION_HISTORY, revision,
};
pub(crate) use sets::same_template;

/// The controller of Deployments.
#[derive(Clone, Debug)]
pub struct DeploymentController {
    queue: WorkQueue,
}

/// One sync: the Deployment as read and changed so far, and where to write.
struct Sync<'a> {
    /// Changed in place, as in the real controller: a second write in the same sync causes a conflict, and the sync
    /// is retried.
    deployment: Deployment,
    cache: &'a Store,
    api: &'a mut ApiServer,
    queue: &'a mut WorkQueue,
}

impl DeploymentController {
    pub fn new(queue: WorkQueue) -> Self {
        DeploymentController { queue }
    }
}

impl Controller for DeploymentController {
    fn component(&self) -> &'static str {
        "deployment-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        watch::observe(change, cache, &mut self.queue);
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(deployment) = cache.deployments.get(key) else {
            return Ok(());
        };
        let Some(spec) = deployment.spec.as_ref() else {
            return Ok(());
        };
        let candidates = cache.replica_sets.claimable(&deployment.metadata);
        let owned = claim(&**deployment, &spec.selector, candidates, api)?;
        let mut sync = Sync {
            deployment: (**deployment).clone(),
            cache,
            api,
            queue: &mut self.queue,
        };
        sync.run(owned)
    }
}

impl Sync<'_> {
    fn run(&mut self, owned: Vec<Arc<ReplicaSet>>) -> Result<(), ApiError> {
        if self.deployment.metadata.deletion_timestamp.is_some() {
            let sets = self.find_sets(&owned, false)?;
            return self.write_status(&sets);
        }
        self.note_pause()?;
        if self.is_paused() {
            return self.scale_only(&owned);
        }
        if self.was_scaled(&owned)? {
            return self.scale_only(&owned);
        }
        if self.is_rolling_update() {
            self.roll(&owned)
        } else {
            self.recreate(&owned)
        }
    }

    /// Whether an active ReplicaSet was scaled for another number of replicas.
    fn was_scaled(&mut self, owned: &[Arc<ReplicaSet>]) -> Result<bool, ApiError> {
        let sets = self.find_sets(owned, false)?;
        let replicas = self.replicas();
        Ok(sets.active().any(|set| {
            annotations::number(set, DESIRED_REPLICAS).is_some_and(|desired| desired != replicas)
        }))
    }

    /// Follows a change of `replicas` without continuing the rollout; a paused Deployment does nothing else.
    fn scale_only(&mut self, owned: &[Arc<ReplicaSet>]) -> Result<(), ApiError> {
        let mut sets = self.find_sets(owned, false)?;
        self.scale(&mut sets)?;
        if self.is_paused() {
            self.clean_up(&sets)?;
        }
        self.write_status(&sets)
    }

    fn is_paused(&self) -> bool {
        let spec = self.deployment.spec.as_ref();
        spec.is_some_and(|spec| spec.paused == Some(true))
    }

    /// Deletes old ReplicaSets beyond `revisionHistoryLimit`, the oldest revisions first.
    fn clean_up(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let spec = self.deployment.spec.as_ref();
        let limit = spec.and_then(|spec| spec.revision_history_limit);
        let Some(limit) = limit.filter(|limit| *limit != i32::MAX) else {
            return Ok(());
        };
        let mut old: Vec<&Arc<ReplicaSet>> = (sets.old.iter())
            .filter(|set| set.metadata.deletion_timestamp.is_none())
            .collect();
        let surplus = old
            .len()
            .saturating_sub(usize::try_from(limit).unwrap_or(0));
        berth_base::sort::sort_by_key(&mut old, |set| annotations::revision(set));
        for set in old.into_iter().take(surplus) {
            let status = set.status.clone().unwrap_or_default();
            let unused = status.replicas == 0
                && sets::replicas(set) == 0
                && set.metadata.generation <= status.observed_generation;
            if unused {
                match self.api.delete::<ReplicaSet>(&Key::of(&set.metadata)) {
                    Ok(()) | Err(ApiError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
