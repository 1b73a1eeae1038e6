//! DaemonSets: one Pod for each node that it may run on.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::{
    Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Taint, Toleration,
};

use crate::api::prepared::DocumentIndex;
use crate::base::sort;

use super::super::meta::name_of;
use super::super::nodes::UNSCHEDULABLE;
use super::super::random::template_hash;
use super::super::tolerations::{NOT_READY, UNREACHABLE};
use super::{Controllers, Owner, REVISION_HASH, node_selector};

/// The field that pins a Pod to its node.
const NODE_NAME_FIELD: &str = "metadata.name";
const GENERATION_LABEL: &str = "pod-template-generation";
const GENERATION_ANNOTATION: &str = "deprecated.daemonset.template.generation";

/// Troubles of a node that daemons live through, with the effect that they tolerate.
const TROUBLES: [(&str, &str); 6] = [
    (NOT_READY, "NoExecute"),
    (UNREACHABLE, "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    (UNSCHEDULABLE, "NoSchedule"),
];
/// Only Pods on the host's network do not need the node's own.
const NETWORK_TROUBLE: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

impl Controllers<'_> {
    pub(super) fn sync_daemon_set(&mut self, set: &DaemonSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        let mut request = owner.request(&spec.template);
        let annotations = set.metadata.annotations.as_ref();
        let generation = annotations
            .and_then(|all| all.get(GENERATION_ANNOTATION))
            .cloned();
        request
            .labels
            .insert(REVISION_HASH.to_owned(), template_hash(&spec.template));
        request.labels.insert(
            GENERATION_LABEL.to_owned(),
            generation.unwrap_or_else(|| "1".into()),
        );
        tolerate_troubles(&mut request.spec);

        let owned = self.owned.of(&owner.namespace, &owner.reference);
        let alive = owned
            .into_iter()
            .filter(|pod| !pod.succeeded && !pod.failed);
        let present: BTreeSet<String> = sort::gather(alive.filter_map(|pod| pod.node.clone()));
        let nodes = self.world.nodes.iter();
        let missing: Vec<String> = nodes
            .filter(|node| should_run(&request.spec, node))
            .map(|node| name_of(&node.metadata).to_owned())
            .filter(|node| !present.contains(node))
            .collect();

        let base = format!("{}-", owner.reference.name);
        let mut suffixes = owner.suffixes();
        for node in missing {
            let mut request = request.clone();
            pin_to(&mut request.spec, &node);
            let Ok(template) = self.admit(&owner, &base, request) else {
                return;
            };
            let name = self.free_name(&owner, &base, &mut suffixes);
            if self.create(&owner, name, &template).is_err() {
                return;
            }
        }
    }
}

/// Adds the tolerations that every daemon has, in place of one that says the same otherwise.
fn tolerate_troubles(spec: &mut PodSpec) {
    let network = (spec.host_network == Some(true)).then_some(NETWORK_TROUBLE);
    let tolerations = spec.tolerations.get_or_insert_default();
    for (key, effect) in TROUBLES.into_iter().chain(network) {
        let toleration = Toleration {
            key: Some(key.to_owned()),
            operator: Some("Exists".to_owned()),
            effect: Some(effect.to_owned()),
            ..Toleration::default()
        };
        // The same but for the seconds: daemons stay for good.
        let same = tolerations.iter_mut().find(|own| {
            let forever = Toleration {
                toleration_seconds: None,
                ..(*own).clone()
            };
            forever == toleration
        });
        match same {
            Some(same) => *same = toleration,
            None => tolerations.push(toleration),
        }
    }
}

/// Whether a daemon belongs on the node (`NodeShouldRunDaemonPod`): the name, the node selector,
/// the required affinity, and the taints that keep Pods off or drive them away.
fn should_run(spec: &PodSpec, node: &Node) -> bool {
    let name = name_of(&node.metadata);
    let given = spec.node_name.as_deref().unwrap_or_default();
    let labels = node.metadata.labels.clone().unwrap_or_default();
    let required = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| {
            affinity
                .required_during_scheduling_ignored_during_execution
                .as_ref()
        });
    (given.is_empty() || given == name)
        && spec
            .node_selector
            .iter()
            .flatten()
            .all(|(key, value)| labels.get(key) == Some(value))
        && required.is_none_or(|required| node_selector::matches(required, &labels, name))
        && taints(node)
            .filter(|taint| taint.effect == "NoSchedule" || taint.effect == "NoExecute")
            .all(|taint| {
                spec.tolerations
                    .iter()
                    .flatten()
                    .any(|own| tolerates(own, taint))
            })
}

fn taints(node: &Node) -> impl Iterator<Item = &Taint> {
    node.spec
        .iter()
        .flat_map(|spec| spec.taints.iter().flatten())
}

/// `Toleration.ToleratesTaint` of core/v1.
fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let text = |field: &'_ Option<String>| field.clone().unwrap_or_default();
    let (key, effect) = (text(&toleration.key), text(&toleration.effect));
    let fits =
        (effect.is_empty() || effect == taint.effect) && (key.is_empty() || key == taint.key);
    fits && match text(&toleration.operator).as_str() {
        "Exists" => true,
        "" | "Equal" => text(&toleration.value) == text(&taint.value),
        _ => false,
    }
}

/// Replaces the required node affinity: the controller has judged it, the scheduler gets the node.
fn pin_to(spec: &mut PodSpec, node: &str) {
    let affinity = spec
        .affinity
        .get_or_insert_default()
        .node_affinity
        .get_or_insert_default();
    affinity.required_during_scheduling_ignored_during_execution = Some(NodeSelector {
        node_selector_terms: vec![NodeSelectorTerm {
            match_fields: Some(vec![NodeSelectorRequirement {
                key: NODE_NAME_FIELD.to_owned(),
                operator: "In".to_owned(),
                values: Some(vec![node.to_owned()]),
            }]),
            match_expressions: None,
        }],
    });
}

/// The node that a Pod runs on or is pinned to (`GetTargetNodeName`).
pub(super) fn target_node(spec: &PodSpec) -> Option<String> {
    if let Some(node) = spec.node_name.as_ref().filter(|node| !node.is_empty()) {
        return Some(node.clone());
    }
    let affinity = spec.affinity.as_ref()?.node_affinity.as_ref()?;
    let required = affinity
        .required_during_scheduling_ignored_during_execution
        .as_ref()?;
    let fields = required
        .node_selector_terms
        .iter()
        .flat_map(|term| term.match_fields.iter().flatten());
    let mut names = fields.filter(|field| field.key == NODE_NAME_FIELD && field.operator == "In");
    names.find_map(|field| match field.values.as_deref() {
        Some([node]) => Some(node.clone()),
        _ => None,
    })
}
