//! Resets the condition `DisruptionTarget` of Pods that were not deleted within two minutes
//! (`pkg/controller/disruption`, Kubernetes v1.34).

use k8s_openapi::api::core::v1::{Pod, PodCondition};

use crate::controllers::Controller;
use crate::pod_util;
use crate::server::{ApiError, ApiServer, ms_of};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;

/// How long the condition holds without a deletion.
const TIMEOUT_MS: i64 = 120_000;

/// The part of the disruption controller that resets stale conditions of Pods.
#[derive(Clone, Debug)]
pub struct StaleDisruptions {
    queue: WorkQueue,
}

impl StaleDisruptions {
    pub fn new(queue: WorkQueue) -> Self {
        StaleDisruptions { queue }
    }
}

impl Controller for StaleDisruptions {
    fn component(&self) -> &'static str {
        "controllermanager"
    }

    fn observe(&mut self, change: &Change, _cache: &Store, now_ms: i64) {
        if let Some((_, Some(pod))) = change.of::<Pod>()
            && let Some(end) = end_ms(pod)
        {
            let key = Key::of(&pod.metadata);
            self.queue.add_after(key, end - now_ms, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let pod = cache.pods.get(key);
        let Some((pod, end)) = pod.and_then(|pod| Some((pod, end_ms(pod)?))) else {
            return Ok(());
        };
        let now = api.now_ms();
        if end > now {
            self.queue.add_after(key.clone(), end - now, now);
            return Ok(());
        }
        let mut pod = (**pod).clone();
        let over = PodCondition {
            type_: pod_util::DISRUPTION_TARGET.to_owned(),
            status: "False".to_owned(),
            ..PodCondition::default()
        };
        pod_util::set_condition(&mut pod, over, &api.now());
        api.update_status(&pod).map(drop)
    }
}

/// When the condition becomes stale, in milliseconds; `None` if it is not set, or the Pod is finished or terminating.
/// A condition set by a kubelet never becomes stale: its termination may take longer.
fn end_ms(pod: &Pod) -> Option<i64> {
    let condition = pod_util::condition(pod, pod_util::DISRUPTION_TARGET)?;
    let holds = condition.status != "True"
        || condition.reason.as_deref() == Some("TerminationByKubelet")
        || !pod_util::is_active(pod);
    let since = condition.last_transition_time.as_ref()?;
    (!holds).then(|| ms_of(since).saturating_add(TIMEOUT_MS))
}
