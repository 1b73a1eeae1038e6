//! Attempts on the timeline.

use berth_protocol::frame::{Mark, MarkKind};
use berth_scheduler::cluster::Cluster;
use berth_sim::run::{Attempt, Ending};

/// The mark of an attempt on the timeline.
pub fn mark(cluster: &Cluster, attempt: &Attempt) -> Mark {
    let nominated = match &attempt.ending {
        Ending::Unschedulable(unschedulable) => unschedulable.preemption.as_ref(),
        _ => None,
    };
    let nominated = nominated.map(|preemption| cluster.node(preemption.node).name.to_string());
    Mark {
        pod: attempt.key.clone(),
        node: attempt.node().map(|node| node.to_string()).or(nominated),
        ..Mark::plain(mark_kind(attempt))
    }
}

/// The kind of mark for the result of an attempt.
fn mark_kind(attempt: &Attempt) -> MarkKind {
    match &attempt.ending {
        Ending::Bound { .. } => MarkKind::Bound,
        Ending::Unschedulable(unschedulable) if unschedulable.preemption.is_some() => {
            MarkKind::Preempted
        }
        Ending::Unschedulable(_) => MarkKind::Failed,
        Ending::Error { .. } => MarkKind::Error,
    }
}
