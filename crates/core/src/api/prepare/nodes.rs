//! Nodes as set up by the kubelet and the node controllers.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Node, NodeSpec, Taint};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::resources::round_up_to_milli;

const HOSTNAME: &str = "kubernetes.io/hostname";
pub const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The kubelet's default for the maximum number of Pods.
const DEFAULT_PODS: &str = "110";

/// Sets the hostname label, capacity and allocatable, and the taint of a cordoned node.
///
/// Conditions add no taints: a scenario sets the taints it needs.
pub fn settle_node(node: &mut Node) {
    let name = node.metadata.name.clone().unwrap_or_default();
    node.metadata
        .labels
        .get_or_insert_default()
        .entry(HOSTNAME.to_owned())
        .or_insert(name);
    settle_resources(node);
    if let Some(spec) = &mut node.spec {
        taint_if_unschedulable(spec);
        if spec.taints.as_ref().is_some_and(Vec::is_empty) {
            spec.taints = None;
        }
    }
}

fn settle_resources(node: &mut Node) {
    let status = node.status.get_or_insert_default();
    let capacity = status.capacity.get_or_insert_default();
    let allocatable = status.allocatable.get_or_insert_default();
    round_up_to_milli(Some(capacity));
    round_up_to_milli(Some(allocatable));
    if capacity.is_empty() {
        capacity.clone_from(allocatable);
    } else if allocatable.is_empty() {
        allocatable.clone_from(capacity);
    }
    let pods = [&*allocatable, &*capacity]
        .into_iter()
        .find_map(|of| of.get("pods").cloned())
        .unwrap_or_else(|| Quantity(DEFAULT_PODS.to_owned()));
    set_pods(capacity, &pods);
    set_pods(allocatable, &pods);
}

fn set_pods(resources: &mut BTreeMap<String, Quantity>, pods: &Quantity) {
    resources
        .entry("pods".to_owned())
        .or_insert_with(|| pods.clone());
}

fn taint_if_unschedulable(spec: &mut NodeSpec) {
    let taints = spec.taints.get_or_insert_default();
    let has_taint = taints
        .iter()
        .any(|taint| taint.key == UNSCHEDULABLE && taint.effect == "NoSchedule");
    if spec.unschedulable == Some(true) && !has_taint {
        taints.push(Taint {
            key: UNSCHEDULABLE.to_owned(),
            effect: "NoSchedule".to_owned(),
            ..Taint::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn settled(node: Value) -> Value {
        let mut node: Node = serde_json::from_value(node).unwrap();
        settle_node(&mut node);
        serde_json::to_value(node).unwrap()
    }

    #[test]
    fn hostname_label_is_the_name_unless_given() {
        let node = settled(json!({"metadata": {"name": "n1"}}));
        assert_eq!(node["metadata"]["labels"][HOSTNAME], json!("n1"));
        let own = json!({"metadata": {"name": "n1", "labels": {HOSTNAME: "other"}}});
        assert_eq!(settled(own)["metadata"]["labels"][HOSTNAME], json!("other"));
    }

    #[test]
    fn capacity_and_allocatable_default_to_each_other_as_whole_maps() {
        let node =
            settled(json!({"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}}}));
        assert_eq!(
            node["status"]["allocatable"],
            json!({"cpu": "4", "pods": "110"})
        );
        let node =
            settled(json!({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "3"}}}));
        assert_eq!(
            node["status"]["capacity"],
            json!({"cpu": "3", "pods": "110"})
        );
        let both = json!({"metadata": {"name": "n"},
            "status": {"capacity": {"cpu": "4", "memory": "1Gi"}, "allocatable": {"cpu": "3"}}});
        assert_eq!(
            settled(both)["status"]["allocatable"],
            json!({"cpu": "3", "pods": "110"})
        );
    }

    #[test]
    fn pods_default_to_the_other_map_or_110() {
        let node = settled(json!({"metadata": {"name": "n"}}));
        assert_eq!(node["status"]["allocatable"], json!({"pods": "110"}));
        let one = json!({"metadata": {"name": "n"},
            "status": {"capacity": {"cpu": "4", "pods": "5"}, "allocatable": {"cpu": "3"}}});
        assert_eq!(settled(one)["status"]["allocatable"]["pods"], json!("5"));
    }

    #[test]
    fn an_unschedulable_node_is_tainted_once() {
        let taint = json!({"key": UNSCHEDULABLE, "effect": "NoSchedule"});
        let node = json!({"metadata": {"name": "n"}, "spec": {"unschedulable": true}});
        assert_eq!(settled(node)["spec"]["taints"], json!([taint]));
        let tainted = json!({"metadata": {"name": "n"},
            "spec": {"unschedulable": true, "taints": [taint]}});
        assert_eq!(settled(tainted)["spec"]["taints"], json!([taint]));
        let free = json!({"metadata": {"name": "n"}, "spec": {"taints": []}});
        assert_eq!(settled(free)["spec"]["taints"], Value::Null);
    }
}
