//! CronJobs: create a Job at every scheduled time (`pkg/controller/cronjob`, Kubernetes v1.34).

mod history;
mod schedule;
mod sync;

use k8s_openapi::api::batch::v1::{CronJob, Job};

use super::Controller;
use super::claim::resolve;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;

/// Annotation on Jobs with their scheduled time.
pub const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// The controller of CronJobs.
#[derive(Clone, Debug)]
pub struct CronJobController {
    queue: WorkQueue,
}

impl CronJobController {
    pub fn new(queue: WorkQueue) -> Self {
        CronJobController { queue }
    }
}

impl Controller for CronJobController {
    fn component(&self) -> &'static str {
        "cronjob-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some((_, Some(cron_job))) = change.of::<CronJob>() {
            self.queue.add(Key::of(&cron_job.metadata));
        } else if let Some((before, after)) = change.of::<Job>() {
            let job = after.or(before);
            let owner = job.and_then(|job| resolve::<CronJob>(cache, &job.metadata));
            if let Some(owner) = owner {
                self.queue.add(Key::of(&owner.metadata));
            }
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(cron_job) = cache.cron_jobs.get(key) else {
            return Ok(());
        };
        let mut sync = sync::Sync::new(cron_job, cache, api);
        sync.clean_up()?;
        let outcome = sync.run();
        sync.write()?;
        if let Some(delay_ms) = outcome? {
            let now_ms = api.now_ms();
            self.queue.add_after(key.clone(), delay_ms, now_ms);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
