//! Splits the update of an object into events (`PodSchedulingPropertiesChange` and
//! `NodeSchedulingPropertiesChange` of kube-scheduler v1.34), in upstream's order.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeCondition, NodeStatus};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use super::{ActionType, ClusterEvent, Resource};
use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::resources::Resources;
use berth_base::quantity::Quantity;

/// The events of a Pod's update, at least one. `cluster` holds the specs of both versions.
pub fn pod_changes(cluster: &Cluster, old: &PodInfo, new: &PodInfo) -> Vec<ClusterEvent> {
    let resource = if new.object.node_name.is_some() {
        Resource::AssignedPod
    } else {
        Resource::UnschedulablePod
    };
    let (old_spec, new_spec) = (&old.object.template.spec, &new.object.template.spec);
    let gates = |gates: &Option<Vec<_>>| gates.as_ref().map_or(0, Vec::len);
    let tolerations = |tolerations: &Option<Vec<_>>| tolerations.as_ref().map_or(0, Vec::len);
    let requests = |pod: &PodInfo| &cluster.spec_of(pod).counted;
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
        (
            ActionType::UPDATE_POD_GENERATED_RESOURCE_CLAIM,
            old.object.claim_names != new.object.claim_names,
        ),
    ];
    let mut events: Vec<ClusterEvent> = happened
        .into_iter()
        .filter(|(_, is_so)| *is_so)
        .map(|(action, _)| ClusterEvent::new(resource, action))
        .collect();
    if events.is_empty() {
        events.push(ClusterEvent::new(resource, ActionType::UPDATE));
    }
    events
}

/// Whether any request decreased or was removed.
fn is_scaled_down(old: &Resources, new: &Resources) -> bool {
    new.milli_cpu < old.milli_cpu
        || new.memory_bytes < old.memory_bytes
        || new.ephemeral_storage_bytes < old.ephemeral_storage_bytes
        || old
            .scalars
            .iter()
            .any(|(name, amount)| new.scalar(name).is_none_or(|now| now < *amount))
}

/// The events of a node's update; empty if nothing relevant to scheduling changed.
pub fn node_changes(old: &NodeInfo, new: &NodeInfo) -> Vec<ClusterEvent> {
    let status = |node: &NodeInfo| node.object.status.clone().unwrap_or_default();
    let (old_status, new_status) = (status(old), status(new));
    let annotations =
        |node: &NodeInfo| node.object.metadata.annotations.clone().unwrap_or_default();
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
        (
            ActionType::UPDATE_NODE_DECLARED_FEATURE,
            old_status.declared_features != new_status.declared_features,
        ),
    ];
    happened
        .into_iter()
        .filter(|(_, is_so)| *is_so)
        .map(|(action, _)| ClusterEvent::new(Resource::Node, action))
        .collect()
}

/// Allocatable amounts by value: `1` and `1000m` are equal.
fn amounts(status: &NodeStatus) -> BTreeMap<&str, Option<i128>> {
    let amount = |quantity: &ApiQuantity| Some(Quantity::parse(&quantity.0).ok()?.nanos());
    let allocatable = status.allocatable.iter().flatten();
    let mut amounts = BTreeMap::new();
    for (name, quantity) in allocatable {
        amounts.insert(name.as_str(), amount(quantity));
    }
    amounts
}

/// The status of each condition, without times and messages.
fn conditions(status: &NodeStatus) -> BTreeMap<&str, &str> {
    let mut statuses = BTreeMap::new();
    for NodeCondition { type_, status, .. } in status.conditions.iter().flatten() {
        statuses.insert(type_.as_str(), status.as_str());
    }
    statuses
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::Pod;
    use serde_json::{Value, json};

    use super::{node_changes, pod_changes};
    use crate::cluster::event::Event;
    use crate::cluster::node::NodeInfo;
    use crate::cluster::pod::PodInfo;
    use crate::cluster::{Cluster, NodeIx};
    use crate::pod_object::{stored_pod, template_of};

    fn node(spec: Value, status: Value) -> NodeInfo {
        let object = json!({"metadata": {"name": "n"}, "spec": spec, "status": status});
        NodeInfo::new(
            NodeIx(0),
            Arc::new(serde_json::from_value(object).expect("a node")),
        )
    }

    fn changed(old: &NodeInfo, new: &NodeInfo) -> String {
        node_changes(old, new)
            .into_iter()
            .map(|event| event.to_string())
            .collect::<Vec<String>>()
            .join(" ")
    }

    #[test]
    fn uncordoning_a_node_reports_its_taint_twice() {
        let taint = json!([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]);
        let cordoned = node(json!({"unschedulable": true, "taints": taint}), json!({}));
        let open = node(json!({}), json!({}));
        let twice = "NodeUpdateNodeTaint NodeUpdateNodeTaint";
        assert_eq!(changed(&cordoned, &open), twice);
        assert_eq!(changed(&open, &cordoned), "NodeUpdateNodeTaint");
    }

    #[test]
    fn amounts_are_compared_by_value_and_conditions_by_status() {
        let with = |cpu: &str, status: &str, time: &str| {
            let conditions =
                json!([{"type": "Ready", "status": status, "lastHeartbeatTime": time}]);
            node(
                json!({}),
                json!({"allocatable": {"cpu": cpu}, "conditions": conditions}),
            )
        };
        let old = with("1", "True", "2025-01-01T00:00:00Z");
        assert_eq!(
            changed(&old, &with("1000m", "True", "2025-01-01T00:00:09Z")),
            ""
        );
        assert_eq!(
            changed(&old, &with("2", "False", "2025-01-01T00:00:00Z")),
            "NodeUpdateNodeAllocatable NodeUpdateNodeCondition"
        );
    }

    #[test]
    fn a_pod_can_change_in_several_ways_at_once() {
        let mut cluster = Cluster::default();
        let mut pod = |labels: Value, cpu: &str, gates: Value| -> PodInfo {
            let requests = json!({"requests": {"cpu": cpu}});
            let spec = json!({"schedulingGates": gates,
                "containers": [{"name": "c", "image": "i", "resources": requests}]});
            let meta = json!({"namespace": "default", "name": "p", "labels": labels});
            let pod = json!({"metadata": meta, "spec": spec});
            let pod: Pod = serde_json::from_value(pod).expect("a Pod");
            let object = stored_pod(&pod, Arc::new(template_of(&pod)));
            cluster.apply(Event::PodAdded(Box::new(object)));
            cluster.pods().find("default", "p").cloned().expect("added")
        };
        let old = pod(json!({}), "2", json!([{"name": "example.com/g"}]));
        let new = pod(json!({"a": "b"}), "1", json!([]));
        let more = pod(json!({"a": "b"}), "2", json!([]));
        let labels = |old, new| -> Vec<String> {
            pod_changes(&cluster, old, new)
                .into_iter()
                .map(|event| event.to_string())
                .collect()
        };
        assert_eq!(
            labels(&old, &new),
            [
                "UnschedulablePodUpdatePodLabel",
                "UnschedulablePodUpdatePodScaleDown",
                "UnschedulablePodUpdatePodSchedulingGatesEliminated",
            ]
        );
        // A larger request is not an event.
        assert_eq!(labels(&new, &more), ["UnschedulablePodUpdate"]);
    }
}
