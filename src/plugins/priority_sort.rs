//! PrioritySort: the Pod of higher priority is tried first.
//!
//! - **Extension point**: QueueSort.
//! - **Why**: important Pods should not wait behind others when room is scarce.
//! - **Example**: priority 1000 before priority 0; among equals the one that has waited longer.
//! - **Upstream**: `plugins/queuesort`, v1.34.

use std::cmp::Ordering;

use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Plugin, QueueSort};

/// The plugin.
pub struct PrioritySort;

impl Plugin for PrioritySort {
    fn name(&self) -> &'static str {
        "PrioritySort"
    }
    fn as_queue_sort(&self) -> Option<&dyn QueueSort> {
        Some(self)
    }
}

impl QueueSort for PrioritySort {
    fn compare(&self, one: &PodInfo, other: &PodInfo) -> Ordering {
        other.priority().cmp(&one.priority())
    }
}
