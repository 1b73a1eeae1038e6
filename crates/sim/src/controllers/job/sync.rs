//! One sync of a Job: counts finished Pods, determines whether the Job is finished, and creates or deletes Pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::batch::v1::{Job, JobCondition, JobSpec, JobStatus};
use k8s_openapi::api::core::v1::Pod;

use super::backoff::Record;
use super::policy::{self, Verdict};
use super::{JobController, index_of, is_tracked};
use crate::pod_util;
use crate::server::{ApiError, ApiServer, ms_of};
use crate::store::{Key, uid_of};
use crate::workqueue::WorkQueue;
use berth_core::api::workloads::Indexes;

pub(super) struct Sync<'a> {
    pub key: Key,
    /// The Job as read, and later as last written.
    pub job: Job,
    pub spec: JobSpec,
    pub status: JobStatus,
    pub pods: Vec<Arc<Pod>>,
    pub active: Vec<Arc<Pod>>,
    /// UIDs of finished Pods that the status lists, but does not count yet.
    pub uncounted_succeeded: BTreeSet<String>,
    pub uncounted_failed: BTreeSet<String>,
    pub succeeded: i32,
    pub failed: i32,
    pub ready: i32,
    pub terminating: i32,
    pub record: Record,
    /// For Indexed Jobs: the counted indexes, and those including Pods that have succeeded since.
    pub counted_indexes: Indexes,
    pub succeeded_indexes: Indexes,
    /// For Jobs with `backoffLimitPerIndex`.
    pub failed_indexes: Option<Indexes>,
    /// Failed Pods by index that keep their finalizer until a replacement takes over their failure count.
    pub kept: BTreeMap<i32, Arc<Pod>>,
    /// The condition that finishes the Job.
    pub finished: Option<JobCondition>,
    pub waits_for_pods: bool,
    pub api: &'a mut ApiServer,
    pub queue: &'a mut WorkQueue,
    pub backoff: &'a mut BTreeMap<Key, Record>,
}

impl<'a> Sync<'a> {
    pub(super) fn new(
        job: &Job,
        spec: JobSpec,
        own: Vec<Arc<Pod>>,
        controller: &'a mut JobController,
        api: &'a mut ApiServer,
    ) -> Self {
        let status = job.status.clone().unwrap_or_default();
        let uncounted = status.uncounted_terminated_pods.clone().unwrap_or_default();
        let uids = |uids: Option<Vec<String>>| uids.into_iter().flatten().collect();
        let active = own.iter().filter(|pod| pod_util::is_active(pod));
        let mut sync = Sync {
            key: Key::of(&job.metadata),
            active: active.cloned().collect(),
            uncounted_succeeded: uids(uncounted.succeeded),
            uncounted_failed: uids(uncounted.failed),
            job: job.clone(),
            spec,
            status,
            pods: own,
            succeeded: 0,
            failed: 0,
            ready: 0,
            terminating: 0,
            record: Record::default(),
            counted_indexes: Indexes::default(),
            succeeded_indexes: Indexes::default(),
            failed_indexes: None,
            kept: BTreeMap::new(),
            finished: None,
            waits_for_pods: controller.waits_for_pods,
            api,
            queue: &mut controller.queue,
            backoff: &mut controller.backoff,
        };
        sync.count();
        sync
    }

    fn count(&mut self) {
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let new_succeeded = self.newly_ended(&self.uncounted_succeeded, |pod| {
            pod_util::phase_of(pod) == "Succeeded"
        });
        let new_failed = self.newly_ended(&self.uncounted_failed, |pod| self.has_failed(pod));
        let counted = new_failed.iter().filter(|pod| self.judge(pod).counts());
        let counted = count(counted.count());
        self.succeeded = self.status.succeeded.unwrap_or(0)
            + count(new_succeeded.len() + self.uncounted_succeeded.len());
        self.failed =
            self.status.failed.unwrap_or(0) + counted + count(self.uncounted_failed.len());
        self.ready = count(
            self.active
                .iter()
                .filter(|pod| pod_util::is_ready(pod))
                .count(),
        );
        let terminating = self
            .pods
            .iter()
            .filter(|pod| pod_util::is_terminating(pod) && !pod_util::is_finished(pod));
        self.terminating = count(terminating.count());
        let before = self.backoff.get(&self.key).copied().unwrap_or_default();
        self.record = before.with(&new_succeeded, &new_failed);
    }

    /// Pods for which `ended` holds and that are not counted yet.
    fn newly_ended(
        &self,
        uncounted: &BTreeSet<String>,
        ended: impl Fn(&Pod) -> bool,
    ) -> Vec<Arc<Pod>> {
        let new = self.pods.iter().filter(|pod| {
            is_tracked(pod)
                && !uncounted.contains(uid_of(&pod.metadata))
                && (!self.is_indexed() || self.index(pod).is_some())
                && ended(pod)
        });
        new.cloned().collect()
    }

    pub(super) fn run(&mut self) -> Result<(), ApiError> {
        if self.status.start_time.is_none() && !self.is_suspended() {
            self.status.start_time = Some(self.api.now());
        }
        self.judge_failure();
        if self.is_indexed() {
            self.judge_indexes();
        }
        let count = i32::try_from(self.active.len()).unwrap_or(i32::MAX);
        let (active, managed, changed) = if self.finished.is_some() {
            let (deleted, outcome) = self.delete_active();
            if deleted != count {
                // The Job is not finished while Pods remain.
                self.finished = None;
            }
            (count - deleted, outcome, false)
        } else {
            let (active, outcome) = if self.job.metadata.deletion_timestamp.is_none() {
                self.manage()
            } else {
                (count, Ok(()))
            };
            let changed = self.judge_success(active);
            (active, outcome, changed)
        };
        let nonzero = |count: i32| (count != 0).then_some(count);
        let needs_update = changed
            || nonzero(active) != self.status.active
            || Some(self.ready) != self.status.ready
            || self.waits_for_pods && Some(self.terminating) != self.status.terminating;
        self.status.active = nonzero(active);
        self.status.ready = Some(self.ready);
        self.status.terminating = Some(self.terminating);
        self.track(needs_update, active)?;
        managed
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.spec.suspend == Some(true)
    }

    pub(super) fn is_indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }

    pub(super) fn completions(&self) -> i32 {
        self.spec.completions.unwrap_or(0)
    }

    /// A Pod's index, if it is below `completions`.
    pub(super) fn index(&self, pod: &Pod) -> Option<i32> {
        index_of(pod).filter(|index| *index < self.completions())
    }

    /// Whether only finished Pods are replaced, not terminating ones.
    pub(super) fn replaces_only_failed(&self) -> bool {
        self.spec.pod_replacement_policy.as_deref() == Some("Failed")
            || self.spec.pod_failure_policy.is_some()
    }

    /// Whether a Pod has failed. Terminating Pods count, unless only finished ones are replaced.
    pub(super) fn has_failed(&self, pod: &Pod) -> bool {
        match pod_util::phase_of(pod) {
            "Failed" => true,
            "Succeeded" => false,
            _ => !self.replaces_only_failed() && pod_util::is_terminating(pod),
        }
    }

    pub(super) fn judge(&self, pod: &Pod) -> Verdict {
        policy::judge(self.spec.pod_failure_policy.as_ref(), pod)
    }

    /// Milliseconds since the start.
    pub(super) fn age_ms(&self) -> Option<i64> {
        let start = self.status.start_time.as_ref()?;
        Some(self.api.now_ms() - ms_of(start))
    }
}
