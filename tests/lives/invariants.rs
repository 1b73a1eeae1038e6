//! What must hold in every life at every moment, and what must hold when it has come to rest.
//!
//! A helper, not a test.

use std::collections::BTreeSet;

use berth::api::quantity::Quantity;
use berth::api::selector;
use berth::sim::controllers::pods;
use berth::sim::record::{CycleEnding, Entry};
use berth::sim::server::ApiServer;
use berth::sim::store::{Key, Object, name_of, namespace_of, uid_of};
use berth::sim::world::World;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

/// What is remembered from one look to the next.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Pods (uid) whose eviction has been looked at.
    seen: BTreeSet<String>,
    /// How often something was looked at: a check that never looks shows nothing.
    pub bound: u64,
    pub evictions: u64,
    pub settled: u64,
}

impl Invariants {
    /// Something has happened this moment.
    pub fn entry(&mut self, entry: &Entry, api: &ApiServer) {
        let Entry::Cycle(cycle) = entry else {
            return;
        };
        if let CycleEnding::Bound(node) = &cycle.ending {
            self.bound += 1;
            assert_room(&cycle.pod, node, api);
        }
    }

    /// Somebody has written; nobody has reacted yet.
    pub fn evictions(&mut self, api: &ApiServer) {
        for pod in api.store().pods.iter() {
            let target = pods::condition(pod, pods::DISRUPTION_TARGET);
            let reason = target.and_then(|it| it.reason.as_deref());
            let uid = uid_of(&pod.metadata);
            if reason != Some("EvictionByEvictionAPI") || self.seen.contains(uid) {
                continue;
            }
            self.seen.insert(uid.to_owned());
            if pods::is_ready(pod) {
                self.evictions += 1;
                assert_budgets(pod, api);
            }
        }
    }

    /// Everybody has reacted.
    pub fn settled(&mut self, world: &World) {
        self.settled += 1;
        if let Err(error) = world.audit() {
            panic!("{error}");
        }
        let store = world.api().store();
        store.each(&mut |object| assert_owners(object, world.api()));
        for budget in store.budgets.iter() {
            let status = budget.status.clone().unwrap_or_default();
            assert!(status.disruptions_allowed >= 0, "{budget:?}");
        }
    }
}

/// The scheduler has put a Pod on a node: what the Pod asks for is there.
fn assert_room(pod: &str, node: &str, api: &ApiServer) {
    let store = api.store();
    let Some((namespace, name)) = pod.split_once('/') else {
        panic!("{pod} has no namespace");
    };
    let Some(pod) = store.pods.get(&Key::new(namespace, name)) else {
        return;
    };
    let Some(on) = store.nodes.get(&Key::new("", node)) else {
        return;
    };
    let allocatable = on.status.as_ref().and_then(|it| it.allocatable.clone());
    let allocatable = allocatable.unwrap_or_default();
    let limit = |resource: &str| {
        let amount = allocatable.get(resource);
        amount.and_then(|it| Quantity::parse(&it.0).ok())
    };
    let own = |other: &Pod| uid_of(&other.metadata) == uid_of(&pod.metadata);
    let others = || {
        let all = store.pods.iter();
        all.filter(|it| !own(it) && pods::node_of(it) == node && !pods::is_finished(it))
    };
    for resource in ["cpu", "memory"] {
        let wanted = requested(pod, resource);
        if wanted == 0 {
            continue;
        }
        let used: i64 = others().map(|it| requested(it, resource)).sum();
        let limit = limit(resource).unwrap_or_default().milli_value();
        assert!(
            used + wanted <= limit,
            "{name} on {node}: {resource} {used} + {wanted} > {limit}"
        );
    }
    let limit = limit("pods").unwrap_or_default().value();
    let count = i64::try_from(others().count()).expect("few") + 1;
    assert!(count <= limit, "{name} on {node}: {count} Pods > {limit}");
}

/// Thousandths of what a Pod's containers ask for.
fn requested(pod: &Pod, resource: &str) -> i64 {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let amounts = containers.filter_map(|container| {
        let requests = container.resources.as_ref()?.requests.as_ref()?;
        Quantity::parse(&requests.get(resource)?.0).ok()
    });
    amounts.map(Quantity::milli_value).sum()
}

/// A Pod that was ready has been evicted: its budget still has as many as it wants.
fn assert_budgets(pod: &Pod, api: &ApiServer) {
    for budget in api
        .store()
        .budgets
        .of_namespace(namespace_of(&pod.metadata))
    {
        if !guards(budget, pod) {
            continue;
        }
        let healthy = healthy(budget, api);
        let status = budget.status.clone().unwrap_or_default();
        assert!(
            healthy >= status.desired_healthy,
            "the eviction of {} broke {}: {healthy} < {}",
            name_of(&pod.metadata),
            name_of(&budget.metadata),
            status.desired_healthy
        );
    }
}

fn guards(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    let labels = pod.metadata.labels.clone().unwrap_or_default();
    let spec = budget.spec.as_ref();
    selector::matches_optional(spec.and_then(|it| it.selector.as_ref()), &labels)
}

/// Pods of a budget that are ready and stay.
fn healthy(budget: &PodDisruptionBudget, api: &ApiServer) -> i32 {
    let own = api
        .store()
        .pods
        .of_namespace(namespace_of(&budget.metadata));
    let own = own.filter(|pod| guards(budget, pod));
    let healthy = own.filter(|pod| pods::is_ready(pod) && pods::is_active(pod));
    i32::try_from(healthy.count()).expect("few")
}

/// Whoever has owners has owners that exist.
fn assert_owners(object: &Object, api: &ApiServer) {
    let meta = object.metadata();
    if meta.deletion_timestamp.is_some() {
        return;
    }
    for owner in meta.owner_references.iter().flatten() {
        let key = Key::new(namespace_of(meta), owner.name.as_str());
        let found = api.store().find(&owner.kind, &key);
        let uid = found.as_ref().map(|it| uid_of(it.metadata()));
        assert_eq!(
            uid,
            Some(owner.uid.as_str()),
            "{} {} belongs to {} {key}, which is not there",
            object.kind(),
            name_of(meta),
            owner.kind
        );
    }
}
