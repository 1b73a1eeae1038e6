//! The labels that the admission plugin PodTopologyLabels adds to a Pod on a node.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Node;

use berth_scheduler::release::Release;
pub use berth_scheduler::topology_labels::{TOPOLOGY_LABELS, labels_on};

type Labels = BTreeMap<String, String>;

/// Adds a node's labels to those of a Pod on it.
pub fn add_topology_labels(release: &Release, labels: &mut Option<Labels>, node: &Node) {
    let none = Labels::new();
    let of_node = node.metadata.labels.as_ref().unwrap_or(&none);
    if let Some(changed) = labels_on(release, labels.as_ref().unwrap_or(&none), of_node) {
        *labels = Some(changed);
    }
}
