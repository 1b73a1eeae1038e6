//! Invariants that hold in every life at every moment.

use std::collections::{BTreeMap, BTreeSet};

use super::{all, devices};
use berth_base::quantity::Quantity;
use berth_scheduler::selector;
use berth_sim::history::{CycleEnding, Entry};
use berth_sim::pod_util;
use berth_sim::server::ApiServer;
use berth_sim::simulated_cluster::SimulatedCluster;
use berth_sim::store::{Key, Object, name_of, namespace_of, uid_of};
use k8s_openapi::api::core::v1::{Container, Pod};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

/// State that is kept from one check to the next.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Pods (uid) whose eviction has been checked.
    seen: BTreeSet<String>,
    /// Pods (uid) that were being deleted already: budgets do not count them.
    leaving: BTreeSet<String>,
    /// Pods that each quota (uid) counted at the last check, or its limit if that was higher.
    charged: BTreeMap<String, i64>,
    /// How often each check ran: one that never runs proves nothing.
    pub bound: u64,
    pub evictions: u64,
    pub settled: u64,
    /// Reservations of claims that were seen.
    pub reserved: u64,
}

impl Invariants {
    /// Checks one entry of the history, after it happened.
    pub fn entry(&mut self, entry: &Entry, api: &ApiServer) {
        let Entry::Cycle(cycle) = entry else {
            return;
        };
        if let CycleEnding::Bound(node) = &cycle.ending {
            self.bound += 1;
            assert_room(&cycle.pod, node, api);
        }
    }

    /// Checks evictions after a write, before any controller has reacted.
    pub fn evictions(&mut self, api: &ApiServer) {
        for pod in api.store().pods.iter() {
            let target = pod_util::condition(pod, pod_util::DISRUPTION_TARGET);
            let reason = target.and_then(|it| it.reason.as_deref());
            let uid = uid_of(&pod.metadata);
            if reason != Some("EvictionByEvictionAPI") || self.seen.contains(uid) {
                continue;
            }
            self.seen.insert(uid.to_owned());
            if pod_util::is_ready(pod) && !self.leaving.contains(uid) && !is_driven_off(uid, api) {
                self.evictions += 1;
                assert_budgets(pod, api);
            }
        }
        let leaving = api
            .store()
            .pods
            .iter()
            .filter(|pod| pod_util::is_terminating(pod));
        self.leaving = leaving
            .map(|pod| uid_of(&pod.metadata).to_owned())
            .collect();
    }

    /// Checks the whole cluster once all controllers have reacted.
    pub fn settled(&mut self, cluster: &SimulatedCluster) {
        self.settled += 1;
        if let Err(error) = cluster.audit() {
            panic!("{error}");
        }
        let store = cluster.api().store();
        for object in all(store) {
            assert_owners(&object, cluster.api());
            assert_namespace(&object, cluster.api());
        }
        assert_volumes(cluster.api());
        self.reserved += devices::assert_claims(cluster.api());
        self.quotas(cluster.api());
        for budget in store.budgets.iter() {
            let status = budget.status.clone().unwrap_or_default();
            assert!(status.disruptions_allowed.unwrap_or(0) >= 0, "{budget:?}");
        }
    }
}

impl Invariants {
    /// No Pod is admitted beyond a quota; existing ones may stay.
    fn quotas(&mut self, api: &ApiServer) {
        let store = api.store();
        let mut charged = BTreeMap::new();
        for quota in store.resource_quotas.iter() {
            let spec = quota.spec.clone().unwrap_or_default();
            let hard = spec.hard.as_ref().and_then(|hard| hard.get("pods"));
            let hard = hard.and_then(|it| Quantity::parse(&it.0).ok());
            let Some(hard) =
                hard.filter(|_| spec.scopes.is_none() && spec.scope_selector.is_none())
            else {
                continue;
            };
            let own = store.pods.of_namespace(namespace_of(&quota.metadata));
            let count = own.filter(|pod| pod_util::is_active(pod)).count();
            let count = i64::try_from(count).expect("few");
            let uid = uid_of(&quota.metadata);
            let allowed = self.charged.get(uid).copied().unwrap_or(count);
            assert!(
                count <= hard.value().max(allowed),
                "quota {}: {count} Pods, {allowed} before or allowed then",
                name_of(&quota.metadata)
            );
            // If the same line lowered the limit, Pods up to the old limit may have been admitted before.
            charged.insert(uid.to_owned(), count.max(hard.value()));
        }
        self.charged = charged;
    }
}

/// Every namespaced object is in a namespace that exists.
fn assert_namespace(object: &Object, api: &ApiServer) {
    let namespace = namespace_of(object.metadata());
    let found = api.store().namespaces.get(&Key::new("", namespace));
    assert!(
        namespace.is_empty() || found.is_some(),
        "{} {} is in namespace {namespace}, which is not there",
        object.kind(),
        name_of(object.metadata())
    );
}

/// No two claims share a volume.
fn assert_volumes(api: &ApiServer) {
    let mut bound = BTreeMap::new();
    for claim in api.store().claims.iter() {
        let phase = claim.status.as_ref().and_then(|it| it.phase.as_deref());
        let volume = claim.spec.as_ref().and_then(|it| it.volume_name.as_deref());
        if let (Some("Bound"), Some(volume)) = (phase, volume) {
            let other = bound.insert(volume, &claim.metadata);
            assert!(
                other.is_none(),
                "{volume} is bound to {other:?} and {:?}",
                claim.metadata
            );
        }
    }
}

/// A Pod that was bound fits on its node.
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
        store
            .pods
            .iter()
            .filter(|it| !own(it) && pod_util::node_of(it) == node && !pod_util::is_finished(it))
    };
    for resource in resources(pod) {
        let wanted = requested(pod, resource);
        if wanted == 0 {
            continue;
        }
        let used: i128 = others().map(|it| requested(it, resource)).sum();
        let limit = limit(resource).unwrap_or_default().milli_value();
        assert!(
            used + wanted <= i128::from(limit),
            "{name} on {node}: {resource} {used} + {wanted} > {limit}"
        );
    }
    // Without an allocatable amount there is nothing to compare.
    if let Some(limit) = limit("pods").map(Quantity::value) {
        let count = i64::try_from(others().count()).expect("few") + 1;
        assert!(count <= limit, "{name} on {node}: {count} Pods > {limit}");
    }
}

/// The names of the resources that a Pod's containers request.
fn resources(pod: &Pod) -> BTreeSet<&str> {
    let spec = pod.spec.iter();
    let containers = spec.flat_map(|spec| {
        spec.containers
            .iter()
            .chain(spec.init_containers.iter().flatten())
    });
    let requests = containers.filter_map(|it| it.resources.as_ref()?.requests.as_ref());
    requests
        .flat_map(|it| it.keys().map(String::as_str))
        .collect()
}

/// Requests of a Pod in thousandths: the sum of its containers and sidecars, or the largest init container with the
/// sidecars that began before it.
fn requested(pod: &Pod, resource: &str) -> i128 {
    let Some(spec) = &pod.spec else {
        return 0;
    };
    let of = |container: &Container| {
        let requests = container.resources.as_ref()?.requests.as_ref()?;
        let amount = Quantity::parse(&requests.get(resource)?.0).ok()?;
        Some(i128::from(amount.milli_value()))
    };
    let of = |container| of(container).unwrap_or(0);
    let (mut sidecars, mut most) = (0, 0);
    for init in spec.init_containers.iter().flatten() {
        if init.restart_policy.as_deref() == Some("Always") {
            sidecars += of(init);
            most = most.max(sidecars);
        } else {
            most = most.max(sidecars + of(init));
        }
    }
    let main: i128 = spec.containers.iter().map(of).sum();
    let overhead = spec.overhead.as_ref().and_then(|it| it.get(resource));
    let overhead = overhead.and_then(|it| Quantity::parse(&it.0).ok());
    let overhead = overhead.map_or(0, |it| i128::from(it.milli_value()));
    most.max(main + sidecars) + overhead
}

/// After the eviction of a ready Pod, its budgets still have their desired number of healthy Pods.
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
        let desired = status.desired_healthy.unwrap_or(0);
        assert!(
            healthy >= desired,
            "the eviction of {} broke {}: {healthy} < {}",
            name_of(&pod.metadata),
            name_of(&budget.metadata),
            desired
        );
    }
}

fn guards(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    let labels = pod.metadata.labels.clone().unwrap_or_default();
    let spec = budget.spec.as_ref();
    selector::matches_optional(spec.and_then(|it| it.selector.as_ref()), &labels)
}

/// Whether a taint has evicted a Pod from its node, perhaps in the same moment: budgets do not count it any more.
fn is_driven_off(uid: &str, api: &ApiServer) -> bool {
    let mut events = api.events().iter();
    events.any(|it| it.uid == uid && it.reason == "TaintManagerEviction")
}

/// Pods of a budget that are ready and are not being deleted.
fn healthy(budget: &PodDisruptionBudget, api: &ApiServer) -> i32 {
    let own = api
        .store()
        .pods
        .of_namespace(namespace_of(&budget.metadata));
    let own = own.filter(|pod| guards(budget, pod));
    let healthy = own.filter(|pod| pod_util::is_ready(pod) && pod_util::is_active(pod));
    i32::try_from(healthy.count()).expect("few")
}

/// Kinds that can be owners.
const OWNERS: [&str; 7] = [
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "Node",
];

/// Every owner reference leads to an object that exists.
fn assert_owners(object: &Object, api: &ApiServer) {
    let meta = object.metadata();
    if meta.deletion_timestamp.is_some() {
        return;
    }
    for owner in meta.owner_references.iter().flatten() {
        let key = Key::new(namespace_of(meta), owner.name.as_str());
        // The garbage collector cannot resolve owners of an unknown kind.
        if !OWNERS.contains(&owner.kind.as_str()) {
            continue;
        }
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
