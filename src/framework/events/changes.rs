//! From an update of an object to the events that it is (`PodSchedulingPropertiesChange` and
//! `NodeSchedulingPropertiesChange` of kube-scheduler v1.34), in upstream's order.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeCondition, NodeStatus};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use super::{ActionType, ClusterEvent, Resource};
use crate::api::quantity::Quantity;
use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::resources::Resources;

/// What an update of a Pod is, at least one event. `cluster` knows the specs of both.
pub fn pod_changes(cluster: &Cluster, old: &PodInfo, new: &PodInfo) -> Vec<ClusterEvent> {
    let resource = if new.object.node_name.is_some() {
        Resource::AssignedPod
    } else {
        Resource::UnschedulablePod
    };
    let (old_spec, new_spec) = (&old.object.template.spec, &new.object.template.spec);
    let gates = |gates: &Option<Vec<_>>| gates.as_ref().map_or(0, Vec::len);
    let tolerations = |tolerations: &Option<Vec<_>>| tolerations.as_ref().map_or(0, Vec::len);
    let requests = |pod: &PodInfo| &cluster.spec_of(pod).request;
    let happened = [
        (
            ActionType::UPDATE_POD_LABEL,
            old.object.template.labels != new.object.template.labels,
        ),
        (
            ActionType::UPDATE_POD_SCALE_DOWN,
            is_scaled_down(requests(old), requests(new)),
        ),
        (
            ActionType::UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            gates(&old_spec.scheduling_gates) > 0 && gates(&new_spec.scheduling_gates) == 0,
        ),
        (
            ActionType::UPDATE_POD_TOLERATION,
            tolerations(&old_spec.tolerations) != tolerations(&new_spec.tolerations),
        ),
    ];
    let events = happened.into_iter().filter(|(_, is_so)| *is_so);
    let mut events: Vec<ClusterEvent> = events
        .map(|(action, _)| ClusterEvent::new(resource, action))
        .collect();
    if events.is_empty() {
        events.push(ClusterEvent::new(resource, ActionType::UPDATE));
    }
    events
}

/// Whether any request is lower or gone.
fn is_scaled_down(old: &Resources, new: &Resources) -> bool {
    new.milli_cpu < old.milli_cpu
        || new.memory_bytes < old.memory_bytes
        || new.ephemeral_storage_bytes < old.ephemeral_storage_bytes
        || old
            .scalars
            .iter()
            .any(|(name, amount)| new.scalar(name).is_none_or(|now| now < *amount))
}

/// What an update of a node is; possibly nothing that scheduling cares for.
pub fn node_changes(old: &NodeInfo, new: &NodeInfo) -> Vec<ClusterEvent> {
    let status = |node: &NodeInfo| node.object.status.clone().unwrap_or_default();
    let (old_status, new_status) = (status(old), status(new));
    let annotations = |node: &NodeInfo| {
        let annotations = node.object.metadata.annotations.clone();
        annotations.unwrap_or_default()
    };
    let happened = [
        (
            ActionType::UPDATE_NODE_TAINT,
            old.unschedulable && !new.unschedulable,
        ),
        (
            ActionType::UPDATE_NODE_ALLOCATABLE,
            amounts(&old_status) != amounts(&new_status),
        ),
        (ActionType::UPDATE_NODE_LABEL, old.labels != new.labels),
        (ActionType::UPDATE_NODE_TAINT, old.taints != new.taints),
        (
            ActionType::UPDATE_NODE_CONDITION,
            conditions(&old_status) != conditions(&new_status),
        ),
        (
            ActionType::UPDATE_NODE_ANNOTATION,
            annotations(old) != annotations(new),
        ),
    ];
    let events = happened.into_iter().filter(|(_, is_so)| *is_so);
    events
        .map(|(action, _)| ClusterEvent::new(Resource::Node, action))
        .collect()
}

/// Allocatable amounts by their value: `1` and `1000m` are the same.
fn amounts(status: &NodeStatus) -> BTreeMap<&str, Option<i128>> {
    let amount = |quantity: &ApiQuantity| Some(Quantity::parse(&quantity.0).ok()?.nanos());
    let allocatable = status.allocatable.iter().flatten();
    let mut amounts = BTreeMap::new();
    for (name, quantity) in allocatable {
        amounts.insert(name.as_str(), amount(quantity));
    }
    amounts
}

/// The status of each condition; times and messages do not matter.
fn conditions(status: &NodeStatus) -> BTreeMap<&str, &str> {
    let mut statuses = BTreeMap::new();
    for NodeCondition { type_, status, .. } in status.conditions.iter().flatten() {
        statuses.insert(type_.as_str(), status.as_str());
    }
    statuses
}
