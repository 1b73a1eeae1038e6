//! What the queue keeps of a waiting Pod (`QueuedPodInfo` of kube-scheduler v1.34.1).

use std::cmp::Reverse;
use std::sync::Arc;

use super::backoff::ActiveKey;
use crate::base::time::Time;

/// A Pod on its way through the queues.
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// `namespace/name`.
    pub key: Arc<str>,
    pub priority: i32,
    /// When it came, then when it last failed. Being moved does not touch it.
    pub timestamp: Time,
    /// Scheduling cycles so far.
    pub attempts: u32,
    /// Attempts that ended with a plugin's rejection; never reset while the Pod waits.
    pub unschedulable_count: u32,
    /// Attempts in a row that ended without one.
    pub consecutive_errors: u32,
    /// The plugins that rejected it in its last attempt, or keep it out of the queue; sorted.
    pub rejected_by: Vec<&'static str>,
    /// The PreEnqueue plugin that keeps it out of the queue.
    pub gated_by: Option<&'static str>,
}

impl QueuedPod {
    pub(super) fn new(key: Arc<str>, priority: i32, now: Time) -> Self {
        Self {
            key,
            priority,
            timestamp: now,
            attempts: 0,
            unschedulable_count: 0,
            consecutive_errors: 0,
            rejected_by: Vec::new(),
            gated_by: None,
        }
    }

    pub(super) fn active_key(&self) -> ActiveKey {
        (Reverse(self.priority), self.timestamp)
    }

    /// Notes who rejects it, once.
    pub(super) fn add_rejection(&mut self, plugin: &'static str) {
        if let Err(position) = self.rejected_by.binary_search(&plugin) {
            self.rejected_by.insert(position, plugin);
        }
    }
}
