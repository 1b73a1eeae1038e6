//! Pods of one owner with the same images are spread evenly over the nodes that they may run on
//! (`pkg/framework/plugins/removeduplicates`: `Balance`, `getTargetNodes`).

use std::collections::{BTreeMap, BTreeSet};

use berth_core::api::meta::{name_of, namespace_or_default, owners_of};
use berth_core::api::prepare::node_fit::accepts_labels;
use k8s_openapi::api::core::v1::{Node, PodSpec};

use super::args::RemoveDuplicatesArgs;
use super::caches::{Listed, Lists};
use super::default_evictor::DefaultEvictor;
use super::evictions::{EvictionError, PodEvictor};
use super::node_fit;

/// An owner, and the images of its Pods (`podOwner`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Owner<'a> {
    namespace: &'a str,
    kind: &'a str,
    name: &'a str,
    images: String,
}

/// The Pods that are not the first of their kind on a node.
#[derive(Default)]
struct Duplicates<'a> {
    by_owner: BTreeMap<Owner<'a>, BTreeMap<&'a str, Vec<&'a Listed<'a>>>>,
    /// Number of Pods of each owner, first ones included.
    occurrences: BTreeMap<Owner<'a>, usize>,
}

pub(super) fn balance(
    args: &RemoveDuplicatesArgs,
    lists: &Lists<'_>,
    nodes: &[&Node],
    evictor: &DefaultEvictor<'_>,
    pod_evictor: &mut PodEvictor<'_>,
) {
    let mut duplicates = Duplicates::default();
    for node in nodes {
        let pods = lists.pods_on(name_of(&node.metadata)).iter();
        let candidates = pods.filter(|pod| {
            args.includes(namespace_or_default(&pod.pod.metadata))
                && evictor.filter(pod)
                && evictor.pre_eviction_filter(pod)
        });
        duplicates.add_node(name_of(&node.metadata), candidates, args);
    }
    for (owner, on_nodes) in &duplicates.by_owner {
        let targets = target_nodes(on_nodes.values().flatten(), nodes);
        if targets < 2 {
            continue;
        }
        let all = duplicates.occurrences.get(owner).copied().unwrap_or(0);
        let most = all.div_ceil(targets);
        for pods in on_nodes.values() {
            // The first Pod of the node is not among them.
            for pod in pods.iter().skip(most.saturating_sub(1)) {
                match pod_evictor.evict(pod) {
                    Err(EvictionError::NodeLimit) => break,
                    Err(EvictionError::TotalLimit) => return,
                    Ok(()) | Err(EvictionError::NamespaceLimit | EvictionError::Refused) => {}
                }
            }
        }
    }
}

impl<'a> Duplicates<'a> {
    fn add_node(
        &mut self,
        node: &'a str,
        pods: impl Iterator<Item = &'a Listed<'a>>,
        args: &RemoveDuplicatesArgs,
    ) {
        // What tells Pods apart: the pairs of their owners and images.
        let mut known: BTreeSet<Vec<(&str, &str, &str, &str)>> = BTreeSet::new();
        for listed in pods {
            let owners = owners_of(&listed.pod.metadata);
            let is_excluded = |kind: &String| args.exclude_owner_kinds.contains(kind);
            if owners.is_empty() || owners.iter().any(|owner| is_excluded(&owner.kind)) {
                continue;
            }
            let namespace = namespace_or_default(&listed.pod.metadata);
            let containers = listed.spec.containers.iter();
            let mut images: Vec<&str> = containers
                .map(|container| container.image.as_deref().unwrap_or_default())
                .collect();
            images.sort_unstable();
            let mut keys = Vec::new();
            let mut own = Vec::new();
            for owner in owners {
                let (kind, name) = (owner.kind.as_str(), owner.name.as_str());
                own.push(Owner {
                    namespace,
                    kind,
                    name,
                    images: images.join("#"),
                });
                keys.extend(images.iter().map(|image| (namespace, kind, name, *image)));
            }
            keys.sort_unstable();
            for owner in &own {
                *self.occurrences.entry(owner.clone()).or_default() += 1;
            }
            if !known.insert(keys) {
                for owner in own {
                    let on_nodes = self.by_owner.entry(owner).or_default();
                    on_nodes.entry(node).or_default().push(listed);
                }
            }
        }
    }
}

/// Number of nodes on which one of the Pods may run, by taints, node selector and required node affinity; a Pod that may
/// run on one node alone does not count.
fn target_nodes<'a>(pods: impl Iterator<Item = &'a &'a Listed<'a>>, nodes: &[&Node]) -> usize {
    let mut targets: BTreeSet<&str> = BTreeSet::new();
    let mut seen: Vec<&PodSpec> = Vec::new();
    for listed in pods {
        let spec = listed.spec;
        let is_alike = |other: &&PodSpec| {
            let affinity = |spec: &PodSpec| spec.affinity.clone().and_then(|it| it.node_affinity);
            other.tolerations == spec.tolerations
                && other.node_selector == spec.node_selector
                && affinity(other) == affinity(spec)
        };
        if seen.iter().any(is_alike) {
            continue;
        }
        seen.push(spec);
        let fits =
            |node: &&&Node| node_fit::tolerates_node(spec, node) && accepts_labels(spec, node);
        let matching: Vec<&str> = nodes
            .iter()
            .filter(fits)
            .map(|it| name_of(&it.metadata))
            .collect();
        if matching.len() > 1 {
            targets.extend(matching);
        }
    }
    targets.len()
}
