//! The events that may help a Pod that PodTopologySpread rejected (`plugin.go`, v1.34 and v1.36).

use super::PodTopologySpread;
use crate::cluster::class::SpreadConstraint;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
};
use crate::framework::plugin::Context;
use crate::plugins::helpers::is_placed;

impl EnqueueExtensions for PodTopologySpread {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(
                Resource::Pod,
                ActionType::ADD
                    .or(ActionType::DELETE)
                    .or(ActionType::UPDATE_POD_LABEL)
                    .or(ActionType::UPDATE_POD_TOLERATION),
            ),
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD
                    .or(ActionType::DELETE)
                    .or(ActionType::UPDATE_NODE_LABEL)
                    .or(ActionType::UPDATE_NODE_TAINT),
            ),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        let constraints = || self.constraints(cx, true);
        Hint::queue_if(match change {
            ObjectUpdate::Pod(pod) => is_involved(cx, pod) && by_pod(cx, &constraints(), pod),
            ObjectUpdate::Node(node) => by_node(cx, &constraints(), node),
            _ => false,
        })
    }
}

/// Counts placed Pods of the Pod's namespace, and the Pod itself.
fn is_involved(cx: Context<'_>, pod: &Update<PodInfo>) -> bool {
    pod.old.iter().chain(&pod.new).all(|side| {
        let in_namespace = side.object.namespace == cx.pod.object.namespace;
        side.ix == cx.pod.ix || is_placed(cx, side) && in_namespace
    })
}

fn by_pod(cx: Context<'_>, constraints: &[SpreadConstraint], pod: &Update<PodInfo>) -> bool {
    let counts = |constraint: &SpreadConstraint, pod: &PodInfo| {
        constraint.selector.matches(&pod.object.template.labels)
    };
    let Some((old, new)) = pod.both() else {
        let one = pod.old.as_deref().or(pod.new.as_deref());
        return one.is_some_and(|pod| constraints.iter().any(|it| counts(it, pod)));
    };
    let tolerations = |pod: &PodInfo| cx.cluster.spec_of(pod).tolerations.clone();
    let tolerates_otherwise = new.ix == cx.pod.ix && tolerations(old) != tolerations(new);
    (tolerates_otherwise && constraints.iter().any(|it| it.honor_node_taints))
        || constraints
            .iter()
            .any(|it| counts(it, old) != counts(it, new))
}

/// A node with all topology keys is added or deleted, gains or loses the keys, or changes their
/// values or its taints.
fn by_node(cx: Context<'_>, constraints: &[SpreadConstraint], node: &Update<NodeInfo>) -> bool {
    let topology = cx.cluster.topology();
    let key = |constraint: &SpreadConstraint| &topology.key(constraint.topology_key).name;
    let label = |constraint: &SpreadConstraint, node: &NodeInfo| {
        let key: &std::sync::Arc<str> = key(constraint);
        node.labels.get(key.as_ref()).cloned()
    };
    let is_complete = |node: &NodeInfo| constraints.iter().all(|it| label(it, node).is_some());
    let was_complete = node.old.as_deref().is_some_and(is_complete);
    let Some(new) = node.new.as_deref() else {
        return was_complete;
    };
    if was_complete != is_complete(new) {
        return true;
    }
    was_complete
        && node.old.as_deref().is_some_and(|old| {
            let moved = |it: &SpreadConstraint| label(it, old) != label(it, new);
            constraints.iter().any(moved) || old.taints != new.taints
        })
}
