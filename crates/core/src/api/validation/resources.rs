//! Resource names, quantities, requests and limits.

use berth_protocol::remark::Remark;
use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use super::Errors;
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{label_key, label_key_errors};

/// Resources without a domain that containers may request, besides huge pages.
const CONTAINER_RESOURCES: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Other names without a domain, which are valid elsewhere (quotas, Nodes, claims).
const OTHER_RESOURCES: [&str; 17] = [
    "configmaps",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
    "storage",
];

/// Resources with integer amounts.
const INTEGER_RESOURCES: [&str; 9] = [
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
];

/// Parses a quantity, or reports why it is invalid.
pub fn quantity(path: &Path, text: &str, errors: &mut Errors) -> Option<Quantity> {
    let parsed = Quantity::parse(text);
    if let Err(error) = &parsed {
        let error = FieldError::invalid(path, text, &error.to_string());
        errors.push(error.help(Remark::quantity_example()));
    }
    parsed.ok()
}

/// Validates an amount of a resource: not negative, and integer if the resource requires it.
pub fn resource_quantity(
    path: &Path,
    name: &str,
    text: &str,
    errors: &mut Errors,
) -> Option<Quantity> {
    let amount = quantity(path, text, errors)?;
    if amount.is_negative() {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid(path, amount.to_string(), detail));
    }
    let whole = INTEGER_RESOURCES.contains(&name) || is_extended(name);
    if whole && amount.milli_value() % 1000 != 0 {
        errors.push(FieldError::invalid(
            path,
            amount.to_string(),
            "must be an integer",
        ));
    }
    Some(amount)
}

/// Huge pages are asked for in whole pages.
fn whole_pages(path: &Path, name: &str, amount: Option<Quantity>, errors: &mut Errors) {
    let size = name.strip_prefix("hugepages-").map(Quantity::parse);
    let (Some(Ok(size)), Some(amount)) = (size, amount) else {
        return;
    };
    if size.value() > 0 && amount.value() % size.value() != 0 {
        let detail = format!("{amount} is not positive integer multiple of {name}");
        errors.push(FieldError::invalid(path, amount.to_string(), &detail));
    }
}

/// Validates requests and limits of a container.
pub fn container_resources(path: &Path, resources: &ResourceRequirements, errors: &mut Errors) {
    requirements(path, resources, container_resource_name, errors);
}

/// Validates `spec.resources` of a Pod: its own amounts, and against those of its containers.
pub fn pod_resources(path: &Path, spec: &PodSpec, errors: &mut Errors) {
    let Some(resources) = &spec.resources else {
        return;
    };
    if spec.os.as_ref().is_some_and(|os| os.name == "windows") {
        errors.push(FieldError::forbidden(
            path,
            "may not be set for a windows pod",
        ));
        return;
    }
    if resources.claims.is_some() {
        let detail = "claims may not be set for Resources at pod-level";
        errors.push(FieldError::forbidden(&path.child("claims"), detail));
    }
    requirements(path, resources, pod_resource_name, errors);
    for (name, text) in resources.requests.iter().flatten() {
        let Ok(amount) = Quantity::parse(&text.0) else {
            continue;
        };
        let needed = aggregate_request(spec, name);
        if needed > amount && !amount.is_negative() {
            let detail = format!(
                "must be greater than or equal to aggregate container requests of {needed}"
            );
            let path = path.child("requests").key(name);
            errors.push(FieldError::invalid(&path, amount.to_string(), &detail));
        }
    }
    for (i, container) in spec.containers.iter().enumerate() {
        let limits = container
            .resources
            .as_ref()
            .and_then(|resources| resources.limits.as_ref());
        for (name, text) in limits.into_iter().flatten() {
            let own = Quantity::parse(&text.0).ok();
            let Some((own, pod)) = own.zip(amount(resources.limits.as_ref(), name)) else {
                continue;
            };
            if own > pod {
                let detail = format!("must be less than or equal to pod limits of {pod}");
                // The path that the API server prints; it is not the path of the limit.
                let path = path.child("containers").index(i).key(name).child("limits");
                errors.push(FieldError::invalid(&path, own.to_string(), &detail));
            }
        }
    }
}

/// Validates a Pod's `overhead`.
pub fn overhead(path: &Path, overhead: &BTreeMap<String, Text>, errors: &mut Errors) {
    for (name, text) in overhead {
        let path = path.key(name);
        container_resource_name(&path, name, errors);
        resource_quantity(&path, name, &text.0, errors);
    }
}

fn requirements(
    path: &Path,
    resources: &ResourceRequirements,
    check_name: fn(&Path, &str, &mut Errors),
    errors: &mut Errors,
) {
    for (name, text) in resources.limits.iter().flatten() {
        let path = path.child("limits").key(name);
        check_name(&path, name, errors);
        let limit = resource_quantity(&path, name, &text.0, errors);
        whole_pages(&path, name, limit, errors);
    }
    let requests_path = path.child("requests");
    for (name, text) in resources.requests.iter().flatten() {
        let path_of_name = requests_path.key(name);
        check_name(&path_of_name, name, errors);
        let request = resource_quantity(&path_of_name, name, &text.0, errors);
        whole_pages(&path_of_name, name, request, errors);
        let limit = amount(resources.limits.as_ref(), name);
        match (request, limit) {
            (Some(request), Some(limit)) if request != limit && !may_overcommit(name) => {
                let detail = format!("must be equal to {name} limit of {limit}");
                errors.push(FieldError::invalid(
                    &requests_path,
                    request.to_string(),
                    &detail,
                ));
            }
            (Some(request), Some(limit)) if request > limit => {
                let detail = format!("must be less than or equal to {name} limit of {limit}");
                errors.push(FieldError::invalid(
                    &requests_path,
                    request.to_string(),
                    &detail,
                ));
            }
            (Some(_), None) if !may_overcommit(name) => {
                let detail = "Limit must be set for non overcommitable resources";
                errors.push(FieldError::required(&path.child("limits"), detail));
            }
            _ => {}
        }
    }
    let names = || {
        resources
            .limits
            .iter()
            .chain(&resources.requests)
            .flatten()
            .map(|(name, _)| name)
    };
    let computes = names().any(|name| name == "cpu" || name == "memory");
    if !computes && names().any(|name| is_huge_pages(name)) {
        errors.push(FieldError::forbidden(
            path,
            "HugePages require cpu or memory",
        ));
    }
}

pub fn container_resource_name(path: &Path, name: &str, errors: &mut Errors) {
    let malformed = label_key_errors(name);
    if !malformed.is_empty() {
        errors.extend(label_key(path, name));
    } else if !name.contains('/') {
        let known = CONTAINER_RESOURCES.contains(&name) || is_huge_pages(name);
        if !known && !OTHER_RESOURCES.contains(&name) {
            let detail = "must be a standard resource type or fully qualified";
            errors.push(FieldError::invalid(path, name, detail));
        }
        if !known {
            let error =
                FieldError::invalid(path, name, "must be a standard resource for containers");
            errors.push(error.help(Remark::resource_names()));
        }
    } else if !is_native(name) && !is_extended(name) {
        let detail = "doesn't follow extended resource name standard";
        errors.push(FieldError::invalid(path, name, detail));
    }
}

fn pod_resource_name(path: &Path, name: &str, errors: &mut Errors) {
    let malformed = label_key(path, name);
    if !malformed.is_empty() {
        errors.extend(malformed);
        return;
    }
    let standard = CONTAINER_RESOURCES.contains(&name) || OTHER_RESOURCES.contains(&name);
    if !name.contains('/') && !standard && !is_huge_pages(name) {
        let detail = "must be a standard resource type or fully qualified";
        errors.push(FieldError::invalid(path, name, detail));
        return;
    }
    if !["cpu", "memory"].contains(&name) && !is_huge_pages(name) {
        let supported = ["cpu", "hugepages-", "memory"];
        errors.push(FieldError::not_supported(path, name, &supported));
    }
}

fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Kubernetes' own resources.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Extended resources, like `nvidia.com/gpu`.
pub(crate) fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && label_key_errors(&format!("requests.{name}")).is_empty()
}

/// Whether a node may overcommit the resource.
pub fn may_overcommit(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

fn amount(list: Option<&BTreeMap<String, Text>>, name: &str) -> Option<Quantity> {
    list.and_then(|list| list.get(name))
        .and_then(|text| Quantity::parse(&text.0).ok())
}

/// The maximum that the containers of a Pod need together: all containers and sidecars, or an init
/// container beside the sidecars that started before it.
fn aggregate_request(spec: &PodSpec, name: &str) -> Quantity {
    // A missing request defaults to the limit.
    let request = |resources: Option<&ResourceRequirements>| {
        let own = resources.and_then(|resources| {
            amount(resources.requests.as_ref(), name)
                .or_else(|| amount(resources.limits.as_ref(), name))
        });
        own.unwrap_or_default()
    };
    let mut total = Quantity::default();
    for container in &spec.containers {
        total = total.add(request(container.resources.as_ref()));
    }
    let mut sidecars = Quantity::default();
    let mut peak = Quantity::default();
    for container in spec.init_containers.iter().flatten() {
        let own = request(container.resources.as_ref());
        if container.restart_policy.as_deref() == Some("Always") {
            sidecars = sidecars.add(own);
            peak = peak.max(sidecars);
        } else {
            peak = peak.max(sidecars.add(own));
        }
    }
    total.add(sidecars).max(peak)
}
