//! The events that may help a Pod that NodeResourcesFit rejected (`fit.go`, v1.34).

use super::NodeResourcesFit;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::resources::Resources;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
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

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::Pod(pod) => frees_something(cx, pod),
            ObjectUpdate::Node(node) => offers_more(&cx.spec.request, node),
            _ => false,
        })
    }
}

/// A deleted Pod that took room frees some, whatever its size or node; a Pod that was scaled down
/// must have released a resource that this Pod requests.
fn frees_something(cx: Context<'_>, pod: &Update<PodInfo>) -> bool {
    let Some((old, new)) = pod.both() else {
        let gone = pod.old.as_ref().map(|old| &old.object);
        return gone.is_some_and(|gone| gone.node_name.is_some() || gone.nominated_node.is_some());
    };
    if new.ix == cx.pod.ix {
        return true;
    }
    let requests = |pod: &PodInfo| &cx.cluster.spec_of(pod).counted;
    new.object.node_name.is_some()
        && grew(&cx.spec.request, requests(new), requests(old))
            .next()
            .is_some()
}

/// The Pod would fit on the empty node, and an updated node has more of a requested resource, or
/// room for more Pods.
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

/// Whether `there` covers the request. As in upstream's hints, ignored resources count too.
fn is_within(request: &Resources, there: &Resources) -> bool {
    requested(request).all(|(name, amount)| amount <= there.get(name))
}

/// Requested resources whose amounts increased.
fn grew<'a>(
    request: &'a Resources,
    before: &'a Resources,
    after: &'a Resources,
) -> impl Iterator<Item = &'a str> {
    requested(request)
        .map(|(name, _)| name)
        .filter(|name| after.get(name) > before.get(name))
}

/// The non-zero requests.
fn requested(request: &Resources) -> impl Iterator<Item = (&str, i64)> {
    let base = [
        ("cpu", request.milli_cpu),
        ("memory", request.memory_bytes),
        ("ephemeral-storage", request.ephemeral_storage_bytes),
    ];
    let scalars = request
        .scalars
        .iter()
        .map(|(name, amount)| (name.as_str(), *amount));
    base.into_iter()
        .chain(scalars)
        .filter(|(_, amount)| *amount != 0)
}
