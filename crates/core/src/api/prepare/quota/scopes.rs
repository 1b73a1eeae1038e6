//! Scopes of quotas: the Pods and the claims that count (v1.36's evaluators).

use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PodAffinityTerm, PodSpec, ResourceRequirements,
    ScopedResourceSelectorRequirement,
};

use berth_scheduler::affinity::pod_affinity_terms;

/// Whether a Pod is in a scope; unknown scopes contain no Pod.
pub(super) fn in_scope(scope: &ScopedResourceSelectorRequirement, spec: &PodSpec) -> bool {
    match scope.scope_name.as_str() {
        "Terminating" => is_terminating(spec),
        "NotTerminating" => !is_terminating(spec),
        "BestEffort" => is_best_effort(spec),
        "NotBestEffort" => !is_best_effort(spec),
        "PriorityClass" => is_of_class(scope, spec),
        "CrossNamespacePodAffinity" => reaches_other_namespaces(spec),
        _ => false,
    }
}

/// Whether the Pod has an active deadline.
fn is_terminating(spec: &PodSpec) -> bool {
    spec.active_deadline_seconds
        .is_some_and(|seconds| seconds >= 0)
}

/// Whether no container sets CPU or memory.
fn is_best_effort(spec: &PodSpec) -> bool {
    let asks = |resources: Option<&ResourceRequirements>| {
        let lists = resources.map(|it| [it.requests.as_ref(), it.limits.as_ref()]);
        lists.into_iter().flatten().flatten().any(|list| {
            ["cpu", "memory"]
                .into_iter()
                .filter_map(|name| list.get(name))
                .any(|it| !super::amount(it).is_zero())
        })
    };
    let init_containers = spec.init_containers.iter().flatten();
    let mut containers = spec.containers.iter().chain(init_containers);
    !asks(spec.resources.as_ref()) && !containers.any(|it| asks(it.resources.as_ref()))
}

fn is_of_class(scope: &ScopedResourceSelectorRequirement, spec: &PodSpec) -> bool {
    let name = spec.priority_class_name.as_deref();
    selects(scope, name.filter(|name| !name.is_empty()).as_slice())
}

/// Whether a claim is in a scope: that of its VolumeAttributesClasses, present and wanted.
pub(super) fn holds_claim(
    scope: &ScopedResourceSelectorRequirement,
    claim: &PersistentVolumeClaim,
) -> bool {
    let wanted = claim.spec.as_ref();
    let wanted = wanted.and_then(|it| it.volume_attributes_class_name.as_deref());
    let status = claim.status.as_ref();
    let current = status.and_then(|it| it.current_volume_attributes_class_name.as_deref());
    let target = status.and_then(|it| it.modify_volume_status.as_ref());
    let target = target.and_then(|it| it.target_volume_attributes_class_name.as_deref());
    let names = [wanted, current, target].into_iter().flatten();
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    scope.scope_name == "VolumeAttributesClass" && selects(scope, &names)
}

/// Whether a requirement selects one of the names.
fn selects(scope: &ScopedResourceSelectorRequirement, names: &[&str]) -> bool {
    let listed = |name: &&str| scope.values.iter().flatten().any(|it| it == name);
    match scope.operator.as_str() {
        "Exists" => !names.is_empty(),
        "DoesNotExist" => names.is_empty(),
        "In" => names.iter().any(listed),
        "NotIn" => names.is_empty() || !names.iter().all(listed),
        _ => false,
    }
}

fn reaches_other_namespaces(spec: &PodSpec) -> bool {
    let reaches = |term: &PodAffinityTerm| {
        term.namespaces
            .as_ref()
            .is_some_and(|names| !names.is_empty())
            || term.namespace_selector.is_some()
    };
    pod_affinity_terms(spec).any(reaches)
}
