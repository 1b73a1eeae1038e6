//! Whether a Pod fits on a node as far as the descheduler looks (`NodeFit` of `pkg/descheduler/node`).

use berth_core::api::meta::{name_of, namespace_or_default};
use berth_core::api::prepare::node_fit::{
    accepts_labels, is_cordoned, taints, tolerates, tolerates_all,
};
use berth_scheduler::selector;
use k8s_openapi::api::core::v1::{Node, PodAffinityTerm, PodSpec};

use super::caches::{Listed, Lists, PODS, allocatable};

/// Whether the node says that it is ready, or says nothing of it (`IsReady`).
pub(super) fn is_ready(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|it| &it.conditions).flatten();
    let mut ready = conditions.filter(|condition| condition.type_ == "Ready");
    ready.all(|condition| condition.status == "True")
}

/// Whether the Pod would fit on another one of these nodes (`PodFitsAnyOtherNode`).
pub(super) fn fits_any_other(lists: &Lists<'_>, listed: &Listed<'_>, nodes: &[&Node]) -> bool {
    let own = listed.spec.node_name.as_deref().unwrap_or_default();
    let mut others = nodes.iter().filter(|node| name_of(&node.metadata) != own);
    others.any(|node| fits(lists, listed, node))
}

fn fits(lists: &Lists<'_>, listed: &Listed<'_>, node: &Node) -> bool {
    !is_cordoned(node)
        && accepts_labels(listed.spec, node)
        && tolerates_node(listed.spec, node)
        && !avoids_a_pod(lists, listed, node)
        && has_room(lists, listed, node)
}

/// Whether the Pod tolerates the taints that keep Pods away.
pub(super) fn tolerates_node(spec: &PodSpec, node: &Node) -> bool {
    tolerates_all(spec, node, &["NoSchedule", "NoExecute"])
}

/// Whether the Pod tolerates all taints of one of the nodes (`PodToleratesTaints`). A Pod with fewer tolerations than a
/// node has taints does not.
pub(super) fn tolerates_one_of(spec: &PodSpec, nodes: &[&Node]) -> bool {
    let tolerations = spec.tolerations.as_deref().unwrap_or_default();
    nodes.iter().any(|node| {
        tolerations.len() >= taints(node).count()
            && taints(node).all(|taint| tolerations.iter().any(|own| tolerates(own, taint)))
    })
}

/// Whether the Pod's required anti-affinity names a Pod on this node (`podMatchesInterPodAntiAffinity`). Other nodes of
/// the same domain are not looked at.
fn avoids_a_pod(lists: &Lists<'_>, listed: &Listed<'_>, node: &Node) -> bool {
    let affinity = listed.spec.affinity.as_ref();
    let affinity = affinity.and_then(|affinity| affinity.pod_anti_affinity.as_ref());
    let terms = affinity.and_then(|affinity| {
        affinity
            .required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    let has_label = |key: &String| {
        let labels = node.metadata.labels.as_ref();
        labels.is_some_and(|labels| labels.contains_key(key))
    };
    let mut terms = terms.into_iter().flatten();
    terms.any(|term| {
        let pods = lists.pods_on(name_of(&node.metadata));
        has_label(&term.topology_key) && pods.iter().any(|other| names(term, listed, other))
    })
}

fn names(term: &PodAffinityTerm, listed: &Listed<'_>, other: &Listed<'_>) -> bool {
    let namespace = namespace_or_default(&other.pod.metadata);
    let is_in = match term.namespaces.as_deref().unwrap_or_default() {
        [] => namespace == namespace_or_default(&listed.pod.metadata),
        named => named.iter().any(|it| it == namespace),
    };
    let labels = other.pod.metadata.labels.clone().unwrap_or_default();
    is_in
        && other.pod.metadata.name != listed.pod.metadata.name
        && selector::matches_optional(term.label_selector.as_ref(), &labels)
}

/// Whether the node has the resources that the Pod requests (`fitsRequest`).
fn has_room(lists: &Lists<'_>, listed: &Listed<'_>, node: &Node) -> bool {
    let left = |name: &str| {
        let all = allocatable(node, name).unwrap_or(0);
        all.saturating_sub(lists.requested_on(name_of(&node.metadata), name))
    };
    let mut requests = listed.requests.iter();
    left(PODS) > 0
        && requests.all(|(name, request)| match allocatable(node, name) {
            None if !matches!(name.as_str(), "cpu" | "memory") => *request <= 0,
            _ => *request <= left(name),
        })
}
