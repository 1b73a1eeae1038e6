//! The events that may help a Pod that InterPodAffinity rejected (`plugin.go`, v1.34.1 and v1.36.2).
//!
//! The hints have the defects of their release: a Pod rejected by the anti-affinity of another Pod is not
//! queued when that Pod is deleted (kubernetes issue 134393; mended in v1.36), nor by the deletion of the last Pod
//! that its affinity to its own labels matched (issue 141354); and they ignore labels of namespaces
//! (issue 141953).

use super::InterPodAffinity;
use crate::cluster::class::AffinityTerm;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
};
use crate::framework::plugin::Context;
use crate::plugins::helpers::is_placed;

impl EnqueueExtensions for InterPodAffinity {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(
                Resource::Pod,
                ActionType::ADD
                    .or(ActionType::DELETE)
                    .or(ActionType::UPDATE_POD_LABEL),
            ),
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_LABEL),
            ),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::Pod(pod) => by_pod(cx, pod),
            ObjectUpdate::Node(node) => by_node(cx, node),
            _ => false,
        })
    }
}

/// Only placed Pods count. Updates of the pending Pod's own labels do in some releases.
fn by_pod(cx: Context<'_>, pod: &Update<PodInfo>) -> bool {
    let sees_more = cx.release().rules().hints_see_anti_affinity;
    if let Some((old, new)) = pod.both()
        && new.ix == cx.pod.ix
    {
        return sees_more && old.object.template.labels != new.object.template.labels;
    }
    let mut sides = pod.old.iter().chain(&pod.new);
    if sides.any(|side| !is_placed(cx, side)) {
        return false;
    }
    let affinity = &cx.class.affinity;
    let wanted = |pod: &PodInfo| matches_all(&affinity.required, pod);
    let shunned = |pod: &PodInfo| matches_all(&affinity.required_anti, pod);
    match (pod.old.as_deref(), pod.new.as_deref()) {
        (Some(old), Some(new)) => (!wanted(old) && wanted(new)) || (shunned(old) && !shunned(new)),
        (None, Some(new)) => wanted(new),
        (Some(old), None) => {
            let of_deleted = &cx.cluster.class(old.class).affinity.required_anti;
            shunned(old) || sees_more && matches_all(of_deleted, cx.pod)
        }
        (None, None) => false,
    }
}

/// Whether there are terms and the Pod matches all of them: one of several is enough to keep it out, not to match here.
/// Namespace selectors are matched against an empty label set.
fn matches_all(terms: &[AffinityTerm], pod: &PodInfo) -> bool {
    let nothing_known = crate::cluster::namespaces::Namespaces::default();
    !terms.is_empty()
        && terms.iter().all(|term| {
            let labels = &pod.object.template.labels;
            term.target
                .matches_existing(&pod.object.namespace, labels, &nothing_known)
        })
}

/// A domain that affinity may use appears, or one that anti-affinity counts disappears. Any new node
/// may satisfy anti-affinity.
fn by_node(cx: Context<'_>, node: &Update<NodeInfo>) -> bool {
    let Some(new) = node.new.as_deref() else {
        return false;
    };
    let affinity = &cx.class.affinity;
    let key = |term: &AffinityTerm| &cx.cluster.topology().key(term.topology_key).name;
    let now = |term: &AffinityTerm| new.labels.get(key(term).as_ref());
    let Some(old) = node.old.as_deref() else {
        let mut required = affinity.required.iter();
        return !affinity.required_anti.is_empty() || required.any(|term| now(term).is_some());
    };
    let before = |term: &AffinityTerm| old.labels.get(key(term).as_ref());
    let gained = |term: &AffinityTerm| now(term).is_some() && now(term) != before(term);
    let lost = |term: &AffinityTerm| before(term).is_some() && now(term) != before(term);
    affinity.required.iter().any(gained) || affinity.required_anti.iter().any(lost)
}
