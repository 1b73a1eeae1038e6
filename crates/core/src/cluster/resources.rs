//! Resource amounts of Pods and nodes, as kube-scheduler's `framework.Resource` counts them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use crate::api::quantity::Quantity;

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
pub struct SumOptions {
    /// Assumed for a container without a CPU request.
    pub missing_milli_cpu: Option<i64>,
    /// Assumed for a container without a memory request.
    pub missing_memory_bytes: Option<i64>,
    /// Ignore the Pod-level `spec.resources`.
    pub skip_pod_level: bool,
}

/// A Pod's requests: the maximum of what runs together and of each init container's needs, then
/// Pod-level requests, then overhead. Only the result is rounded up to whole units.
pub fn pod_requests(spec: &PodSpec, options: SumOptions) -> Resources {
    let mut sum = Amounts::default();
    for container in &spec.containers {
        sum.add(&container_requests(container, options));
    }
    let mut sidecars = Amounts::default();
    let mut init_peak = Amounts::default();
    for container in spec.init_containers.iter().flatten() {
        let mut needed = container_requests(container, options);
        if container.restart_policy.as_deref() == Some("Always") {
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
        let pod_level = pod_level_requests(spec)
            .map(Amounts::new)
            .unwrap_or_default();
        sum.0.extend(
            pod_level
                .0
                .into_iter()
                .filter(|(name, _)| is_pod_level_resource(name)),
        );
    }
    if let Some(overhead) = &spec.overhead {
        sum.add(&Amounts::new(overhead));
    }
    sum.rounded_up()
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

fn container_requests(container: &Container, options: SumOptions) -> Amounts<'_> {
    let requests = container
        .resources
        .as_ref()
        .and_then(|r| r.requests.as_ref());
    let mut amounts = requests.map(Amounts::new).unwrap_or_default();
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

fn is_pod_level_resource(name: &str) -> bool {
    name == "cpu" || name == "memory" || name.starts_with("hugepages-")
}

/// A Pod's share of its node's non-zero sums: the defaults for containers without a request,
/// unless the Pod-level requests set the amount (`calculateResource`).
pub fn non_zero_requests(spec: &PodSpec) -> (i64, i64) {
    let pod_level = pod_level_requests(spec)
        .is_some_and(|list| list.keys().any(|name| is_pod_level_resource(name)));
    let plain = pod_requests(spec, SumOptions::default());
    let default_unless = |known: i64, default: i64| (!pod_level || known == 0).then_some(default);
    let options = SumOptions {
        missing_milli_cpu: default_unless(plain.milli_cpu, DEFAULT_MILLI_CPU),
        missing_memory_bytes: default_unless(plain.memory_bytes, DEFAULT_MEMORY_BYTES),
        skip_pod_level: false,
    };
    let sum = pod_requests(spec, options);
    (sum.milli_cpu, sum.memory_bytes)
}
