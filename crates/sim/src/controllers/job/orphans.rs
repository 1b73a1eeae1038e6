//! Orphaned Pods of Jobs: they are no longer counted, so their finalizer is removed.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;

use super::{is_finished, is_tracked, stop_tracking};
use crate::controllers::Controller;
use crate::controllers::claim::resolve;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, controller_of, uid_of};
use crate::workqueue::WorkQueue;

/// The part of the Job controller that removes the finalizer of Pods without a Job.
#[derive(Clone, Debug)]
pub struct OrphanPods {
    queue: WorkQueue,
}

impl OrphanPods {
    pub fn new(queue: WorkQueue) -> Self {
        OrphanPods { queue }
    }

    /// Enqueues all Pods of a Job that was deleted or has finished.
    fn enqueue_all(&mut self, job: &Job, cache: &Store) {
        let own = cache.pods.controlled_by(uid_of(&job.metadata));
        for pod in own.filter(|pod| is_tracked(pod)) {
            self.queue.add(Key::of(&pod.metadata));
        }
    }
}

impl Controller for OrphanPods {
    fn component(&self) -> &'static str {
        "job-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((before, after)) = change.of::<Job>() {
            match (before, after) {
                (Some(_), Some(job)) if is_finished(job) => self.enqueue_all(job, cache),
                (Some(job), None) => self.enqueue_all(job, cache),
                _ => {}
            }
        } else if let Some((before, after)) = change.of::<Pod>()
            && let Some(pod) = after.or(before)
            && is_tracked(pod)
        {
            let leaves = after.is_none() || pod_util::is_terminating(pod);
            let job = resolve::<Job>(cache, &pod.metadata);
            let is_left = match controller_of(&pod.metadata) {
                None => true,
                Some(_) => leaves && job.is_none_or(|job| is_finished(job)),
            };
            if is_left {
                self.queue.add(Key::of(&pod.metadata));
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(pod) = cache.pods.get(key) else {
            return Ok(());
        };
        match resolve::<Job>(cache, &pod.metadata) {
            Some(job) if !is_finished(job) => Ok(()),
            _ => stop_tracking(pod, api),
        }
    }
}
