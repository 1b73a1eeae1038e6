//! What the descheduler's informers have listed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_base::quantity::Quantity;
use berth_core::api::meta::owners_of;
use berth_scheduler::cluster::resources::{SumOptions, amount, pod_requests};
use berth_sim::pod_util;
use k8s_openapi::api::core::v1::{Namespace, Node, PersistentVolumeClaim, Pod, PodSpec};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Objects in the order in which they are listed.
#[derive(Clone, Debug)]
pub(crate) struct Caches {
    pub nodes: Vec<Arc<Node>>,
    pub pods: Vec<Arc<Pod>>,
    pub budgets: Vec<Arc<PodDisruptionBudget>>,
    pub claims: Vec<Arc<PersistentVolumeClaim>>,
    pub namespaces: Vec<Arc<Namespace>>,
    pub now: Time,
}

/// Amounts by resource: CPU in thousandths, all others in whole units. Names that are absent are not limited, or not
/// requested.
pub(crate) type Amounts = BTreeMap<String, i64>;

/// The number of Pods, as a resource.
pub(super) const PODS: &str = "pods";

/// A Pod of the caches.
pub(crate) struct Listed<'a> {
    /// Its place among all Pods.
    pub id: usize,
    pub pod: &'a Pod,
    pub spec: &'a PodSpec,
    pub requests: Amounts,
}

/// The Pods of a node, and what they request together.
#[derive(Default)]
struct OnNode<'a> {
    pods: Vec<Listed<'a>>,
    requested: Amounts,
}

/// The caches with their indexes.
pub(crate) struct Lists<'a> {
    pub caches: &'a Caches,
    on_node: BTreeMap<&'a str, OnNode<'a>>,
    /// Number of Pods by the uid of each of their owners.
    owned: BTreeMap<&'a str, u64>,
}

impl<'a> Lists<'a> {
    pub fn new(caches: &'a Caches) -> Self {
        let mut lists = Self {
            caches,
            on_node: BTreeMap::new(),
            owned: BTreeMap::new(),
        };
        for (id, pod) in caches.pods.iter().enumerate() {
            let owners = owners_of(&pod.metadata)
                .iter()
                .map(|owner| owner.uid.as_str());
            for uid in owners.collect::<BTreeSet<&str>>() {
                *lists.owned.entry(uid).or_default() += 1;
            }
            let spec = pod.spec.as_ref();
            let Some((node, spec)) = spec.and_then(|spec| Some((spec.node_name.as_ref()?, spec)))
            else {
                continue;
            };
            if !pod_util::is_finished(pod) {
                let listed = Listed {
                    id,
                    pod,
                    spec,
                    requests: requests(spec),
                };
                lists.on_node.entry(node).or_default().push(listed);
            }
        }
        lists
    }

    /// The Pods on a node that have not ended (`ListPodsOnANode`).
    pub fn pods_on(&self, node: &str) -> &[Listed<'a>] {
        self.on_node
            .get(node)
            .map_or(&[], |on_node| on_node.pods.as_slice())
    }

    /// A Pod by itself, wherever it is.
    #[cfg(test)]
    pub fn listed(&self, id: usize) -> Listed<'_> {
        let pod = &self.caches.pods[id];
        let spec = pod.spec.as_ref().expect("Pods of tests have one");
        Listed {
            id,
            pod,
            spec,
            requests: requests(spec),
        }
    }

    /// Number of Pods with an owner of this uid.
    pub fn owned_by(&self, uid: &str) -> u64 {
        self.owned.get(uid).copied().unwrap_or(0)
    }

    /// What the Pods of a node request of a resource together (`NodeUtilization`).
    pub fn requested_on(&self, node: &str, name: &str) -> i64 {
        let Some(on_node) = self.on_node.get(node) else {
            return 0;
        };
        match name {
            PODS => i64::try_from(on_node.pods.len()).unwrap_or(i64::MAX),
            name => on_node.requested.get(name).copied().unwrap_or(0),
        }
    }
}

impl<'a> OnNode<'a> {
    fn push(&mut self, listed: Listed<'a>) {
        for (name, request) in &listed.requests {
            let sum = self.requested.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*request);
        }
        self.pods.push(listed);
    }
}

/// What a Pod requests, by the resources that it names (`PodRequests` of component-helpers).
fn requests(spec: &PodSpec) -> Amounts {
    let sum = pod_requests(spec, SumOptions::default());
    let containers = spec
        .containers
        .iter()
        .chain(spec.init_containers.iter().flatten());
    let lists = containers
        .filter_map(|container| container.resources.as_ref())
        .chain(spec.resources.as_ref())
        .filter_map(|resources| resources.requests.as_ref())
        .chain(spec.overhead.as_ref());
    let names = lists.flat_map(BTreeMap::keys);
    names.map(|name| (name.clone(), sum.get(name))).collect()
}

/// The resources of a node: what is allocatable, or its capacity if that is not known
/// (`referencedResourceListForNodeCapacity`).
pub(crate) fn capacity(node: &Node) -> Amounts {
    let status = node.status.as_ref();
    let allocatable = status
        .and_then(|it| it.allocatable.as_ref())
        .filter(|it| !it.is_empty());
    let list = allocatable.or_else(|| status?.capacity.as_ref());
    let amounts = list.into_iter().flatten();
    amounts
        .map(|(name, quantity)| (name.clone(), amount(name, quantity)))
        .collect()
}

/// What is allocatable, whether or not it is known.
pub(super) fn allocatable(node: &Node, name: &str) -> Option<i64> {
    let allocatable = node.status.as_ref()?.allocatable.as_ref()?;
    let quantity = Quantity::parse(&allocatable.get(name)?.0).unwrap_or_default();
    Some(match name {
        "cpu" => quantity.milli_value(),
        _ => quantity.value(),
    })
}
