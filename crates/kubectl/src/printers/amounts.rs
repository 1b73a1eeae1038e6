//! Requests and limits of Pods (`component-helpers/resource` v0.34), for the sums that kubectl shows.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::Fields;
use berth_base::quantity::Quantity;

/// Amounts by resource.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// Adds amounts to a sum.
pub(crate) fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let known = sum.entry(resource.clone()).or_default();
        *known = known.add(*amount);
    }
}

fn raise(to: &mut Amounts, least: &Amounts) {
    for (resource, amount) in least {
        let known = to.entry(resource.clone()).or_insert(*amount);
        *known = (*known).max(*amount);
    }
}

fn read(map: &Value) -> Amounts {
    let mut amounts = Amounts::new();
    for (resource, value) in map.entries_here() {
        if let Ok(amount) = Quantity::parse(&super::fields::scalar(value)) {
            amounts.insert(resource.to_owned(), amount);
        }
    }
    amounts
}

/// The `requests` or `limits` of a Pod: the larger of the containers' sum and the largest init container, overridden by
/// Pod-level amounts, plus the overhead.
pub(crate) fn of_pod(pod: &Value, field: &str) -> Amounts {
    let spec = pod.at("spec");
    let own = |container: &Value| read(container.at("resources").at(field));
    let mut sum = Amounts::new();
    for container in spec.items("containers") {
        add(&mut sum, &own(container));
    }
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in spec.items("initContainers") {
        let mut needed = own(container);
        if container.text("restartPolicy") == "Always" {
            add(&mut sidecars, &needed);
            raise(&mut most, &sidecars);
        } else {
            add(&mut needed, &sidecars);
            raise(&mut most, &needed);
        }
    }
    add(&mut sum, &sidecars);
    raise(&mut sum, &most);
    for (resource, amount) in read(spec.at("resources").at(field)) {
        sum.insert(resource, amount);
    }
    for (resource, amount) in read(spec.at("overhead")) {
        // The overhead does not create a limit where there is none.
        if field == "requests" || sum.get(&resource).is_some_and(|limit| !limit.is_zero()) {
            let known = sum.entry(resource).or_default();
            *known = known.add(amount);
        }
    }
    sum
}

/// The quality-of-service class of a Pod: from its status, or from its containers.
pub(crate) fn quality(pod: &Value) -> String {
    let class = pod.text("status.qosClass");
    if !class.is_empty() {
        return class.to_owned();
    }
    let spec = pod.at("spec");
    let all = spec
        .items("containers")
        .iter()
        .chain(spec.items("initContainers"));
    let mut all: Vec<&Value> = all.collect();
    if spec.has("resources") {
        all = vec![spec];
    }
    let (mut is_guaranteed, mut is_best_effort) = (!all.is_empty(), true);
    for container in all {
        for resource in ["cpu", "memory"] {
            let resources = container.at("resources");
            let limit = read(resources.at("limits"))
                .get(resource)
                .copied()
                .unwrap_or_default();
            let request = read(resources.at("requests"))
                .get(resource)
                .copied()
                .unwrap_or(limit);
            is_best_effort &= limit.is_zero() && request.is_zero();
            is_guaranteed &= !limit.is_zero() && limit == request;
        }
    }
    let class = match (is_best_effort, is_guaranteed) {
        (true, _) => "BestEffort",
        (_, true) => "Guaranteed",
        _ => "Burstable",
    };
    class.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_asks_for_its_containers_or_the_largest_init_container() {
        let container = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}}});
        let mut side = container("100m");
        side["restartPolicy"] = json!("Always");
        let pod = json!({"spec": {
            "initContainers": [side, container("2")],
            "containers": [container("500m"), container("250m")],
            "overhead": {"cpu": "10m"},
        }});
        assert_eq!(of_pod(&pod, "requests")["cpu"].to_string(), "2110m");
        assert!(of_pod(&pod, "limits").is_empty());
    }

    #[test]
    fn quality_follows_from_requests_and_limits() {
        let pod = |resources: Value| json!({"spec": {"containers": [{"resources": resources}]}});
        let both = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(quality(&pod(json!({}))), "BestEffort");
        assert_eq!(quality(&pod(json!({"limits": both}))), "Guaranteed");
        assert_eq!(quality(&pod(json!({"requests": both}))), "Burstable");
    }
}
