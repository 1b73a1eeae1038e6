//! The progress of a rollout: the condition `Progressing`.

use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::Sync;
use crate::controllers::conditions;
use crate::server::{ApiError, ms_of};
use crate::store::Key;
use berth_protocol::due::DueKind;

pub(super) const PROGRESSING: &str = "Progressing";
pub(super) const AVAILABLE: &str = "NewReplicaSetAvailable";
const UPDATED: &str = "ReplicaSetUpdated";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";
const RESUMED: &str = "DeploymentResumed";

/// A condition `Progressing`.
pub(super) fn progressing(
    status: &str,
    reason: &str,
    message: String,
    now: Time,
) -> DeploymentCondition {
    condition(PROGRESSING, status, reason, message, now)
}

/// A condition with the current time as its update and transition time.
pub(super) fn condition(
    kind: &str,
    status: &str,
    reason: &str,
    message: String,
    now: Time,
) -> DeploymentCondition {
    DeploymentCondition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message),
        last_update_time: Some(now.clone()),
        last_transition_time: Some(now),
    }
}

impl Sync<'_> {
    /// `spec.progressDeadlineSeconds`; `None` if there is no limit.
    pub(super) fn deadline(&self) -> Option<i32> {
        let spec = self.deployment.spec.as_ref()?;
        let deadline = spec.progress_deadline_seconds;
        deadline.filter(|seconds| *seconds != i32::MAX)
    }

    /// Records a pause or its end in the condition, so that the time of the pause does not count.
    pub(super) fn note_pause(&mut self) -> Result<(), ApiError> {
        if self.deadline().is_none() {
            return Ok(());
        }
        let current = self.progress();
        let reason = current
            .as_ref()
            .and_then(|current| current.reason.as_deref());
        let noted = reason == Some(PAUSED);
        let (reason, message) = match (self.is_paused(), noted) {
            _ if reason == Some(TIMED_OUT) => return Ok(()),
            (true, false) => (PAUSED, "Deployment is paused"),
            (false, true) => (RESUMED, "Deployment is resumed"),
            _ => return Ok(()),
        };
        let now = self.api.now();
        self.set_condition(progressing("Unknown", reason, message.to_owned(), now));
        self.api.update_status(&self.deployment).map(drop)
    }

    /// Sets the condition from the new status.
    pub(super) fn judge_progress(&self, set: Option<&str>, status: &mut DeploymentStatus) {
        let subject = set.map_or_else(
            || {
                format!(
                    "Deployment {:?}",
                    crate::store::name_of(&self.deployment.metadata)
                )
            },
            |name| format!("ReplicaSet {name:?}"),
        );
        let now = self.api.now();
        if self.completes(status) {
            let message = format!("{subject} has successfully progressed.");
            let condition = progressing("True", AVAILABLE, message, now);
            conditions::set(&mut status.conditions, condition);
        } else if self.progresses(status) {
            let message = format!("{subject} is progressing.");
            let mut condition = progressing("True", UPDATED, message, now);
            if let Some(current) = self.progress() {
                if current.status == "True" {
                    condition.last_transition_time = current.last_transition_time;
                }
                // Removed first, since the update time must change even if nothing else does.
                conditions::remove(&mut status.conditions, PROGRESSING);
            }
            conditions::set(&mut status.conditions, condition);
        } else if self.is_late(status) {
            let message = format!("{subject} has timed out progressing.");
            let condition = progressing("False", TIMED_OUT, message, now);
            conditions::set(&mut status.conditions, condition);
        }
    }

    /// Whether a status is that of a complete Deployment.
    pub(super) fn completes(&self, status: &DeploymentStatus) -> bool {
        let replicas = self.replicas();
        let generation = self.deployment.metadata.generation;
        status.updated_replicas.unwrap_or(0) == replicas
            && status.replicas.unwrap_or(0) == replicas
            && status.available_replicas.unwrap_or(0) == replicas
            && status.observed_generation >= generation
    }

    /// Whether the current status is that of a complete Deployment.
    pub(super) fn is_complete(&self) -> bool {
        self.completes(&self.deployment.status.clone().unwrap_or_default())
    }

    fn progresses(&self, status: &DeploymentStatus) -> bool {
        let before = self.deployment.status.clone().unwrap_or_default();
        let number = |count: Option<i32>| count.unwrap_or(0);
        let old = |of: &DeploymentStatus| number(of.replicas) - number(of.updated_replicas);
        number(status.updated_replicas) > number(before.updated_replicas)
            || old(status) < old(&before)
            || number(status.ready_replicas) > number(before.ready_replicas)
            || number(status.available_replicas) > number(before.available_replicas)
    }

    fn is_late(&self, status: &DeploymentStatus) -> bool {
        let current = conditions::find(status.conditions.as_deref(), PROGRESSING);
        let (Some(deadline), Some(current)) = (self.deadline(), current) else {
            return false;
        };
        match current.reason.as_deref() {
            Some(AVAILABLE) => false,
            Some(TIMED_OUT) => true,
            _ => self.remaining_ms(current, deadline) < 0,
        }
    }

    fn remaining_ms(&self, current: &DeploymentCondition, deadline: i32) -> i64 {
        let from = current.last_update_time.as_ref().map_or(0, ms_of);
        from + i64::from(deadline) * 1_000 - self.api.now_ms()
    }

    /// Schedules a sync one second after the deadline, if nothing has changed.
    pub(super) fn plan_deadline(&mut self, status: &DeploymentStatus) {
        let (Some(deadline), Some(current)) = (self.deadline(), self.progress()) else {
            return;
        };
        // A rollout that was complete can never time out. The real controller still syncs every 5 ms while a Pod is
        // missing; that has no effect, and the cluster would never become idle.
        let reason = current.reason.as_deref();
        let key = Key::of(&self.deployment.metadata);
        if self.completes(status) || matches!(reason, Some(TIMED_OUT | AVAILABLE)) {
            self.queue.call_off(&key);
            return;
        }
        let remaining = self.remaining_ms(&current, deadline);
        let now = self.api.now_ms();
        if remaining < 1_000 {
            self.queue.add_rate_limited(key, now);
        } else {
            self.queue
                .add_due(DueKind::Deadline, key, remaining + 1_000, now);
        }
    }
}
