//! The events that may help a Pod that NodeResourcesFit rejected (`fit.go`, v1.34).

use k8s_openapi::api::resource::v1::DeviceClass;

use super::{NodeResourcesFit, is_served_by_class};
use crate::cluster::devices::OF_CLASS;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::resources::Resources;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
};
use crate::framework::plugin::Context;
use crate::release::Gate;

impl EnqueueExtensions for NodeResourcesFit {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 3] = [
            EventToRegister::hinted(
                Resource::Pod,
                ActionType::DELETE.or(ActionType::UPDATE_POD_SCALE_DOWN),
            ),
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_ALLOCATABLE),
            ),
            EventToRegister::hinted(
                Resource::DeviceClass,
                ActionType::ADD.or(ActionType::UPDATE),
            ),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::Pod(pod) => frees_something(cx, pod),
            ObjectUpdate::Node(node) => offers_more(cx, node),
            ObjectUpdate::DeviceClass(class) => serves_more(cx, class),
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
fn offers_more(cx: Context<'_>, node: &Update<NodeInfo>) -> bool {
    let request = &cx.spec.request;
    let Some(new) = node.new.as_deref() else {
        return false;
    };
    let by_class = |name: &str| is_served_by_class(cx, name, new.allocatable.get(name));
    // As in upstream's hints, ignored resources count too.
    let fits = requested(request)
        .all(|(name, amount)| amount <= new.allocatable.get(name) || by_class(name));
    if new.allowed_pods < 1 || !fits {
        return false;
    }
    node.old.as_deref().is_none_or(|old| {
        let more = grew(request, &old.allocatable, &new.allocatable).next();
        new.allowed_pods > old.allowed_pods
            || more.is_some()
            || requested(request).any(|(name, _)| by_class(name))
    })
}

/// A class serves an extended resource that the Pod requests, and did not before (`isSchedulableAfterDeviceClassEvent`).
fn serves_more(cx: Context<'_>, class: &Update<DeviceClass>) -> bool {
    let Some(new) = class
        .new
        .as_deref()
        .filter(|_| cx.release().is_on(Gate::DRAExtendedResource))
    else {
        return false;
    };
    let named = |class: &DeviceClass| class.spec.extended_resource_name.clone();
    let wanted = |resource: &str| requested(&cx.spec.request).any(|(name, _)| name == resource);
    match class.old.as_deref() {
        None => {
            let name = new.metadata.name.as_deref().unwrap_or_default();
            wanted(&format!("{OF_CLASS}{name}")) || named(new).is_some_and(|it| wanted(&it))
        }
        Some(old) => named(old) != named(new) && named(new).is_some_and(|it| wanted(&it)),
    }
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
