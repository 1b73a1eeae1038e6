//! What the controllers that evict Pods by taints share.

use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, uid_of};

/// The texts of a controller that evicts Pods.
pub struct Texts {
    /// The reason of its events.
    pub event: &'static str,
    /// The reason and the message of the condition.
    pub reason: &'static str,
    pub message: &'static str,
}

impl Texts {
    /// An event of a Pod.
    pub fn event(&self, key: &Key, uid: &str, message: impl Into<String>) -> Event {
        Event::about("Pod", key.clone(), uid, Level::Normal, self.event, message)
    }

    /// Records an event, sets the condition `DisruptionTarget`, and deletes the Pod, if it exists.
    pub fn evict(&self, key: &Key, message: String, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(pod) = api.store().pods.get(key).cloned() else {
            return Ok(());
        };
        api.event(self.event(key, uid_of(&pod.metadata), message));
        let mut marked = (*pod).clone();
        let condition = pod_util::disruption_target(self.reason, self.message);
        if pod_util::set_condition(&mut marked, condition, &api.now()) {
            api.update_status(&marked)?;
        }
        api.delete::<k8s_openapi::api::core::v1::Pod>(key)
    }
}
