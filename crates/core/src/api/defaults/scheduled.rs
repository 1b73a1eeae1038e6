//! The defaults of a Pod that scheduling reads (core/v1, v1.34).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{PROTOCOL, SCHEDULER, fill};
use crate::api::prepare::resources::{
    ResourceList, aggregate_limits, aggregate_requests, round_up_to_milli,
};

/// Completes what scheduling reads; idempotent. Scheduling alone needs no other defaults.
pub(crate) fn pod_spec(spec: &mut PodSpec) {
    fill(&mut spec.scheduler_name, SCHEDULER);
    let host_network = spec.host_network == Some(true);
    let init_containers = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init_containers) {
        self::container(container, host_network);
    }
    round_up_to_milli(spec.overhead.as_mut());
    set_pod_level_resources(spec);
}

/// Completes a container of a Pod. Those of a template keep absent requests and ports of the host.
pub(super) fn container(container: &mut Container, host_network: bool) {
    if let Some(resources) = &mut container.resources {
        round_up_to_milli(resources.limits.as_mut());
        round_up_to_milli(resources.requests.as_mut());
        request_what_is_limited(resources);
    }
    for port in container.ports.iter_mut().flatten() {
        fill(&mut port.protocol, PROTOCOL);
        if host_network && port.host_port.unwrap_or_default() == 0 {
            port.host_port = Some(port.container_port);
        }
    }
}

/// The request of a limited resource defaults to its limit.
fn request_what_is_limited(resources: &mut ResourceRequirements) {
    let Some(limits) = &resources.limits else {
        return;
    };
    let requests = resources.requests.get_or_insert_default();
    for (name, limit) in limits {
        requests
            .entry(name.clone())
            .or_insert_with(|| limit.clone());
    }
}

/// Pod-level limits of huge pages default to the sum of the containers' limits. With Pod-level limits, Pod-level requests
/// default to the sum of the containers' requests, but not those of huge pages, and to the limit for resources that no
/// container requests.
fn set_pod_level_resources(spec: &mut PodSpec) {
    let Some(resources) = &mut spec.resources else {
        return;
    };
    round_up_to_milli(resources.limits.as_mut());
    round_up_to_milli(resources.requests.as_mut());
    let is_set = |list: &Option<ResourceList>| list.as_ref().is_some_and(|list| !list.is_empty());
    if !is_set(&resources.limits) && !is_set(&resources.requests) {
        return;
    }
    let init_containers = spec.init_containers.as_deref().unwrap_or_default();
    let mut pages = aggregate_limits(&spec.containers, init_containers);
    let requested = resources.requests.as_ref();
    pages.retain(|name, _| {
        is_huge_pages(name) && requested.is_none_or(|list| !list.contains_key(name))
    });
    if !pages.is_empty() {
        let limits = resources.limits.get_or_insert_default();
        add_missing(limits, pages.into_iter());
    }
    let limits = match &resources.limits {
        Some(limits) if !limits.is_empty() => limits.clone(),
        _ => return,
    };
    let mut of_containers = aggregate_requests(&spec.containers, init_containers);
    of_containers.retain(|name, _| !is_huge_pages(name));
    let requests = resources.requests.get_or_insert_default();
    let candidates = of_containers.into_iter().chain(limits);
    add_missing(
        requests,
        candidates.filter(|(name, _)| is_pod_level_resource(name)),
    );
}

fn add_missing(
    requests: &mut BTreeMap<String, Quantity>,
    candidates: impl Iterator<Item = (String, Quantity)>,
) {
    for (name, quantity) in candidates {
        requests.entry(name).or_insert(quantity);
    }
}

/// Whether the Pod-level `spec.resources` may contain the resource.
fn is_pod_level_resource(name: &str) -> bool {
    name == "cpu" || name == "memory" || is_huge_pages(name)
}

fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn defaulted(spec: Value) -> Value {
        let mut spec: PodSpec = serde_json::from_value(spec).unwrap();
        pod_spec(&mut spec);
        serde_json::to_value(spec).unwrap()
    }

    #[test]
    fn each_missing_request_becomes_the_limit_in_containers_and_init_containers() {
        let resources = json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}});
        let spec = defaulted(json!({
            "containers": [{"name": "a", "resources": resources}],
            "initContainers": [{"name": "b", "resources": {"limits": {"cpu": "3"}}}],
        }));
        let requests = &spec["containers"][0]["resources"]["requests"];
        assert_eq!(*requests, json!({"cpu": "1", "memory": "1Gi"}));
        assert_eq!(
            spec["initContainers"][0]["resources"]["requests"],
            json!({"cpu": "3"})
        );
    }

    #[test]
    fn pod_level_requests_are_the_containers_sum_else_the_limit() {
        let spec = defaulted(json!({
            "containers": [
                {"name": "a", "resources": {"requests": {"cpu": "100m"}}},
                {"name": "b", "resources": {"requests": {"cpu": "200m"}}},
            ],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
        }));
        assert_eq!(
            spec["resources"]["requests"],
            json!({"cpu": "300m", "memory": "1Gi"})
        );
    }

    #[test]
    fn huge_pages_of_containers_are_limits_of_the_pod() {
        let limits = json!({"hugepages-2Mi": "4Mi"});
        let container = json!({"name": "a", "resources": {"limits": limits}});
        let defaulted = |resources: Value| {
            defaulted(json!({"containers": [container], "resources": resources}))["resources"]
                .clone()
        };
        assert_eq!(
            defaulted(json!({"requests": {"cpu": "1"}})),
            json!({"limits": limits, "requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}})
        );
        let of_pod = json!({"hugepages-2Mi": "8Mi"});
        assert_eq!(
            defaulted(json!({"limits": of_pod})),
            json!({"limits": of_pod, "requests": of_pod})
        );
        assert_eq!(defaulted(json!({})), json!({}));
    }

    #[test]
    fn pod_level_requests_without_pod_level_limits_stay_as_they_are() {
        let container = json!({"name": "a", "resources": {"requests": {"memory": "1Gi"}}});
        let pod_level = json!({"requests": {"cpu": "1"}});
        let spec = defaulted(json!({"containers": [container], "resources": pod_level}));
        assert_eq!(spec["resources"], pod_level);
    }

    #[test]
    fn ports_get_tcp_and_with_host_network_their_own_number_on_the_host() {
        let ports = json!([{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]);
        let plain = defaulted(json!({"containers": [{"name": "a", "ports": ports}]}));
        assert_eq!(
            plain["containers"][0]["ports"][0],
            json!({"containerPort": 80, "protocol": "TCP"})
        );

        let host = defaulted(json!({
            "hostNetwork": true,
            "containers": [{"name": "a", "ports": ports}],
        }));
        assert_eq!(host["containers"][0]["ports"][1]["hostPort"], json!(53));
        assert_eq!(host["containers"][0]["ports"][1]["protocol"], json!("UDP"));
    }

    #[test]
    fn scheduler_name_is_the_default_one_and_quantities_round_up_to_a_thousandth() {
        let resources = json!({"requests": {"cpu": "0.0001", "memory": "100n"}});
        let spec = defaulted(json!({
            "containers": [{"name": "a", "resources": resources}],
            "overhead": {"cpu": "1500u"},
        }));
        assert_eq!(spec["schedulerName"], json!("default-scheduler"));
        let requests = &spec["containers"][0]["resources"]["requests"];
        assert_eq!(*requests, json!({"cpu": "1m", "memory": "1m"}));
        assert_eq!(spec["overhead"], json!({"cpu": "2m"}));
    }
}
