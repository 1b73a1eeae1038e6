//! PrioritySort: Pods of higher priority are tried first.
//!
//! - **Extension point**: QueueSort.
//! - **Why**: important Pods should not wait behind others when resources are scarce.
//! - **Example**: priority 1000 before priority 0; at equal priority, the Pod that has waited longer.
//! - **Upstream**: `plugins/queuesort`, v1.34.

use std::cmp::Ordering;

use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{QueueSort, extends};

/// The plugin.
pub struct PrioritySort;

extends!(PrioritySort: QueueSort);

impl QueueSort for PrioritySort {
    fn compare(&self, a: &PodInfo, b: &PodInfo) -> Ordering {
        b.priority().cmp(&a.priority())
    }
}
