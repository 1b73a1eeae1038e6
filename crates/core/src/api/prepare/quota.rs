//! The resources that ResourceQuotas limit, and their usage by objects (v1.36's ResourceQuota plugin
//! and evaluators).
//!
//! Devices of resource claims are not counted.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PodSpec, ResourceQuota, ScopedResourceSelectorRequirement, Service,
};

use crate::api::validation::resources::is_extended;
use berth_base::quantity::Quantity;
use berth_base::sort;
use berth_scheduler::volumes::class_of_claim;

use super::meta::{name_of, namespace_of};
use super::priority::Refusal;
use super::resources::{aggregate_limits, aggregate_requests, amount};
use scopes::in_scope;

mod scopes;

/// Separates a StorageClass and the resource limited for it.
const CLASS_INFIX: &str = ".storageclass.storage.k8s.io/";

/// Resources that containers must set if a quota limits them.
const REQUIRED: [(&str, &str); 4] = [
    ("cpu", "requests.cpu"),
    ("memory", "requests.memory"),
    ("limits.cpu", "limits.cpu"),
    ("limits.memory", "limits.memory"),
];

/// Resources that quotas limit by their short names as well.
const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Amounts by limited resource: `pods`, `requests.cpu`, `count/deployments.apps`.
pub type Amounts = BTreeMap<String, Quantity>;

/// A parsed ResourceQuota.
#[derive(Clone, Debug)]
pub struct Quota {
    name: String,
    /// The limits.
    pub hard: Amounts,
    scopes: Vec<ScopedResourceSelectorRequirement>,
}

/// The quotas of a cluster with their usage, by namespace.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    by_namespace: BTreeMap<String, Vec<(Quota, Amounts)>>,
}

impl Quotas {
    pub(super) fn new(quotas: &[ResourceQuota]) -> Self {
        let mut by_namespace: BTreeMap<String, Vec<(Quota, Amounts)>> = BTreeMap::new();
        for quota in quotas {
            by_namespace
                .entry(namespace_of(&quota.metadata).to_owned())
                .or_default()
                .push((Quota::new(quota), Amounts::new()));
        }
        Quotas { by_namespace }
    }

    pub(super) fn covers(&self, namespace: &str) -> bool {
        self.by_namespace.contains_key(namespace)
    }

    /// Counts an existing Pod, even beyond the limits.
    pub(super) fn count(&mut self, namespace: &str, spec: &PodSpec) {
        for (quota, used) in self.by_namespace.get_mut(namespace).into_iter().flatten() {
            if quota.covers_pod(spec) {
                add(used, quota.usage_of_pod(spec));
            }
        }
    }

    /// Counts a new Pod if it fits into every quota of its namespace.
    pub(super) fn charge(&mut self, namespace: &str, spec: &PodSpec) -> Result<(), Refusal> {
        let Some(quotas) = self.by_namespace.get_mut(namespace) else {
            return Ok(());
        };
        for (quota, used) in &*quotas {
            quota
                .judge_pod(spec, used)
                .map_err(|reason| ("spec.containers", reason))?;
        }
        self.count(namespace, spec);
        Ok(())
    }
}

/// Adds `usage` to `used`.
pub fn add(used: &mut Amounts, usage: Amounts) {
    for (name, quantity) in usage {
        let used = used.entry(name).or_default();
        *used = used.add(quantity);
    }
}

impl Quota {
    /// Parses a quota.
    pub fn new(quota: &ResourceQuota) -> Self {
        let spec = quota.spec.clone().unwrap_or_default();
        let hard = spec.hard.unwrap_or_default();
        let by_name = |name: String| ScopedResourceSelectorRequirement {
            operator: "Exists".to_owned(),
            scope_name: name,
            values: None,
        };
        let selector = spec.scope_selector.and_then(|it| it.match_expressions);
        let scopes = spec.scopes.into_iter().flatten().map(by_name);
        Quota {
            name: name_of(&quota.metadata).to_owned(),
            hard: sort::gather(hard.iter().map(|(name, it)| (name.clone(), amount(it)))),
            scopes: scopes.chain(selector.into_iter().flatten()).collect(),
        }
    }

    /// Whether it counts a Pod, which all of its scopes must match.
    pub fn covers_pod(&self, spec: &PodSpec) -> bool {
        self.scopes.iter().all(|scope| in_scope(scope, spec))
    }

    /// Whether it counts a claim.
    pub fn covers_claim(&self, claim: &PersistentVolumeClaim) -> bool {
        self.scopes
            .iter()
            .all(|scope| scopes::holds_claim(scope, claim))
    }

    /// Whether it counts objects other than Pods and claims.
    pub fn covers_others(&self) -> bool {
        self.scopes.is_empty()
    }

    /// A Pod's usage of the limited resources.
    pub fn usage_of_pod(&self, spec: &PodSpec) -> Amounts {
        let init_containers = spec.init_containers.as_deref().unwrap_or_default();
        let mut requests = aggregate_requests(&spec.containers, init_containers);
        let mut limits = aggregate_limits(&spec.containers, init_containers);
        // Pod-level resources replace those of the containers.
        let of_pod = spec.resources.clone().unwrap_or_default();
        requests.extend(of_pod.requests.unwrap_or_default());
        limits.extend(of_pod.limits.unwrap_or_default());
        self.limited(|name| match name {
            "pods" | "count/pods" => Some(Quantity::from_value(1)),
            "limits.cpu" | "limits.memory" | "limits.ephemeral-storage" => {
                limits.get(name.strip_prefix("limits.")?).map(amount)
            }
            _ => {
                let resource = name.strip_prefix("requests.");
                let short = resource.unwrap_or(name);
                let is_counted = COMPUTE.contains(&short)
                    || short.starts_with("hugepages-")
                    || resource.is_some_and(is_extended);
                is_counted.then(|| requests.get(short).map(amount))?
            }
        })
    }

    /// The usage of a Pod that has ended: it is still stored.
    pub fn usage_of_ended_pod(&self) -> Amounts {
        self.limited(|name| (name == "count/pods").then(|| Quantity::from_value(1)))
    }

    /// A Service's usage: its node ports are those that it is to get.
    pub fn usage_of_service(&self, service: &Service) -> Amounts {
        let spec = service.spec.clone().unwrap_or_default();
        let (ports, kind) = (spec.ports.unwrap_or_default(), spec.type_);
        let is_balanced = kind.as_deref() == Some("LoadBalancer");
        let is_asked = spec.allocate_load_balancer_node_ports == Some(false);
        let node_ports = match kind.as_deref() {
            Some("LoadBalancer") if is_asked => {
                let given = ports
                    .iter()
                    .filter(|it| it.node_port.is_some_and(|it| it != 0));
                given.count()
            }
            Some("NodePort" | "LoadBalancer") => ports.len(),
            _ => 0,
        };
        self.limited(|name| match name {
            "services.nodeports" => Some(Quantity::from_value(i64::try_from(node_ports).ok()?)),
            "services.loadbalancers" => Some(Quantity::from_value(i64::from(is_balanced))),
            _ => counts(name, "services"),
        })
    }

    /// A claim's usage of the limited resources.
    pub fn usage_of_claim(&self, claim: &PersistentVolumeClaim) -> Amounts {
        let class = class_of_claim(claim);
        let storage = claim
            .spec
            .as_ref()
            .and_then(|spec| spec.resources.as_ref())
            .and_then(|resources| resources.requests.as_ref())
            .and_then(|requests| requests.get("storage"))
            .map(amount);
        self.limited(|name| match name.split_once(CLASS_INFIX) {
            Some((named, resource)) => match resource {
                _ if named != class => None,
                "requests.storage" => storage,
                "persistentvolumeclaims" => Some(Quantity::from_value(1)),
                _ => None,
            },
            None if name == "requests.storage" => storage,
            None => counts(name, "persistentvolumeclaims"),
        })
    }

    /// The usage of an object of another kind; `resource` is its API name: `services`,
    /// `deployments.apps`.
    pub fn usage_of(&self, resource: &str) -> Amounts {
        self.limited(|name| counts(name, resource))
    }

    fn limited(&self, usage: impl Fn(&str) -> Option<Quantity>) -> Amounts {
        sort::gather(
            self.hard
                .keys()
                .filter_map(|name| Some((name.clone(), usage(name)?))),
        )
    }

    /// Whether a Pod fits.
    ///
    /// # Errors
    /// The API server's message.
    pub fn judge_pod(&self, spec: &PodSpec, used: &Amounts) -> Result<(), String> {
        if !self.covers_pod(spec) {
            return Ok(());
        }
        let unspecified = self.unspecified(spec);
        if !unspecified.is_empty() {
            let name = &self.name;
            return Err(format!("failed quota: {name}: must specify {unspecified}"));
        }
        self.judge(&self.usage_of_pod(spec), used)
    }

    /// Whether an additional usage fits.
    ///
    /// # Errors
    /// The API server's message.
    pub fn judge(&self, usage: &Amounts, used: &Amounts) -> Result<(), String> {
        let used = |name: &str| used.get(name).copied().unwrap_or_default();
        let mut exceeded = [const { Vec::new() }; 3];
        for (name, hard) in &self.hard {
            let requested = usage.get(name).copied().unwrap_or_default();
            if !requested.is_zero() && used(name).add(requested) > *hard {
                for (list, quantity) in exceeded.iter_mut().zip([requested, used(name), *hard]) {
                    list.push(format!("{name}={quantity}"));
                }
            }
        }
        let [requested, used, limited] = exceeded.map(|list| list.join(","));
        if requested.is_empty() {
            return Ok(());
        }
        let name = &self.name;
        Err(format!(
            "exceeded quota: {name}, requested: {requested}, used: {used}, limited: {limited}"
        ))
    }

    /// `cpu for: a,b; memory for: a`: the limited resources that containers do not set.
    fn unspecified(&self, spec: &PodSpec) -> String {
        // Resources of the whole Pod are enough.
        let is_pod_level = |name: &String| {
            matches!(name.as_str(), "cpu" | "memory") || name.starts_with("hugepages-")
        };
        let of_pod = spec.resources.as_ref();
        let lists = of_pod.map(|it| [it.requests.as_ref(), it.limits.as_ref()]);
        let mut names = lists
            .iter()
            .flatten()
            .flatten()
            .flat_map(|list| list.keys());
        if names.any(is_pod_level) {
            return String::new();
        }
        let init_containers = spec.init_containers.iter().flatten();
        let containers: Vec<_> = spec.containers.iter().chain(init_containers).collect();
        let mut missing = Vec::new();
        for name in self.hard.keys() {
            let Some((_, qualified)) = REQUIRED
                .iter()
                .find(|(short, long)| name == short || name == long)
            else {
                continue;
            };
            let is_set_in =
                |resources: Option<&k8s_openapi::api::core::v1::ResourceRequirements>| {
                    let (list, resource) = qualified.split_once('.').unwrap_or_default();
                    resources.is_some_and(|resources| {
                        let list = if list == "limits" {
                            &resources.limits
                        } else {
                            &resources.requests
                        };
                        list.as_ref()
                            .is_some_and(|list| list.contains_key(resource))
                    })
                };
            let without: BTreeSet<&str> = containers
                .iter()
                .filter(|container| !is_set_in(container.resources.as_ref()))
                .map(|container| container.name.as_str())
                .collect();
            if !without.is_empty() {
                let without: Vec<&str> = without.into_iter().collect();
                missing.push(format!("{name} for: {}", without.join(",")));
            }
        }
        missing.join("; ")
    }
}

/// One if `name` is the object count of the resource: by full name, or by the short one of the first kinds.
fn counts(name: &str, resource: &str) -> Option<Quantity> {
    let is_counted = name == resource || name.strip_prefix("count/") == Some(resource);
    is_counted.then(|| Quantity::from_value(1))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn quotas(hard: Value) -> Quotas {
        let quota = json!([{"metadata": {"name": "small", "namespace": "default"}, "spec": {"hard": hard}}]);
        Quotas::new(&serde_json::from_value::<Vec<ResourceQuota>>(quota).unwrap())
    }

    fn pod(resources: Value) -> PodSpec {
        serde_json::from_value(json!({"containers": [{"name": "a", "resources": resources}]}))
            .unwrap()
    }

    #[test]
    fn pods_beyond_the_hard_limit_are_refused_with_the_numbers() {
        let mut quotas = quotas(json!({"cpu": "2", "pods": "5"}));
        let one = pod(json!({"requests": {"cpu": "1"}}));
        quotas.count("default", &one);
        assert_eq!(quotas.charge("default", &one), Ok(()));
        assert_eq!(quotas.charge("other", &one), Ok(()));
        let (_, message) = quotas.charge("default", &one).unwrap_err();
        assert_eq!(
            message,
            "exceeded quota: small, requested: cpu=1, used: cpu=2, limited: cpu=2"
        );
    }

    #[test]
    fn limits_counts_and_extended_resources_count() {
        let hard =
            json!({"count/pods": "1", "limits.memory": "1Gi", "requests.nvidia.com/gpu": "1"});
        let mut quotas = quotas(hard);
        let gpu = json!({"requests": {"nvidia.com/gpu": "1"}, "limits": {"memory": "1Gi"}});
        assert_eq!(quotas.charge("default", &pod(gpu.clone())), Ok(()));
        let (_, message) = quotas.charge("default", &pod(gpu)).unwrap_err();
        assert_eq!(
            message,
            "exceeded quota: small, requested: count/pods=1,limits.memory=1Gi,requests.nvidia.com/gpu=1, \
             used: count/pods=1,limits.memory=1Gi,requests.nvidia.com/gpu=1, \
             limited: count/pods=1,limits.memory=1Gi,requests.nvidia.com/gpu=1"
        );
    }

    #[test]
    fn a_scoped_quota_counts_what_is_in_its_scope() {
        let quota = |spec: Value| {
            let quota = json!({"metadata": {"name": "q"}, "spec": spec});
            Quota::new(&serde_json::from_value(quota).unwrap())
        };
        let covers = |spec: Value, fields: Value| {
            let mut pod = json!({"containers": [{"name": "a"}]});
            let fields = fields.as_object().unwrap().clone();
            pod.as_object_mut().unwrap().extend(fields);
            quota(spec).covers_pod(&serde_json::from_value(pod).unwrap())
        };
        let by_class = |operator: &str, values: Value| {
            let requirement =
                json!({"scopeName": "PriorityClass", "operator": operator, "values": values});
            json!({"scopeSelector": {"matchExpressions": [requirement]}})
        };
        let requests =
            json!({"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]});
        let deadline = json!({"activeDeadlineSeconds": 5});
        let high = json!({"priorityClassName": "high"});
        let far = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
            [{"topologyKey": "zone", "namespaces": ["other"]}]}}});
        for (spec, fields, expected) in [
            (json!({}), json!({}), true),
            (json!({"scopes": ["BestEffort"]}), json!({}), true),
            (json!({"scopes": ["BestEffort"]}), requests.clone(), false),
            (json!({"scopes": ["NotBestEffort"]}), requests, true),
            (json!({"scopes": ["Terminating"]}), deadline.clone(), true),
            (
                json!({"scopes": ["NotTerminating"]}),
                deadline.clone(),
                false,
            ),
            (
                json!({"scopes": ["Terminating", "NotBestEffort"]}),
                deadline,
                false,
            ),
            (json!({"scopes": ["PriorityClass"]}), json!({}), false),
            (json!({"scopes": ["PriorityClass"]}), high.clone(), true),
            (by_class("In", json!(["high"])), high.clone(), true),
            (by_class("In", json!(["low"])), high.clone(), false),
            (by_class("NotIn", json!(["high"])), json!({}), true),
            (by_class("DoesNotExist", json!(null)), high, false),
            (json!({"scopes": ["CrossNamespacePodAffinity"]}), far, true),
            (
                json!({"scopes": ["CrossNamespacePodAffinity"]}),
                json!({}),
                false,
            ),
        ] {
            assert_eq!(
                covers(spec.clone(), fields.clone()),
                expected,
                "{spec} {fields}"
            );
        }
    }

    #[test]
    fn claims_and_other_kinds_count_by_their_names() {
        let hard = json!({"requests.storage": "5Gi", "persistentvolumeclaims": "3",
            "gold.storageclass.storage.k8s.io/requests.storage": "2Gi",
            "silver.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
            "count/deployments.apps": "2", "services": "1"});
        let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": hard}});
        let quota = Quota::new(&serde_json::from_value(quota).unwrap());
        let claim = json!({"metadata": {}, "spec": {"storageClassName": "gold",
            "resources": {"requests": {"storage": "3Gi"}}}});
        let usage = quota.usage_of_claim(&serde_json::from_value(claim).unwrap());
        let names: Vec<String> = usage
            .iter()
            .map(|(name, it)| format!("{name}={it}"))
            .collect();
        assert_eq!(
            names,
            [
                "gold.storageclass.storage.k8s.io/requests.storage=3Gi",
                "persistentvolumeclaims=1",
                "requests.storage=3Gi"
            ]
        );
        let refused = quota.judge(&usage, &Amounts::new()).unwrap_err();
        assert!(
            refused.ends_with("limited: gold.storageclass.storage.k8s.io/requests.storage=2Gi")
        );
        assert_eq!(quota.usage_of("deployments.apps").len(), 1);
        assert_eq!(quota.usage_of("services").len(), 1);
        assert!(quota.usage_of("statefulsets.apps").is_empty());
    }

    #[test]
    fn limited_resources_must_be_specified() {
        let mut quotas = quotas(json!({"requests.cpu": "2", "limits.memory": "1Gi"}));
        let (_, message) = quotas.charge("default", &pod(json!({}))).unwrap_err();
        assert_eq!(
            message,
            "failed quota: small: must specify limits.memory for: a; requests.cpu for: a"
        );
    }
}
