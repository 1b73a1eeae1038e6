//! The QoS class of a Pod (`component-helpers` and `pkg/apis/core/v1/helper/qos`, v1.34).

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;

use berth_base::quantity::Quantity;

/// The resources that count.
const COUNTED: [&str; 2] = ["cpu", "memory"];

/// `Guaranteed` if every container limits CPU and memory and requests as much, `BestEffort` if none has requests or
/// limits, else `Burstable`. Pod-level requests and limits replace those of the containers.
pub fn class_of(spec: &PodSpec) -> &'static str {
    if let Some(whole) = &spec.resources
        && (asks(whole.requests.as_ref()) || asks(whole.limits.as_ref()))
    {
        return class(&[whole]);
    }
    let empty = ResourceRequirements::default();
    let containers = spec
        .containers
        .iter()
        .chain(spec.init_containers.iter().flatten());
    let all: Vec<&ResourceRequirements> = containers
        .map(|container| container.resources.as_ref().unwrap_or(&empty))
        .collect();
    class(&all)
}

fn class(all: &[&ResourceRequirements]) -> &'static str {
    let asked = |it: &&ResourceRequirements| asks(it.requests.as_ref()) || asks(it.limits.as_ref());
    if !all.iter().any(asked) {
        return "BestEffort";
    }
    let limited = all.iter().all(|it| {
        COUNTED
            .iter()
            .all(|name| amount(it.limits.as_ref(), name) > Quantity::default())
    });
    let equal = COUNTED.iter().all(|name| {
        let sum = |lists: &mut dyn Iterator<Item = Quantity>| {
            lists.fold(Quantity::default(), Quantity::add)
        };
        let requests = sum(&mut all.iter().map(|it| amount(it.requests.as_ref(), name)));
        let limits = sum(&mut all.iter().map(|it| amount(it.limits.as_ref(), name)));
        requests == limits || requests == Quantity::default()
    });
    if limited && equal {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn asks(list: Option<&BTreeMap<String, ApiQuantity>>) -> bool {
    COUNTED
        .iter()
        .any(|name| amount(list, name) > Quantity::default())
}

fn amount(list: Option<&BTreeMap<String, ApiQuantity>>, name: &str) -> Quantity {
    let quantity = list.and_then(|list| list.get(name));
    let parsed = quantity.and_then(|quantity| Quantity::parse(&quantity.0).ok());
    parsed.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Container;

    use super::*;

    fn resources(
        requests: &[(&str, &str)],
        limits: &[(&str, &str)],
    ) -> Option<ResourceRequirements> {
        let list = |entries: &[(&str, &str)]| {
            let entries = entries
                .iter()
                .map(|(name, text)| ((*name).to_owned(), ApiQuantity((*text).to_owned())));
            Some(entries.collect::<BTreeMap<_, _>>()).filter(|list| !list.is_empty())
        };
        Some(ResourceRequirements {
            requests: list(requests),
            limits: list(limits),
            ..ResourceRequirements::default()
        })
    }

    fn spec(all: &[Option<ResourceRequirements>]) -> PodSpec {
        let containers = all.iter().map(|resources| Container {
            resources: resources.clone(),
            ..Container::default()
        });
        PodSpec {
            containers: containers.collect(),
            ..PodSpec::default()
        }
    }

    #[test]
    fn classes_follow_requests_and_limits() {
        let full = resources(
            &[("cpu", "500m"), ("memory", "64Mi")],
            &[("cpu", "0.5"), ("memory", "64Mi")],
        );
        let limits_alone = resources(&[], &[("cpu", "1"), ("memory", "1Gi")]);
        let request = resources(&[("cpu", "1")], &[]);
        let less = resources(
            &[("cpu", "1"), ("memory", "1Gi")],
            &[("cpu", "2"), ("memory", "1Gi")],
        );
        let no_cpu = resources(&[("memory", "1Gi")], &[("memory", "1Gi")]);
        let others = resources(&[("nvidia.com/gpu", "1")], &[("nvidia.com/gpu", "1")]);
        let zero = resources(&[("cpu", "0")], &[("memory", "0")]);
        for (all, class) in [
            (vec![full.clone()], "Guaranteed"),
            (vec![limits_alone], "Guaranteed"),
            (vec![full.clone(), None], "Burstable"),
            (vec![request], "Burstable"),
            (vec![less], "Burstable"),
            (vec![no_cpu], "Burstable"),
            (vec![others], "BestEffort"),
            (vec![zero], "BestEffort"),
            (vec![None], "BestEffort"),
        ] {
            assert_eq!(class_of(&spec(&all)), class, "{all:?}");
        }
        let mut init = spec(std::slice::from_ref(&full));
        init.init_containers = spec(&[None]).containers.into();
        assert_eq!(class_of(&init), "Burstable", "init containers count");
        let mut whole = spec(&[None]);
        whole.resources = full;
        assert_eq!(
            class_of(&whole),
            "Guaranteed",
            "the Pod's own resources count instead"
        );
    }
}
