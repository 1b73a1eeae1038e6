//! Scores from requested and allocatable amounts, shared by both resource plugins.

use crate::cluster::node::NodeInfo;
use crate::cluster::resources::{Resources, is_scalar};
use crate::plugins::helpers::MAX_NODE_SCORE;

/// A resource that is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedResource {
    pub name: String,
    pub weight: i64,
}

/// The requests that count on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The Pods' requests.
    Requested,
    /// The same, with defaults for containers without CPU or memory requests.
    NonZero,
}

/// The requested amount of one resource, including the Pod, and the allocatable amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub requested: i64,
    pub allocatable: i64,
    /// The Pod's share of `requested`.
    pub asked: i64,
}

impl Load {
    /// The amount requested without the Pod.
    pub fn before(&self) -> i64 {
        self.requested.wrapping_sub(self.asked)
    }
}

/// The load of one resource (`calculateResourceAllocatableRequest`). If the node lacks the resource,
/// or it is scalar and the Pod does not request it, the allocatable amount is 0: it is not scored.
pub fn load(node: &NodeInfo, request: &Resources, resource: &str, basis: Basis) -> Load {
    let asked = request.get(resource);
    let with = |requested: i64, allocatable: i64| Load {
        requested: requested.wrapping_add(asked),
        allocatable,
        asked,
    };
    let (milli_cpu, memory_bytes) = match basis {
        Basis::Requested => (node.requested.milli_cpu, node.requested.memory_bytes),
        Basis::NonZero => node.non_zero_requested,
    };
    match resource {
        "cpu" => with(milli_cpu, node.allocatable.milli_cpu),
        "memory" => with(memory_bytes, node.allocatable.memory_bytes),
        "ephemeral-storage" => with(
            node.requested.ephemeral_storage_bytes,
            node.allocatable.ephemeral_storage_bytes,
        ),
        _ if asked == 0 && is_scalar(resource) => Load {
            requested: 0,
            allocatable: 0,
            asked,
        },
        _ => match node.allocatable.scalar(resource) {
            Some(allocatable) => with(node.requested.scalar(resource).unwrap_or(0), allocatable),
            None => Load {
                requested: 0,
                allocatable: 0,
                asked,
            },
        },
    }
}

/// The free share of the resource, 0–100.
pub fn least_allocated(load: Load) -> i64 {
    if load.allocatable == 0 || load.requested > load.allocatable {
        return 0;
    }
    share(
        load.allocatable.wrapping_sub(load.requested),
        load.allocatable,
    )
}

/// The requested share of the resource, 0–100.
pub fn most_allocated(load: Load) -> i64 {
    if load.allocatable == 0 {
        return 0;
    }
    share(load.requested.min(load.allocatable), load.allocatable)
}

/// `part` of `whole` in percent, truncated. For amounts near the end of `i64` (from 80 PiB) the
/// product wraps, as upstream's does.
fn share(part: i64, whole: i64) -> i64 {
    part.wrapping_mul(MAX_NODE_SCORE).wrapping_div(whole)
}

/// A point of `requestedToCapacityRatio.shape`: utilization 0–100, score 0–100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapePoint {
    pub utilization: i64,
    pub score: i64,
}

/// The shape's score at this utilization.
pub fn on_shape(shape: &[ShapePoint], load: Load) -> i64 {
    let full = load.allocatable == 0 || load.requested > load.allocatable;
    let utilization = if full {
        100
    } else {
        share(load.requested, load.allocatable)
    };
    let Some(position) = shape
        .iter()
        .position(|point| utilization <= point.utilization)
    else {
        return shape.last().map_or(0, |point| point.score);
    };
    let to = shape[position];
    let Some(from) = position.checked_sub(1).map(|previous| shape[previous]) else {
        return to.score;
    };
    let rise = (to.score - from.score) * (utilization - from.utilization);
    from.score + rise / (to.utilization - from.utilization).max(1)
}
