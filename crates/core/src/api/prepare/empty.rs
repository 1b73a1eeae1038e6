//! Turns empty lists and maps into absent ones.
//!
//! The API server stores objects as protobuf, which does not distinguish the two, and the scheduler
//! relies on it: it treats `nodeSelector: {}` as no selector. Messages differ: `labelSelector: {}`
//! is present and empty.

use k8s_openapi::api::core::v1::{
    Affinity, NodeSelector, NodeSelectorTerm, PodAffinityTerm, PodSpec, TopologySpreadConstraint,
    WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

/// A field that can be empty.
trait Emptiness {
    fn is_empty(&self) -> bool;
}

impl<T> Emptiness for Vec<T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Emptiness for std::collections::BTreeMap<K, V> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl Emptiness for String {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

fn drop_empty<T: Emptiness>(field: &mut Option<T>) {
    if field.as_ref().is_some_and(Emptiness::is_empty) {
        *field = None;
    }
}

/// Removes every empty list, map or text that scheduling reads from a Pod's spec.
pub(super) fn drop_empty_fields(spec: &mut PodSpec) {
    drop_empty(&mut spec.node_selector);
    drop_empty(&mut spec.node_name);
    drop_empty(&mut spec.priority_class_name);
    drop_empty(&mut spec.runtime_class_name);
    drop_empty(&mut spec.overhead);
    drop_empty(&mut spec.init_containers);
    drop_empty(&mut spec.ephemeral_containers);
    drop_empty(&mut spec.volumes);
    drop_empty(&mut spec.resource_claims);
    drop_empty(&mut spec.scheduling_gates);
    drop_empty(&mut spec.tolerations);
    drop_empty(&mut spec.topology_spread_constraints);
    for container in spec
        .containers
        .iter_mut()
        .chain(spec.init_containers.iter_mut().flatten())
    {
        drop_empty(&mut container.ports);
        if let Some(resources) = &mut container.resources {
            drop_empty(&mut resources.limits);
            drop_empty(&mut resources.requests);
        }
    }
    if let Some(resources) = &mut spec.resources {
        drop_empty(&mut resources.limits);
        drop_empty(&mut resources.requests);
    }
    for constraint in spec.topology_spread_constraints.iter_mut().flatten() {
        in_constraint(constraint);
    }
    if let Some(affinity) = &mut spec.affinity {
        in_affinity(affinity);
    }
}

fn in_constraint(constraint: &mut TopologySpreadConstraint) {
    drop_empty(&mut constraint.match_label_keys);
    in_label_selector(&mut constraint.label_selector);
}

fn in_affinity(affinity: &mut Affinity) {
    if let Some(node) = &mut affinity.node_affinity {
        drop_empty(&mut node.preferred_during_scheduling_ignored_during_execution);
        if let Some(required) = &mut node.required_during_scheduling_ignored_during_execution {
            in_node_selector(required);
        }
        for preferred in node
            .preferred_during_scheduling_ignored_during_execution
            .iter_mut()
            .flatten()
        {
            in_node_selector_term(&mut preferred.preference);
        }
    }
    if let Some(pod) = &mut affinity.pod_affinity {
        in_pod_terms(
            &mut pod.required_during_scheduling_ignored_during_execution,
            &mut pod.preferred_during_scheduling_ignored_during_execution,
        );
    }
    if let Some(pod) = &mut affinity.pod_anti_affinity {
        in_pod_terms(
            &mut pod.required_during_scheduling_ignored_during_execution,
            &mut pod.preferred_during_scheduling_ignored_during_execution,
        );
    }
}

fn in_pod_terms(
    required: &mut Option<Vec<PodAffinityTerm>>,
    preferred: &mut Option<Vec<WeightedPodAffinityTerm>>,
) {
    drop_empty(required);
    drop_empty(preferred);
    let preferred = preferred
        .iter_mut()
        .flatten()
        .map(|term| &mut term.pod_affinity_term);
    for term in required.iter_mut().flatten().chain(preferred) {
        drop_empty(&mut term.match_label_keys);
        drop_empty(&mut term.mismatch_label_keys);
        drop_empty(&mut term.namespaces);
        in_label_selector(&mut term.label_selector);
        in_label_selector(&mut term.namespace_selector);
    }
}

/// Removes the empty lists inside a node selector; the selector and its terms stay.
pub(super) fn in_node_selector(selector: &mut NodeSelector) {
    for term in &mut selector.node_selector_terms {
        in_node_selector_term(term);
    }
}

fn in_node_selector_term(term: &mut NodeSelectorTerm) {
    drop_empty(&mut term.match_expressions);
    drop_empty(&mut term.match_fields);
    for requirement in term
        .match_expressions
        .iter_mut()
        .flatten()
        .chain(term.match_fields.iter_mut().flatten())
    {
        drop_empty(&mut requirement.values);
    }
}

fn in_label_selector(selector: &mut Option<LabelSelector>) {
    let Some(selector) = selector else { return };
    drop_empty(&mut selector.match_labels);
    drop_empty(&mut selector.match_expressions);
    for requirement in selector.match_expressions.iter_mut().flatten() {
        drop_empty(&mut requirement.values);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_maps_and_lists_become_absent_but_empty_messages_stay() {
        let mut spec: PodSpec = serde_json::from_value(json!({
            "containers": [{"name": "a", "ports": [], "resources": {"limits": {}}}],
            "nodeSelector": {}, "tolerations": [], "nodeName": "",
            "affinity": {
                "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []},
                "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "zone", "labelSelector": {"matchLabels": {}}, "namespaces": [],
                     "namespaceSelector": {}},
                ]},
            },
        }))
        .unwrap();
        drop_empty_fields(&mut spec);
        assert_eq!(
            serde_json::to_value(&spec).unwrap(),
            json!({
                "containers": [{"name": "a", "resources": {}}],
                "affinity": {
                    "nodeAffinity": {},
                    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {}},
                    ]},
                },
            })
        );
    }
}
