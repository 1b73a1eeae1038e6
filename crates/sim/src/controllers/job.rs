//! Jobs: run Pods to completion, a number of times and with a parallelism (`pkg/controller/job`, Kubernetes v1.34).
//!
//! A Pod is counted exactly once: its UID is written into the status, then its finalizer is removed, then the
//! counters are updated. Changes of Pods are batched for one second.

mod backoff;
mod finish;
mod manage;
pub mod orphans;
mod policy;
mod removal;
mod success;
mod sync;
mod track;
pub mod ttl;
mod watch;

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::Controller;
use super::claim::claim;
use crate::pod_util;
use crate::server::{ApiError, ApiServer, finalizers};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;
use berth_core::api::workloads::COMPLETION_INDEX;

use backoff::Record;

/// Keeps a Pod until it has been counted.
pub(crate) const FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// How long changes of Pods are batched before a sync.
const BATCH_MS: i64 = 1_000;

/// The default of `spec.managedBy`.
const MANAGER: &str = "kubernetes.io/job-controller";

/// The controller of Jobs.
#[derive(Clone, Debug)]
pub struct JobController {
    queue: WorkQueue,
    /// Consecutive failures, by Job.
    backoff: BTreeMap<Key, Record>,
    waits_for_pods: bool,
}

impl JobController {
    /// `waits_for_pods`: see [`super::Options::job_waits_for_pods`].
    pub fn new(queue: WorkQueue, waits_for_pods: bool) -> Self {
        JobController {
            queue,
            backoff: BTreeMap::new(),
            waits_for_pods,
        }
    }
}

impl Controller for JobController {
    fn component(&self) -> &'static str {
        "job-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        watch::observe(change, cache, &mut self.queue, now_ms);
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let job = cache.jobs.get(key).filter(|job| !is_finished(job));
        let Some((job, spec)) = job.and_then(|job| Some((job, job.spec.clone()?))) else {
            self.backoff.remove(key);
            return Ok(());
        };
        if spec
            .managed_by
            .as_deref()
            .is_some_and(|manager| manager != MANAGER)
        {
            return Ok(());
        }
        let Some(selector) = selector(job) else {
            return Ok(());
        };
        let candidates = cache.pods.claimable(&job.metadata);
        let own = claim(&**job, selector, candidates, api)?;
        let mut sync = sync::Sync::new(job, spec, own, self, api);
        sync.run()
    }
}

fn selector(job: &Job) -> Option<&LabelSelector> {
    job.spec.as_ref().and_then(|spec| spec.selector.as_ref())
}

/// Whether a Job is `Complete` or `Failed`.
pub(super) fn is_finished(job: &Job) -> bool {
    let status = job.status.iter();
    let mut conditions = status.flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| {
        condition.status == "True" && matches!(condition.type_.as_str(), "Complete" | "Failed")
    })
}

/// Whether a Pod has not been counted yet.
fn is_tracked(pod: &Pod) -> bool {
    finalizers(&pod.metadata)
        .iter()
        .any(|name| name == FINALIZER)
}

/// The index of a Pod of an Indexed Job.
fn index_of(pod: &Pod) -> Option<i32> {
    let index: i32 = pod_util::annotation_of(pod, COMPLETION_INDEX)?
        .parse()
        .ok()?;
    (index >= 0).then_some(index)
}

/// Removes the finalizer, if the Pod still exists.
fn stop_tracking(pod: &Pod, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(current) = api.store().pods.get(&Key::of(&pod.metadata)) else {
        return Ok(());
    };
    if current.metadata.uid != pod.metadata.uid || !is_tracked(current) {
        return Ok(());
    }
    let mut pod = (**current).clone();
    if let Some(finalizers) = &mut pod.metadata.finalizers {
        finalizers.retain(|name| name != FINALIZER);
    }
    api.update(pod).map(drop)
}

#[cfg(test)]
mod tests;
