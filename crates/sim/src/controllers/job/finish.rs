//! Whether a Job is complete or has failed.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::JobCondition;
use k8s_openapi::api::core::v1::Pod;

use super::backoff::finished_ms;
use super::policy::Verdict;
use super::sync::Sync;
use super::{is_tracked, success};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use berth_core::api::workloads::Indexes;
use berth_protocol::due::DueKind;
use berth_scheduler::release::Gate;

pub(super) const FAILURE_TARGET: &str = "FailureTarget";
pub(super) const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";
const SUSPENDED: &str = "Suspended";

/// Annotations with the failures of an index, passed on from Pod to Pod.
pub(super) const INDEX_FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
pub(super) const INDEX_IGNORED: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

impl Sync<'_> {
    pub(super) fn condition(&self, kind: &str, reason: &str, message: &str) -> JobCondition {
        let now = self.api.now();
        JobCondition {
            type_: kind.to_owned(),
            status: "True".to_owned(),
            reason: Some(reason.to_owned()),
            message: Some(message.to_owned()),
            last_probe_time: Some(now.clone()),
            last_transition_time: Some(now),
        }
    }

    fn fail(&mut self, reason: &str, message: &str) {
        self.finished = Some(self.condition(FAILURE_TARGET, reason, message));
    }

    /// A condition of the Job that is already true.
    pub(super) fn has_condition(&self, kind: &str) -> Option<&JobCondition> {
        let mut conditions = self.status.conditions.iter().flatten();
        conditions.find(|condition| condition.type_ == kind && condition.status == "True")
    }

    /// Determines whether the Job has failed: by a rule, by too many failures, or by its deadline.
    pub(super) fn judge_failure(&mut self) {
        if let Some(met) = self.has_condition(SUCCESS_CRITERIA_MET) {
            self.finished = Some(met.clone());
            return;
        }
        if let Some(target) = self.has_condition(FAILURE_TARGET) {
            self.finished = Some(target.clone());
            return;
        }
        let failed = self.pods.iter().filter(|pod| self.has_failed(pod));
        let reason = failed.into_iter().find_map(|pod| match self.judge(pod) {
            Verdict::FailJob(reason) => Some(reason),
            _ => None,
        });
        if let Some(reason) = reason {
            self.fail("PodFailurePolicy", &reason);
            return;
        }
        let limit = self.spec.backoff_limit.unwrap_or(6);
        if self.failed > limit || self.has_restarted_too_often(limit) {
            let message = "Job has reached the specified backoff limit";
            self.fail("BackoffLimitExceeded", message);
            return;
        }
        if let Some(seconds) = self.spec.active_deadline_seconds
            && !self.is_suspended()
            && let Some(age) = self.age_ms()
        {
            let remaining = seconds.saturating_mul(1_000) - age;
            if remaining <= 0 {
                let message = "Job was active longer than specified deadline";
                self.fail("DeadlineExceeded", message);
            } else {
                let now = self.api.now_ms();
                self.queue
                    .add_due(DueKind::Deadline, self.key.clone(), remaining, now);
            }
        }
    }

    /// With `restartPolicy: OnFailure`, container restarts count in place of failed Pods.
    fn has_restarted_too_often(&self, limit: i32) -> bool {
        let template = self.spec.template.spec.as_ref();
        let policy = template.and_then(|spec| spec.restart_policy.as_deref());
        if policy != Some("OnFailure") {
            return false;
        }
        let running = self
            .pods
            .iter()
            .filter(|pod| matches!(pod_util::phase_of(pod), "Running" | "Pending"));
        let restarts = running.flat_map(|pod| {
            let statuses =
                pod_util::container_statuses(pod).chain(pod_util::init_container_statuses(pod));
            statuses.map(|status| status.restart_count)
        });
        let restarts: i32 = restarts.sum();
        if limit == 0 {
            restarts > 0
        } else {
            restarts >= limit
        }
    }

    /// Determines which indexes have succeeded or failed, and whether that finishes the Job.
    pub(super) fn judge_indexes(&mut self) {
        let completions = self.completions();
        let counted = self.status.completed_indexes.as_deref().unwrap_or_default();
        self.counted_indexes = Indexes::parse(counted, completions);
        let new = self
            .pods
            .iter()
            .filter(|pod| pod_util::phase_of(pod) == "Succeeded" && is_tracked(pod));
        let new: BTreeSet<i32> = new.filter_map(|pod| self.index(pod)).collect();
        self.succeeded_indexes = self.counted_indexes.with(&new);
        self.succeeded = self.succeeded_indexes.total();
        if self.spec.backoff_limit_per_index.is_some() {
            self.judge_failed_indexes(completions);
        }
        if self.finished.is_none()
            && let Some(message) = success::met(
                self.spec.success_policy.as_ref(),
                &self.succeeded_indexes,
                completions,
            )
        {
            let condition = self.condition(SUCCESS_CRITERIA_MET, "SuccessPolicy", &message);
            self.finished = Some(condition);
        }
    }

    fn judge_failed_indexes(&mut self, completions: i32) {
        let counted = self.status.failed_indexes.as_deref().unwrap_or_default();
        let counted = Indexes::parse(counted, completions);
        let new = self
            .pods
            .iter()
            .filter(|pod| self.has_failed(pod) && is_tracked(pod) && self.fails_index(pod));
        let new: BTreeSet<i32> = new.filter_map(|pod| self.index(pod)).collect();
        let failed = counted.with(&new);
        let (failures, successes) = (failed.total(), self.succeeded_indexes.total());
        self.failed_indexes = Some(failed);
        if self.finished.is_none() {
            if self
                .spec
                .max_failed_indexes
                .is_some_and(|most| failures > most)
            {
                let message = "Job has exceeded the specified maximal number of failed indexes";
                self.fail("MaxFailedIndexesExceeded", message);
            } else if failures > 0 && failures + successes >= completions {
                self.fail("FailedIndexes", "Job has failed indexes");
            }
        }
        self.keep_last_failures();
    }

    /// Whether the failure of a Pod fails its index.
    fn fails_index(&self, pod: &Pod) -> bool {
        let verdict = self.judge(pod);
        let limit = self.spec.backoff_limit_per_index.unwrap_or(i32::MAX);
        verdict == Verdict::FailIndex
            || verdict.counts() && count_annotation(pod, INDEX_FAILURES) >= limit
    }

    /// Keeps the finalizer of the last failed Pod of each inactive index until a replacement exists, which takes over
    /// its failure count.
    fn keep_last_failures(&mut self) {
        let active: BTreeSet<i32> = self
            .active
            .iter()
            .filter_map(|pod| self.index(pod))
            .collect();
        let failed_indexes = self.failed_indexes.clone().unwrap_or_default();
        let mut kept = std::mem::take(&mut self.kept);
        for pod in self
            .pods
            .iter()
            .filter(|pod| is_tracked(pod) && self.has_failed(pod))
        {
            let index = self.index(pod).filter(|index| {
                !self.succeeded_indexes.has(*index)
                    && !failed_indexes.has(*index)
                    && !active.contains(index)
            });
            let Some(index) = index else { continue };
            let is_later = kept.get(&index).is_none_or(|last| {
                all_failures(last) <= all_failures(pod) && finished_ms(pod) >= finished_ms(last)
            });
            if is_later {
                kept.insert(index, pod.clone());
            }
        }
        self.kept = kept;
    }

    /// Determines whether the Job is complete, suspended or resumed. `true` if a condition changed.
    pub(super) fn judge_success(&mut self, active: i32) -> bool {
        let enough = match self.spec.completions {
            // Without `completions`, the first success completes the Job.
            None => self.succeeded > 0,
            Some(completions) => self.succeeded >= completions,
        };
        if enough && active == 0 {
            let message = "Reached expected number of succeeded pods";
            let reason = "CompletionsReached";
            let condition = self.condition(SUCCESS_CRITERIA_MET, reason, message);
            self.finished = Some(condition);
            return false;
        }
        if self.job.metadata.deletion_timestamp.is_some() {
            return false;
        }
        let (status, reason, event_reason, message) = if self.is_suspended() {
            ("True", "JobSuspended", "Suspended", "Job suspended")
        } else {
            ("False", "JobResumed", "Resumed", "Job resumed")
        };
        if !self.set_suspended(status, reason, message) {
            return false;
        }
        self.api
            .event(Event::new(&self.job, Level::Normal, event_reason, message));
        let gate = Gate::MutableSchedulingDirectivesForSuspendedJobs;
        if !self.is_suspended() {
            // A resumed Job starts again.
            self.status.start_time = Some(self.api.now());
        } else if self.api.release().is_on(gate) {
            self.status.start_time = None;
        }
        true
    }

    /// Sets the condition `Suspended`. `False` is set only if the condition exists.
    fn set_suspended(&mut self, status: &str, reason: &str, message: &str) -> bool {
        let mut condition = self.condition(SUSPENDED, reason, message);
        status.clone_into(&mut condition.status);
        let conditions = self.status.conditions.get_or_insert_default();
        let place = conditions.iter().position(|own| own.type_ == SUSPENDED);
        let own = place.and_then(|place| conditions.get_mut(place));
        let changed = match own {
            Some(own) if own.status == status => false,
            Some(own) => {
                *own = condition;
                true
            }
            None if status == "True" => {
                conditions.push(condition);
                true
            }
            None => false,
        };
        if conditions.is_empty() {
            self.status.conditions = None;
        }
        changed
    }
}

/// The value of a counter annotation; 0 if absent or invalid.
pub(super) fn count_annotation(pod: &Pod, key: &str) -> i32 {
    let count = pod_util::annotation_of(pod, key).and_then(|text| text.parse().ok());
    count.unwrap_or(0)
}

/// Failures of an index before this Pod, including ignored ones.
pub(super) fn all_failures(pod: &Pod) -> i32 {
    count_annotation(pod, INDEX_FAILURES).saturating_add(count_annotation(pod, INDEX_IGNORED))
}
