//! A pending Pod in the queue (`QueuedPodInfo` of kube-scheduler v1.34.1).

use std::cmp::Reverse;
use std::sync::Arc;

use berth_base::time::Time;

/// The order of activeQ: higher priority first, then the earlier timestamp (PrioritySort).
pub(super) type ActiveKey = (Reverse<i32>, Time);

/// A Pod in one of the queues, or in flight.
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// `namespace/name`.
    pub key: Arc<str>,
    pub priority: i32,
    /// When it was added, later when it last failed. Moves do not change it.
    pub timestamp: Time,
    /// Scheduling cycles so far.
    pub attempts: u32,
    /// Attempts that ended with a plugin's rejection; never reset while the Pod is pending.
    pub unschedulable_count: u32,
    /// Consecutive attempts that ended with an error.
    pub consecutive_errors: u32,
    /// The plugins that rejected it in its last attempt or in PreEnqueue; sorted.
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

    /// Records a plugin that rejects the Pod.
    pub(super) fn add_rejection(&mut self, plugin: &'static str) {
        if let Err(position) = self.rejected_by.binary_search(&plugin) {
            self.rejected_by.insert(position, plugin);
        }
    }
}
