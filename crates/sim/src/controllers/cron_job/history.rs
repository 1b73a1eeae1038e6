//! Deletes finished Jobs beyond the history limits, the oldest first.

use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;

use super::sync::{Sync, has_succeeded};
use crate::controllers::job::is_finished;
use crate::server::{ApiError, ms_of};
use crate::store::name_of;
use berth_base::sort;

impl Sync<'_> {
    pub(super) fn clean_up(&mut self) -> Result<(), ApiError> {
        let spec = self.cron_job.spec.clone();
        let (succeeded, failed): (Vec<_>, Vec<_>) = self
            .jobs
            .iter()
            .filter(|job| is_finished(job))
            .cloned()
            .partition(|job| has_succeeded(job));
        if let Some(limit) = spec.successful_jobs_history_limit {
            self.remove_oldest(succeeded, limit)?;
        }
        if let Some(limit) = spec.failed_jobs_history_limit {
            self.remove_oldest(failed, limit)?;
        }
        Ok(())
    }

    fn remove_oldest(&mut self, mut jobs: Vec<Arc<Job>>, limit: i32) -> Result<(), ApiError> {
        let limit = usize::try_from(limit).unwrap_or_default();
        let excess = jobs.len().saturating_sub(limit);
        sort::sort_by_key(&mut jobs, |job| {
            let started = job
                .status
                .as_ref()
                .and_then(|status| status.start_time.as_ref());
            let name = name_of(&job.metadata).to_owned();
            // Jobs without a start time sort last.
            (started.is_none(), started.map(ms_of), name)
        });
        for job in jobs.into_iter().take(excess) {
            if job.metadata.deletion_timestamp.is_none() {
                self.delete_job(name_of(&job.metadata))?;
            }
        }
        Ok(())
    }
}
