//! ResourceQuota admission for Pods (v1.34's ResourceQuota plugin and Pod evaluator).
//!
//! Quotas with scopes are not enforced, nor are counts of objects other than Pods.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodSpec, ResourceQuota};

use crate::api::quantity::Quantity;
use crate::base::sort;

use super::meta::{name_of, namespace_of};
use super::priority::Refusal;
use super::resources::{aggregate_limits, aggregate_requests, amount};

/// Resources that containers have to ask for where a quota limits them.
const REQUIRED: [(&str, &str); 4] = [
    ("cpu", "requests.cpu"),
    ("memory", "requests.memory"),
    ("limits.cpu", "limits.cpu"),
    ("limits.memory", "limits.memory"),
];

#[derive(Debug)]
struct Quota {
    name: String,
    hard: BTreeMap<String, Quantity>,
    used: BTreeMap<String, Quantity>,
}

/// The quotas of a cluster with what is used of them, by namespace.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    by_namespace: BTreeMap<String, Vec<Quota>>,
}

impl Quotas {
    pub(super) fn new(quotas: &[ResourceQuota]) -> Self {
        let mut by_namespace: BTreeMap<String, Vec<Quota>> = BTreeMap::new();
        for quota in quotas {
            let spec = quota.spec.clone().unwrap_or_default();
            let is_scoped = spec.scopes.is_some_and(|scopes| !scopes.is_empty());
            if is_scoped || spec.scope_selector.is_some() {
                continue;
            }
            let hard = spec.hard.unwrap_or_default();
            by_namespace
                .entry(namespace_of(&quota.metadata).to_owned())
                .or_default()
                .push(Quota {
                    name: name_of(&quota.metadata).to_owned(),
                    hard: hard
                        .iter()
                        .map(|(name, quantity)| (name.clone(), amount(quantity)))
                        .collect(),
                    used: BTreeMap::new(),
                });
        }
        Quotas { by_namespace }
    }

    pub(super) fn covers(&self, namespace: &str) -> bool {
        self.by_namespace.contains_key(namespace)
    }

    /// Counts a Pod that exists, whatever the quotas say now.
    pub(super) fn count(&mut self, namespace: &str, spec: &PodSpec) {
        for quota in self.by_namespace.get_mut(namespace).into_iter().flatten() {
            let usage = quota.usage(spec);
            quota.add(usage);
        }
    }

    /// Counts a new Pod if every quota of its namespace has room for it.
    pub(super) fn charge(&mut self, namespace: &str, spec: &PodSpec) -> Result<(), Refusal> {
        let Some(quotas) = self.by_namespace.get_mut(namespace) else {
            return Ok(());
        };
        for quota in &*quotas {
            quota
                .judge(spec)
                .map_err(|reason| ("spec.containers", reason))?;
        }
        self.count(namespace, spec);
        Ok(())
    }
}

impl Quota {
    /// What a Pod uses of the resources that this quota limits.
    fn usage(&self, spec: &PodSpec) -> BTreeMap<String, Quantity> {
        let init_containers = spec.init_containers.as_deref().unwrap_or_default();
        let mut requests = aggregate_requests(&spec.containers, init_containers);
        let mut limits = aggregate_limits(&spec.containers, init_containers);
        // Pod-level resources stand in for the containers'.
        let of_pod = spec.resources.clone().unwrap_or_default();
        requests.extend(of_pod.requests.unwrap_or_default());
        limits.extend(of_pod.limits.unwrap_or_default());
        let used = self.hard.keys().filter_map(|name| {
            let quantity = match name.as_str() {
                "pods" | "count/pods" => Some(Quantity::from_value(1)),
                _ => match name.strip_prefix("limits.") {
                    Some(resource) => limits.get(resource).map(amount),
                    None => requests
                        .get(name.strip_prefix("requests.").unwrap_or(name))
                        .map(amount),
                },
            };
            quantity.map(|quantity| (name.clone(), quantity))
        });
        sort::gather(used)
    }

    fn add(&mut self, usage: BTreeMap<String, Quantity>) {
        for (name, quantity) in usage {
            let used = self.used.entry(name).or_default();
            *used = used.add(quantity);
        }
    }

    fn judge(&self, spec: &PodSpec) -> Result<(), String> {
        let unspecified = self.unspecified(spec);
        if !unspecified.is_empty() {
            return Err(format!(
                "failed quota: {}: must specify {unspecified}",
                self.name
            ));
        }
        let usage = self.usage(spec);
        let used = |name: &str| self.used.get(name).copied().unwrap_or_default();
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

    /// `cpu for: a,b; memory for: a`: what containers do not say although the quota limits it.
    fn unspecified(&self, spec: &PodSpec) -> String {
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
            let of_pod = spec.resources.as_ref();
            let says = |resources: Option<&k8s_openapi::api::core::v1::ResourceRequirements>| {
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
            if says(of_pod) {
                continue;
            }
            let silent = containers
                .iter()
                .filter(|container| !says(container.resources.as_ref()));
            let silent: Vec<_> = silent.map(|container| container.name.as_str()).collect();
            if !silent.is_empty() {
                missing.push(format!("{name} for: {}", silent.join(",")));
            }
        }
        missing.join("; ")
    }
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
    fn what_is_limited_has_to_be_specified() {
        let mut quotas = quotas(json!({"requests.cpu": "2", "limits.memory": "1Gi"}));
        let (_, message) = quotas.charge("default", &pod(json!({}))).unwrap_err();
        assert_eq!(
            message,
            "failed quota: small: must specify limits.memory for: a; requests.cpu for: a"
        );
    }
}
