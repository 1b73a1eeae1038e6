//! Which events may help a Pod that NodeResourcesFit rejected (`fit.go`, v1.34).

use super::NodeResourcesFit;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::resources::Resources;
use crate::framework::events::{
    ActionType, Change, EnqueueExtensions, EventToRegister, Hint, Resource, Update,
};
use crate::framework::plugin::Context;

impl EnqueueExtensions for NodeResourcesFit {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(
                Resource::Pod,
                ActionType::DELETE.or(ActionType::UPDATE_POD_SCALE_DOWN),
            ),
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_ALLOCATABLE),
            ),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &Change) -> Hint {
        Hint::queue_if(match change {
            Change::Pod(pod) => frees_something(cx, pod),
            Change::Node(node) => offers_more(&cx.spec.request, node),
            _ => false,
        })
    }
}

/// Any Pod that took room and is gone frees some, whatever its size or node; one that shrank must
/// have given back a resource that this Pod requests.
fn frees_something(cx: Context<'_>, pod: &Update<PodInfo>) -> bool {
    let Some((old, new)) = pod.both() else {
        let gone = pod.old.as_ref().map(|old| &old.object);
        return gone.is_some_and(|gone| gone.node_name.is_some() || gone.nominated_node.is_some());
    };
    if new.ix == cx.pod.ix {
        return true;
    }
    let requests = |pod: &PodInfo| &cx.cluster.spec_of(pod).request;
    new.object.node_name.is_some()
        && grew(&cx.spec.request, requests(new), requests(old))
            .next()
            .is_some()
}

/// The Pod would fit on the node if that were empty, and a changed node has more of something that the
/// Pod requests, or room for more Pods.
fn offers_more(request: &Resources, node: &Update<NodeInfo>) -> bool {
    let Some(new) = node.new.as_deref() else {
        return false;
    };
    if new.allowed_pods < 1 || !is_within(request, &new.allocatable) {
        return false;
    }
    node.old.as_deref().is_none_or(|old| {
        let more = grew(request, &old.allocatable, &new.allocatable).next();
        new.allowed_pods > old.allowed_pods || more.is_some()
    })
}

/// Whether all that is requested is there. Ignored resources count too, as upstream has it in hints.
fn is_within(request: &Resources, there: &Resources) -> bool {
    requested(request).all(|(name, amount)| amount <= there.get(name))
}

/// Requested resources of which there is more than before.
fn grew<'a>(
    request: &'a Resources,
    before: &'a Resources,
    after: &'a Resources,
) -> impl Iterator<Item = &'a str> {
    let names = requested(request).map(|(name, _)| name);
    names.filter(|name| after.get(name) > before.get(name))
}

/// What is requested of each resource, zeros left out.
fn requested(request: &Resources) -> impl Iterator<Item = (&str, i64)> {
    let base = [
        ("cpu", request.milli_cpu),
        ("memory", request.memory_bytes),
        ("ephemeral-storage", request.ephemeral_storage_bytes),
    ];
    let scalars = request.scalars.iter();
    let scalars = scalars.map(|(name, amount)| (name.as_str(), *amount));
    base.into_iter()
        .chain(scalars)
        .filter(|(_, amount)| *amount != 0)
}
