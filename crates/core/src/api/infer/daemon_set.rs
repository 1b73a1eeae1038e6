//! A DaemonSet, inferred from its Pods: its controller makes Pods for added nodes.
//!
//! Node selector and tolerations are in the Pods; the required node affinity is not, as the controller replaces it when
//! it pins a Pod to its node. What the nodes without a Pod have in common stands in for it.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy};
use k8s_openapi::api::core::v1::{
    Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec, PodTemplateSpec,
};

use crate::api::meta::{is_from_cluster, name_of};
use crate::api::object::Manifest;
use crate::api::prepare::node_fit::{
    Daemon, NODE_NAME_FIELD, add_daemon_tolerations, daemon_fits, target_node,
};
use crate::api::workloads::REVISION_HASH;

use super::owner::{Family, selecting};

/// Labels that the controller sets on each Pod.
const OF_REVISION: [&str; 2] = [REVISION_HASH, "pod-template-generation"];
const HOSTNAME: &str = "kubernetes.io/hostname";

impl Family<'_> {
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn daemon_set(&self, mut template: PodTemplateSpec, nodes: &[&Node]) -> Manifest {
        let labels = self.shared_labels(&OF_REVISION);
        template.metadata.get_or_insert_default().labels = Some(labels.clone());
        let spec = template.spec.get_or_insert_default();
        unpin(spec);
        let specs = self.pods.iter().filter_map(|pod| pod.spec.as_ref());
        let used: BTreeSet<&str> = specs.filter_map(target_node).collect();
        confine(spec, &used, nodes);
        Manifest::DaemonSet(Box::new(DaemonSet {
            metadata: self.metadata(Some(labels.clone())),
            spec: Some(DaemonSetSpec {
                selector: selecting(labels),
                template,
                // Its Pods are of a revision that is not known, and stay until they are deleted.
                update_strategy: Some(DaemonSetUpdateStrategy {
                    type_: Some("OnDelete".to_owned()),
                    ..DaemonSetUpdateStrategy::default()
                }),
                ..DaemonSetSpec::default()
            }),
            status: None,
        }))
    }
}

/// Removes the affinity with which the controller pins a Pod to its node.
fn unpin(spec: &mut PodSpec) {
    let node = spec.node_name.take();
    if target_node(spec).is_some()
        && let Some(affinity) = &mut spec.affinity
        && let Some(of_nodes) = &mut affinity.node_affinity
    {
        of_nodes.required_during_scheduling_ignored_during_execution = None;
    }
    spec.node_name = node;
}

/// Excludes the dumped nodes that have no Pod although it could run there: by a label if one tells them from those that
/// have one, otherwise by name. A node that was added since proves nothing.
fn confine(spec: &mut PodSpec, used: &BTreeSet<&str>, nodes: &[&Node]) {
    let mut daemon = spec.clone();
    add_daemon_tolerations(&mut daemon);
    let (with, without): (Vec<&Node>, Vec<&Node>) = nodes
        .iter()
        .filter(|node| daemon_fits(&daemon, node) == Daemon::ShouldRun)
        .filter(|node| is_from_cluster(&node.metadata) || used.contains(name_of(&node.metadata)))
        .partition(|node| used.contains(name_of(&node.metadata)));
    if without.is_empty() {
        return;
    }
    let term = match telling_label(&with, &without) {
        Some(required) => NodeSelectorTerm {
            match_expressions: Some(vec![required]),
            match_fields: None,
        },
        None => NodeSelectorTerm {
            match_expressions: None,
            match_fields: Some(without.iter().map(|node| other_than(node)).collect()),
        },
    };
    let affinity = spec.affinity.get_or_insert_default();
    let of_nodes = affinity.node_affinity.get_or_insert_default();
    of_nodes.required_during_scheduling_ignored_during_execution = Some(NodeSelector {
        node_selector_terms: vec![term],
    });
}

fn other_than(node: &Node) -> NodeSelectorRequirement {
    NodeSelectorRequirement {
        key: NODE_NAME_FIELD.to_owned(),
        operator: "NotIn".to_owned(),
        values: Some(vec![name_of(&node.metadata).to_owned()]),
    }
}

/// The label with the fewest values that all nodes `with` a Pod have and no other has, or the other way round.
fn telling_label(with: &[&Node], without: &[&Node]) -> Option<NodeSelectorRequirement> {
    let of_one = |a: &[&Node], b: &[&Node], operator: &str| {
        let keys = a.first()?.metadata.labels.as_ref()?.keys();
        let keys = keys.filter(|key| *key != HOSTNAME);
        let telling = keys.filter_map(|key| {
            let values: Option<BTreeSet<&str>> = a.iter().map(|it| label(it, key)).collect();
            let values = values?;
            let mut others = b.iter().filter_map(|it| label(it, key));
            (!others.any(|value| values.contains(value))).then_some((key, values))
        });
        let (key, values) = telling.min_by_key(|(_, values)| values.len())?;
        Some(NodeSelectorRequirement {
            key: key.clone(),
            operator: operator.to_owned(),
            values: Some(values.into_iter().map(str::to_owned).collect()),
        })
    };
    of_one(with, without, "In").or_else(|| of_one(without, with, "NotIn"))
}

fn label<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.metadata.labels.as_ref()?.get(key).map(String::as_str)
}
