//! Resource amounts of Pods and nodes, as kube-scheduler's `framework.Resource` counts them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use crate::pod_object::{Granted, Resized};
use berth_base::quantity::Quantity;

/// CPU assumed for a container without a request when nodes are scored (`DefaultMilliCPURequest`).
pub const DEFAULT_MILLI_CPU: i64 = 100;
/// Memory assumed for a container without a request when nodes are scored (`DefaultMemoryRequest`).
pub const DEFAULT_MEMORY_BYTES: i64 = 200 * 1024 * 1024;

/// Amounts of resources: milli-CPU, bytes, and pieces or bytes of all others by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    pub milli_cpu: i64,
    pub memory_bytes: i64,
    pub ephemeral_storage_bytes: i64,
    /// Extended resources, huge pages and the like, sorted by name; includes names requested with 0.
    pub scalars: Vec<(String, i64)>,
}

impl Resources {
    /// The amounts of a `ResourceList`, without resources that the scheduler ignores (`storage`).
    pub fn from_list(list: &BTreeMap<String, ApiQuantity>) -> Self {
        let mut resources = Self::default();
        for (name, quantity) in list {
            resources.set(name, amount(name, quantity));
        }
        resources
    }

    fn set(&mut self, name: &str, amount: i64) {
        match name {
            "cpu" => self.milli_cpu = amount,
            "memory" => self.memory_bytes = amount,
            "ephemeral-storage" => self.ephemeral_storage_bytes = amount,
            _ if is_scalar(name) => *self.scalar_entry(name) = amount,
            _ => {}
        }
    }

    fn scalar_entry(&mut self, name: &str) -> &mut i64 {
        let position = match self
            .scalars
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
        {
            Ok(position) => position,
            Err(position) => {
                self.scalars.insert(position, (name.to_owned(), 0));
                position
            }
        };
        &mut self.scalars[position].1
    }

    /// The amount of a scalar resource, `None` if the name is absent.
    pub fn scalar(&self, name: &str) -> Option<i64> {
        self.scalars
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
            .ok()
            .map(|position| self.scalars[position].1)
    }

    /// The amount of any resource by its API name; 0 if it is absent.
    pub fn get(&self, name: &str) -> i64 {
        match name {
            "cpu" => self.milli_cpu,
            "memory" => self.memory_bytes,
            "ephemeral-storage" => self.ephemeral_storage_bytes,
            _ => self.scalar(name).unwrap_or(0),
        }
    }

    /// Adds `other`. Sums wrap on overflow, as upstream's do.
    pub fn add(&mut self, other: &Resources) {
        self.milli_cpu = self.milli_cpu.wrapping_add(other.milli_cpu);
        self.memory_bytes = self.memory_bytes.wrapping_add(other.memory_bytes);
        self.ephemeral_storage_bytes = self
            .ephemeral_storage_bytes
            .wrapping_add(other.ephemeral_storage_bytes);
        for (name, amount) in &other.scalars {
            let entry = self.scalar_entry(name);
            *entry = entry.wrapping_add(*amount);
        }
    }

    /// Subtracts `other`; names stay, if need be with 0.
    pub fn subtract(&mut self, other: &Resources) {
        self.milli_cpu = self.milli_cpu.wrapping_sub(other.milli_cpu);
        self.memory_bytes = self.memory_bytes.wrapping_sub(other.memory_bytes);
        self.ephemeral_storage_bytes = self
            .ephemeral_storage_bytes
            .wrapping_sub(other.ephemeral_storage_bytes);
        for (name, amount) in &other.scalars {
            let entry = self.scalar_entry(name);
            *entry = entry.wrapping_sub(*amount);
        }
    }
}

/// Whether the scheduler counts the resource by name (`IsScalarResourceName`): extended resources,
/// huge pages, and any name with a domain.
pub fn is_scalar(name: &str) -> bool {
    name.contains('/') || name.starts_with("hugepages-")
}

/// A quantity in the scheduler's unit, rounded up: milli-CPU for CPU, whole units for the rest.
pub fn amount(name: &str, quantity: &ApiQuantity) -> i64 {
    in_unit_of(name, Quantity::parse(&quantity.0).unwrap_or_default())
}

fn in_unit_of(name: &str, quantity: Quantity) -> i64 {
    if name == "cpu" {
        quantity.milli_value()
    } else {
        quantity.value()
    }
}

/// How to sum up a Pod's requests. Mirrors `PodResourcesOptions` of component-helpers v1.34.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOptions<'a> {
    /// Assumed for a container without a CPU request.
    pub missing_milli_cpu: Option<i64>,
    /// Assumed for a container without a memory request.
    pub missing_memory_bytes: Option<i64>,
    /// Ignore the Pod-level `spec.resources`.
    pub skip_pod_level: bool,
    /// The Pod's status: containers count as what they were granted if that is more than they request.
    pub status: Option<&'a Resized>,
    /// The same for the Pod-level requests.
    pub pod_level_status: bool,
}

/// A Pod's requests: the maximum of what runs together and of each init container's needs, then
/// Pod-level requests, then overhead. Only the result is rounded up to whole units.
pub fn pod_requests(spec: &PodSpec, options: SumOptions<'_>) -> Resources {
    sum_of(spec, options).rounded_up()
}

fn sum_of<'a>(spec: &'a PodSpec, options: SumOptions<'a>) -> Amounts<'a> {
    let mut sum = Amounts::default();
    for container in &spec.containers {
        sum.add(&container_requests(container, options, true));
    }
    let mut sidecars = Amounts::default();
    let mut init_peak = Amounts::default();
    for container in spec.init_containers.iter().flatten() {
        let is_sidecar = container.restart_policy.as_deref() == Some("Always");
        let mut needed = container_requests(container, options, is_sidecar);
        if is_sidecar {
            sum.add(&needed);
            sidecars.add(&needed);
            needed = sidecars.clone();
        } else {
            needed.add(&sidecars);
        }
        init_peak.raise_to(&needed);
    }
    sum.raise_to(&init_peak);
    if !options.skip_pod_level {
        sum.0.extend(pod_level_amounts(spec, options).0);
    }
    if let Some(overhead) = &spec.overhead {
        sum.add(&Amounts::new(overhead));
    }
    sum
}

/// The Pod-level requests, or what the Pod was granted of these resources if that is more.
fn pod_level_amounts<'a>(spec: &'a PodSpec, options: SumOptions<'a>) -> Amounts<'a> {
    let mut asked = pod_level_requests(spec)
        .map(Amounts::new)
        .unwrap_or_default();
    asked.0.retain(|name, _| is_pod_level_resource(name));
    let status = options.status.filter(|_| options.pod_level_status);
    let Some((status, own)) = status.and_then(|status| Some((status, status.own.as_ref()?))) else {
        return asked;
    };
    let mut counted = granted_amounts(own);
    counted.0.retain(|name, _| asked.0.contains_key(name));
    if status.is_infeasible {
        for name in asked.0.keys() {
            counted.0.entry(name).or_default();
        }
    } else {
        counted.raise_to(&asked);
    }
    counted
}

fn granted_amounts(granted: &Granted) -> Amounts<'_> {
    let mut amounts = Amounts::new(&granted.requests);
    amounts.raise_to(&Amounts::new(&granted.allocated));
    amounts
}

/// Exact amounts by resource.
#[derive(Clone, Debug, Default)]
struct Amounts<'a>(BTreeMap<&'a str, Quantity>);

impl<'a> Amounts<'a> {
    fn new(list: &'a BTreeMap<String, ApiQuantity>) -> Self {
        let parsed = list.iter().map(|(name, quantity)| {
            let quantity = Quantity::parse(&quantity.0).unwrap_or_default();
            (name.as_str(), quantity)
        });
        Self(parsed.collect())
    }

    fn add(&mut self, other: &Self) {
        for (name, quantity) in &other.0 {
            let sum = self.0.entry(name).or_default();
            *sum = sum.add(*quantity);
        }
    }

    fn raise_to(&mut self, other: &Self) {
        for (name, quantity) in &other.0 {
            let known = self.0.entry(name).or_insert(*quantity);
            if known.nanos() < quantity.nanos() {
                *known = *quantity;
            }
        }
    }

    fn rounded_up(&self) -> Resources {
        let mut resources = Resources::default();
        for (name, quantity) in &self.0 {
            resources.set(name, in_unit_of(name, *quantity));
        }
        resources
    }
}

/// `runs_on`: it keeps running with the Pod, so that it can be resized.
fn container_requests<'a>(
    container: &'a Container,
    options: SumOptions<'a>,
    runs_on: bool,
) -> Amounts<'a> {
    let requests = container
        .resources
        .as_ref()
        .and_then(|r| r.requests.as_ref());
    let mut amounts = requests.map(Amounts::new).unwrap_or_default();
    let status = options.status.filter(|_| runs_on);
    if let Some(status) = status
        && let Some(granted) = status.containers.get(&container.name)
    {
        let granted = granted_amounts(granted);
        if status.is_infeasible {
            amounts = granted;
        } else {
            amounts.raise_to(&granted);
        }
    }
    if let Some(missing) = options.missing_milli_cpu {
        let missing = Quantity::from_milli_value(missing);
        amounts.0.entry("cpu").or_insert(missing);
    }
    if let Some(missing) = options.missing_memory_bytes {
        let missing = Quantity::from_value(missing);
        amounts.0.entry("memory").or_insert(missing);
    }
    amounts
}

fn pod_level_requests(spec: &PodSpec) -> Option<&BTreeMap<String, ApiQuantity>> {
    spec.resources.as_ref().and_then(|r| r.requests.as_ref())
}

/// Whether a Pod has requests of its own, besides those of its containers (`IsPodLevelRequestsSet`).
pub fn has_pod_level_requests(spec: &PodSpec) -> bool {
    let requests = pod_level_requests(spec);
    requests.is_some_and(|list| list.keys().any(|name| is_pod_level_resource(name)))
}

fn is_pod_level_resource(name: &str) -> bool {
    name == "cpu" || name == "memory" || name.starts_with("hugepages-")
}

/// A Pod's share of its node's non-zero sums: with the defaults for containers without a request. If the Pod has
/// Pod-level requests, a default only counts if neither the Pod nor any container names the resource
/// (`getNonMissingContainerRequests`).
pub fn non_zero_requests(spec: &PodSpec, options: SumOptions<'_>) -> (i64, i64) {
    let pod_level = !options.skip_pod_level && has_pod_level_requests(spec);
    let plain = sum_of(spec, options);
    let default_unless = |name: &str, default: i64| {
        let is_named = plain.0.contains_key(name);
        (!pod_level || !is_named).then_some(default)
    };
    let options = SumOptions {
        missing_milli_cpu: default_unless("cpu", DEFAULT_MILLI_CPU),
        missing_memory_bytes: default_unless("memory", DEFAULT_MEMORY_BYTES),
        ..options
    };
    let sum = pod_requests(spec, options);
    (sum.milli_cpu, sum.memory_bytes)
}
