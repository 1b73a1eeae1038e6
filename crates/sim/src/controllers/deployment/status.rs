//! The status of a Deployment.

use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus, ReplicaSet};

use super::Sync;
use super::progress::{AVAILABLE, PROGRESSING, condition};
use super::sets::{Sets, actual, total};
use crate::controllers::conditions;
use crate::server::ApiError;
use crate::store::name_of;
use berth_scheduler::release::Gate;

const REPLICA_FAILURE: &str = "ReplicaFailure";

impl Sync<'_> {
    /// Writes the status of a Deployment that is not rolling, if it differs.
    pub(super) fn write_status(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let status = self.calculate_status(sets);
        if Some(&status) == self.deployment.status.as_ref() {
            return Ok(());
        }
        self.deployment.status = Some(status);
        self.api.update_status(&self.deployment).map(drop)
    }

    /// Writes the status with the progress of the rollout if it differs; otherwise schedules a sync after the
    /// deadline.
    pub(super) fn write_rollout_status(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let mut status = self.calculate_status(sets);
        if self.deadline().is_none() {
            conditions::remove(&mut status.conditions, PROGRESSING);
        }
        let current = self.progress();
        let reason = current
            .as_ref()
            .and_then(|current| current.reason.as_deref());
        let is_done = status.replicas.unwrap_or(0) == status.updated_replicas.unwrap_or(0)
            && reason == Some(AVAILABLE);
        if self.deadline().is_some() && !is_done {
            let name = sets
                .new
                .as_ref()
                .map(|set| name_of(&set.metadata).to_owned());
            self.judge_progress(name.as_deref(), &mut status);
        }
        match replica_failure(sets) {
            Some(failure) => conditions::set(&mut status.conditions, failure),
            None => conditions::remove(&mut status.conditions, REPLICA_FAILURE),
        }
        if Some(&status) == self.deployment.status.as_ref() {
            self.plan_deadline(&status);
            return Ok(());
        }
        self.deployment.status = Some(status);
        self.api.update_status(&self.deployment).map(drop)
    }

    /// The terminating Pods of all ReplicaSets; `None` if one of them has not counted them yet.
    fn terminating(&self, sets: &Sets) -> Option<i32> {
        let gate = Gate::DeploymentReplicaSetTerminatingReplicas;
        if !self.api.release().is_on(gate) {
            return None;
        }
        sets.all().try_fold(0_i32, |sum, set| {
            let counted = set.status.as_ref()?.terminating_replicas?;
            Some(sum.saturating_add(counted))
        })
    }

    fn calculate_status(&self, sets: &Sets) -> DeploymentStatus {
        let before = self.deployment.status.clone().unwrap_or_default();
        let sum = |count: fn(&ReplicaSet) -> i32| total(sets.all(), count);
        let nonzero = |number: i32| (number != 0).then_some(number);
        let ready = |set: &ReplicaSet| {
            let status = set.status.as_ref();
            status.and_then(|status| status.ready_replicas).unwrap_or(0)
        };
        let available = sets.available();
        let updated = sets.new.as_ref().map_or(0, |set| actual(set));
        let mut status = DeploymentStatus {
            observed_generation: self.deployment.metadata.generation,
            replicas: nonzero(sum(actual)),
            updated_replicas: nonzero(updated),
            ready_replicas: nonzero(sum(ready)),
            available_replicas: nonzero(available),
            unavailable_replicas: nonzero((sets.wanted() - available).max(0)),
            collision_count: before.collision_count,
            terminating_replicas: self.terminating(sets),
            conditions: before.conditions,
        };
        let enough = available >= self.replicas() - self.max_unavailable();
        let (state, reason, message) = if enough {
            (
                "True",
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.",
            )
        } else {
            (
                "False",
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            )
        };
        let condition = condition(
            "Available",
            state,
            reason,
            message.to_owned(),
            self.api.now(),
        );
        conditions::set(&mut status.conditions, condition);
        status
    }
}

/// The `ReplicaFailure` condition of the new ReplicaSet, or else of the first old one that has it.
fn replica_failure(sets: &Sets) -> Option<DeploymentCondition> {
    let failure = sets.new.iter().chain(&sets.old).find_map(|set| {
        let conditions = set.status.as_ref()?.conditions.as_deref();
        conditions::find(conditions, REPLICA_FAILURE).cloned()
    })?;
    Some(DeploymentCondition {
        type_: failure.type_,
        status: failure.status,
        reason: failure.reason,
        message: failure.message,
        last_update_time: failure.last_transition_time.clone(),
        last_transition_time: failure.last_transition_time,
    })
}
