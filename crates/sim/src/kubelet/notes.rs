//! The kubelet's events for a Pod, worded as in v1.34.

use std::borrow::Cow;

use k8s_openapi::api::core::v1::Pod;

use crate::audit_log::{Event, Level};
use crate::server::ApiServer;

/// Events to be recorded, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Vec<(Level, Cow<'static, str>, String)>);

impl Notes {
    pub fn normal(&mut self, reason: &'static str, message: impl Into<String>) {
        self.0
            .push((Level::Normal, Cow::Borrowed(reason), message.into()));
    }

    pub fn warning(&mut self, reason: &'static str, message: impl Into<String>) {
        self.0
            .push((Level::Warning, Cow::Borrowed(reason), message.into()));
    }

    /// The event of a rejected Pod.
    pub fn refused(&mut self, reason: String, message: String) {
        self.0.push((Level::Warning, Cow::Owned(reason), message));
    }

    /// Records the events for the Pod, with the node's kubelet as the source.
    pub fn record(self, pod: &Pod, node: &str, api: &mut ApiServer) {
        for (level, reason, message) in self.0 {
            api.event(Event::new(pod, level, reason, message).at("kubelet", node));
        }
    }
}
