//! Deletes finished Jobs after `ttlSecondsAfterFinished` (`pkg/controller/ttlafterfinished`, Kubernetes v1.34).

use k8s_openapi::api::batch::v1::Job;

use super::is_finished;
use crate::controllers::Controller;
use crate::server::{ApiError, ApiServer, ms_of};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;
use berth_protocol::due::DueKind;

/// The controller that deletes finished Jobs.
#[derive(Clone, Debug)]
pub struct TtlAfterFinished {
    queue: WorkQueue,
}

impl TtlAfterFinished {
    pub fn new(queue: WorkQueue) -> Self {
        TtlAfterFinished { queue }
    }
}

impl Controller for TtlAfterFinished {
    fn component(&self) -> &'static str {
        "ttl-after-finished-controller"
    }

    fn observe(&mut self, change: &Change, _cache: &Store, now_ms: i64) {
        if let Some((_, Some(job))) = change.of::<Job>()
            && let Some(end) = end_ms(job)
        {
            let key = Key::of(&job.metadata);
            self.queue
                .add_due(DueKind::Deadline, key, end - now_ms, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(end) = cache.jobs.get(key).and_then(|job| end_ms(job)) else {
            return Ok(());
        };
        let now = api.now_ms();
        if end > now {
            // The TTL was extended.
            self.queue
                .add_due(DueKind::Deadline, key.clone(), end - now, now);
            return Ok(());
        }
        match api.delete::<Job>(key) {
            Err(ApiError::NotFound { .. }) => Ok(()),
            outcome => outcome,
        }
    }
}

/// When a Job's TTL expires, in milliseconds; `None` if it is not finished, has no TTL or is being deleted.
fn end_ms(job: &Job) -> Option<i64> {
    let ttl = job.spec.as_ref()?.ttl_seconds_after_finished?;
    if !is_finished(job) || job.metadata.deletion_timestamp.is_some() {
        return None;
    }
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let mut finished = conditions.iter().filter(|condition| {
        condition.status == "True" && matches!(condition.type_.as_str(), "Complete" | "Failed")
    });
    let since = finished.next()?.last_transition_time.as_ref()?;
    Some(ms_of(since) + i64::from(ttl) * 1_000)
}
