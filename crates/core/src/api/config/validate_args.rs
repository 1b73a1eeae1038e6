//! Validates plugin arguments like kube-scheduler v1.34.

use berth_protocol::remark::Remark;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::args::{
    DefaultPreemptionArgs, DynamicResourcesArgs, InterPodAffinityArgs, NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, PodTopologySpreadArgs, ResourceSpec,
    UtilizationShapePoint, VolumeBindingArgs,
};
use berth_base::duration::parse_nanos;
use berth_scheduler::config::added_affinity::added_node_affinity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::label_key;
use berth_scheduler::release::{Gate, Release};

/// A shape as JSON, as messages print it.
fn shape_json(shape: &[UtilizationShapePoint]) -> Value {
    let point = |point: &UtilizationShapePoint| json!({"Utilization": point.utilization, "Score": point.score});
    shape.iter().map(point).collect()
}

/// The error for a plugin that the configuration may no longer name.
pub(super) fn removed(path: &Path, name: &str) -> FieldError {
    let version = super::API_VERSION;
    // Upstream compares with core's "v1", so the message names that version.
    let detail = format!(
        "was invalid in version \"v1\" (KubeSchedulerConfiguration is version {version:?})"
    );
    FieldError::invalid(path, name, &detail).help(Remark::volume_limits())
}

pub(super) fn default_preemption(path: &Path, args: &DefaultPreemptionArgs) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (percentage, absolute) = (
        args.min_candidate_nodes_percentage,
        args.min_candidate_nodes_absolute,
    );
    let percentage_path = path.child("minCandidateNodesPercentage");
    let absolute_path = path.child("minCandidateNodesAbsolute");
    if !(0..=100).contains(&percentage) {
        let detail = "not in valid range [0, 100]";
        errors.push(FieldError::invalid(&percentage_path, percentage, detail));
    }
    if absolute < 0 {
        let detail = "not in valid range [0, inf)";
        errors.push(FieldError::invalid(&absolute_path, absolute, detail));
    }
    if percentage == 0 && absolute == 0 {
        let both = |other| format!("cannot be zero at the same time as {other}");
        let detail = both("minCandidateNodesAbsolute");
        errors.push(FieldError::invalid(&percentage_path, percentage, &detail));
        let detail = both("minCandidateNodesPercentage");
        errors.push(FieldError::invalid(&absolute_path, absolute, &detail));
    }
    errors
}

pub(super) fn dynamic_resources(path: &Path, args: &DynamicResourcesArgs) -> Vec<FieldError> {
    let timeout = args.filter_timeout.as_str();
    match timeout.starts_with('-') {
        false => Vec::new(),
        true => {
            let path = path.child("filterTimeout");
            vec![FieldError::invalid(
                &path,
                timeout,
                "must be zero or positive",
            )]
        }
    }
}

/// `bindingTimeout` of DynamicResourcesArgs, a Go duration, in milliseconds.
pub(super) fn binding_timeout(
    path: &Path,
    timeout: &str,
    release: &Release,
) -> Result<i64, Vec<FieldError>> {
    let path = path.child("bindingTimeout");
    let has_conditions = release.is_on(Gate::DRADeviceBindingConditions)
        && release.is_on(Gate::DRAResourceClaimDeviceStatus);
    if !has_conditions {
        let detail =
            "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled";
        return Err(vec![FieldError::forbidden(&path, detail)]);
    }
    match parse_nanos(timeout) {
        Some(nanos) if nanos >= 1_000_000_000 => Ok(nanos / 1_000_000),
        _ => {
            let detail = "must be at least 1 second";
            Err(vec![FieldError::invalid(&path, timeout, detail)])
        }
    }
}

pub(super) fn inter_pod_affinity(path: &Path, args: &InterPodAffinityArgs) -> Vec<FieldError> {
    let weight = args.hard_pod_affinity_weight;
    match (0..=100).contains(&weight) {
        true => Vec::new(),
        false => {
            let path = path.child("hardPodAffinityWeight");
            vec![FieldError::invalid(
                &path,
                weight,
                "not in valid range [0, 100]",
            )]
        }
    }
}

pub(super) fn node_affinity(path: &Path, args: &NodeAffinityArgs) -> Vec<FieldError> {
    let path = path.child("addedAffinity");
    args.added_affinity
        .as_ref()
        .map(|affinity| added_node_affinity(&path, affinity))
        .unwrap_or_default()
}

pub(super) fn balanced_allocation(
    path: &Path,
    args: &NodeResourcesBalancedAllocationArgs,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for (i, resource) in args.resources.iter().enumerate() {
        let path = path.child("resources").index(i);
        if !seen.insert(resource.name.as_str()) {
            errors.push(FieldError::duplicate(
                &path.child("name"),
                resource.name.as_str(),
            ));
        }
        if resource.weight != 1 {
            errors.push(FieldError::invalid(
                &path.child("weight"),
                resource.weight,
                "must be 1",
            ));
        }
    }
    errors
}

pub(super) fn ignored_resources(path: &Path, args: &NodeResourcesFitArgs) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, name) in args.ignored_resources.iter().enumerate() {
        errors.extend(label_key(&path.child("ignoredResources").index(i), name));
    }
    for (i, group) in args.ignored_resource_groups.iter().enumerate() {
        let path = path.child("ignoredResourceGroups").index(i);
        if group.contains('/') {
            let detail = "resource group name can't contain '/'";
            errors.push(FieldError::invalid(&path, group.as_str(), detail));
        }
        errors.extend(label_key(&path, group));
    }
    errors
}

/// `ratio` is the shape of `requestedToCapacityRatio`, if that field is present; `forbids_unused`: other types may not
/// have it.
pub(super) fn scoring_strategy(
    path: &Path,
    name: &str,
    resources: &[ResourceSpec],
    ratio: Option<&[UtilizationShapePoint]>,
    forbids_unused: bool,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let supported = [
        "LeastAllocated",
        "MostAllocated",
        "RequestedToCapacityRatio",
    ];
    if !supported.contains(&name) {
        errors.push(FieldError::not_supported(
            &path.child("type"),
            name,
            &supported,
        ));
    }
    for (i, resource) in resources.iter().enumerate() {
        if !(1..=100).contains(&resource.weight) {
            let path = path.child("resources").index(i).child("weight");
            let detail = format!(
                "resource weight of {} not in valid range (0, 100]",
                resource.name
            );
            errors.push(FieldError::invalid(&path, resource.weight, &detail));
        }
    }
    let path = path.child("requestedToCapacityRatio");
    match (name, ratio) {
        ("RequestedToCapacityRatio", None) => {
            let detail = "must be specified when type is RequestedToCapacityRatio";
            errors.push(FieldError::required(&path, detail));
        }
        ("RequestedToCapacityRatio", Some(shape)) => {
            function_shape(&path.child("shape"), shape, &mut errors);
        }
        (_, Some(shape)) if !forbids_unused => {
            function_shape(&path.child("shape"), shape, &mut errors);
        }
        (_, Some(_)) => {
            let detail = "must be nil when type is not RequestedToCapacityRatio";
            errors.push(FieldError::forbidden(&path, detail));
        }
        (_, None) => {}
    }
    errors
}

fn function_shape(path: &Path, shape: &[UtilizationShapePoint], errors: &mut Vec<FieldError>) {
    if shape.is_empty() {
        errors.push(FieldError::required(
            path,
            "at least one point must be specified",
        ));
    }
    let unsorted = shape.windows(2).position(|pair| match pair {
        [a, b] => a.utilization >= b.utilization,
        _ => false,
    });
    if let Some((i, point)) = unsorted.and_then(|i| Some((i + 1, shape.get(i + 1)?))) {
        let path = path.index(i).child("utilization");
        let detail = "values must be sorted in increasing order";
        errors.push(FieldError::invalid(&path, point.utilization, detail));
    }
    for (i, point) in shape.iter().enumerate() {
        let path = path.index(i);
        if !(0..=100).contains(&point.utilization) {
            let detail = "not in valid range [0, 100]";
            errors.push(FieldError::invalid(
                &path.child("utilization"),
                point.utilization,
                detail,
            ));
        }
        if !(0..=10).contains(&point.score) {
            let detail = "not in valid range [0, 10]";
            errors.push(FieldError::invalid(
                &path.child("score"),
                point.score,
                detail,
            ));
        }
    }
}

pub(super) fn pod_topology_spread(
    path: &Path,
    args: &PodTopologySpreadArgs,
    defaulting: &str,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let defaulting_path = path.child("defaultingType");
    if !["System", "List"].contains(&defaulting) {
        errors.push(FieldError::not_supported(
            &defaulting_path,
            defaulting,
            &["System", "List"],
        ));
    } else if defaulting == "System" && !args.default_constraints.is_empty() {
        let detail = "when .defaultConstraints are not empty";
        let error = FieldError::invalid(&defaulting_path, defaulting, detail);
        errors.push(error.help(Remark::own_constraints()));
    }
    let constraints = &args.default_constraints;
    let mut seen = BTreeSet::new();
    for (i, constraint) in constraints.iter().enumerate() {
        let path = path.child("defaultConstraints").index(i);
        if constraint.max_skew <= 0 {
            let detail = "not in valid range (0, inf)";
            errors.push(FieldError::invalid(
                &path.child("maxSkew"),
                constraint.max_skew,
                detail,
            ));
        }
        let key_path = path.child("topologyKey");
        match constraint.topology_key.as_str() {
            "" => errors.push(FieldError::required(&key_path, "can not be empty")),
            key => errors.extend(label_key(&key_path, key)),
        }
        let action_path = path.child("whenUnsatisfiable");
        match constraint.when_unsatisfiable.as_str() {
            "" => errors.push(FieldError::required(&action_path, "can not be empty")),
            "DoNotSchedule" | "ScheduleAnyway" => {}
            other => {
                let supported = ["DoNotSchedule", "ScheduleAnyway"];
                errors.push(FieldError::not_supported(&action_path, other, &supported));
            }
        }
        if constraint.label_selector.is_some() {
            let detail = "constraint must not define a selector, as they deduced for each pod";
            errors.push(FieldError::forbidden(&path.child("labelSelector"), detail));
        }
        let (key, action) = (&constraint.topology_key, &constraint.when_unsatisfiable);
        if !seen.insert((key, action)) {
            errors.push(FieldError::duplicate(&path, format!("{{{key}, {action}}}")));
        }
    }
    errors
}

pub(super) fn volume_binding(
    path: &Path,
    args: &VolumeBindingArgs,
    shape: Option<&[UtilizationShapePoint]>,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if args.bind_timeout_seconds < 0 {
        let path = path.child("bindTimeoutSeconds");
        let detail = "invalid BindTimeoutSeconds, should not be a negative value";
        errors.push(FieldError::invalid(
            &path,
            args.bind_timeout_seconds,
            detail,
        ));
    }
    if let Some(shape) = shape {
        let detail = "unexpected field `shape`, remove it or turn on the feature gate \
                      StorageCapacityScoring";
        errors.push(FieldError::invalid(
            &path.child("shape"),
            shape_json(shape),
            detail,
        ));
    }
    errors
}
