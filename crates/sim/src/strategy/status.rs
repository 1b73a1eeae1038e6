//! What the API server checks in a new status, kind by kind (v1.36).

use std::net::IpAddr;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{Job, JobStatus};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

use super::Errors;
use super::meta::IMMUTABLE;
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};

const NEGATIVE: &str = "must be greater than or equal to 0";
const RESIZES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

fn path(field: &str) -> Path {
    Path::root().child("status").child(field)
}

/// Reports negative numbers.
fn counts(fields: &[(&str, Option<i64>)], errors: &mut Errors) {
    for (field, number) in fields {
        if let Some(number) = number.filter(|number| *number < 0) {
            errors.push(FieldError::invalid(&path(field), number, NEGATIVE));
        }
    }
}

/// Reports counts of Pods beyond another count.
fn within(fields: &[(&str, i32)], (name, most): (&str, i32), errors: &mut Errors) {
    for (field, number) in fields.iter().filter(|(_, number)| *number > most) {
        let detail = format!("cannot be greater than {name}");
        errors.push(FieldError::invalid(&path(field), *number, &detail));
    }
}

fn wide(number: Option<i32>) -> Option<i64> {
    number.map(i64::from)
}

/// `ValidateDeploymentStatus`.
pub(super) fn deployment(object: &Deployment, _: &Deployment, errors: &mut Errors) {
    let Some(status) = &object.status else { return };
    let all = status.replicas.unwrap_or(0);
    let ready = status.ready_replicas.unwrap_or(0);
    let available = status.available_replicas.unwrap_or(0);
    counts(
        &[
            ("observedGeneration", status.observed_generation),
            ("replicas", wide(status.replicas)),
            ("updatedReplicas", wide(status.updated_replicas)),
            ("readyReplicas", wide(status.ready_replicas)),
            ("availableReplicas", wide(status.available_replicas)),
            ("unavailableReplicas", wide(status.unavailable_replicas)),
            ("terminatingReplicas", wide(status.terminating_replicas)),
            ("collisionCount", wide(status.collision_count)),
        ],
        errors,
    );
    let parts = [
        ("updatedReplicas", status.updated_replicas.unwrap_or(0)),
        ("readyReplicas", ready),
        ("availableReplicas", available),
    ];
    within(&parts, ("status.replicas", all), errors);
    let available = [("availableReplicas", available)];
    within(&available, ("readyReplicas", ready), errors);
}

/// `ValidateReplicaSetStatus`.
pub(super) fn replica_set(object: &ReplicaSet, _: &ReplicaSet, errors: &mut Errors) {
    let Some(status) = &object.status else { return };
    let ready = status.ready_replicas.unwrap_or(0);
    let available = status.available_replicas.unwrap_or(0);
    counts(
        &[
            ("replicas", Some(status.replicas.into())),
            ("fullyLabeledReplicas", wide(status.fully_labeled_replicas)),
            ("readyReplicas", wide(status.ready_replicas)),
            ("availableReplicas", wide(status.available_replicas)),
            ("observedGeneration", status.observed_generation),
        ],
        errors,
    );
    let parts = [
        (
            "fullyLabeledReplicas",
            status.fully_labeled_replicas.unwrap_or(0),
        ),
        ("readyReplicas", ready),
        ("availableReplicas", available),
    ];
    within(&parts, ("status.replicas", status.replicas), errors);
    let available = [("availableReplicas", available)];
    within(&available, ("readyReplicas", ready), errors);
}

/// `ValidateStatefulSetStatus`.
pub(super) fn stateful_set(object: &StatefulSet, _: &StatefulSet, errors: &mut Errors) {
    let Some(status) = &object.status else { return };
    let ready = status.ready_replicas.unwrap_or(0);
    let available = status.available_replicas.unwrap_or(0);
    counts(
        &[
            ("replicas", Some(status.replicas.into())),
            ("readyReplicas", wide(status.ready_replicas)),
            ("currentReplicas", wide(status.current_replicas)),
            ("updatedReplicas", wide(status.updated_replicas)),
            ("availableReplicas", wide(status.available_replicas)),
            ("observedGeneration", status.observed_generation),
            ("collisionCount", wide(status.collision_count)),
        ],
        errors,
    );
    let parts = [
        ("readyReplicas", ready),
        ("currentReplicas", status.current_replicas.unwrap_or(0)),
        ("updatedReplicas", status.updated_replicas.unwrap_or(0)),
        ("availableReplicas", available),
    ];
    within(&parts, ("status.replicas", status.replicas), errors);
    let available = [("availableReplicas", available)];
    within(&available, ("status.readyReplicas", ready), errors);
}

/// `ValidatePodDisruptionBudgetStatusUpdate`.
pub(super) fn budget(object: &PodDisruptionBudget, _: &PodDisruptionBudget, errors: &mut Errors) {
    let Some(status) = &object.status else { return };
    counts(
        &[
            ("disruptionsAllowed", wide(status.disruptions_allowed)),
            ("currentHealthy", wide(status.current_healthy)),
            ("desiredHealthy", wide(status.desired_healthy)),
            ("expectedPods", wide(status.expected_pods)),
        ],
        errors,
    );
}

/// `ValidateJobStatus`, with what only a change of a field is checked for (`getStatusValidationOptions`).
pub(super) fn job(object: &Job, before: &Job, errors: &mut Errors) {
    let none = JobStatus::default();
    let new = object.status.as_ref().unwrap_or(&none);
    let old = before.status.as_ref().unwrap_or(&none);
    counts(
        &[
            ("active", wide(new.active)),
            ("succeeded", wide(new.succeeded)),
            ("failed", wide(new.failed)),
            ("ready", wide(new.ready)),
            ("terminating", wide(new.terminating)),
        ],
        errors,
    );
    let holds = |status: &JobStatus, kind: &str| {
        let conditions = status.conditions.iter().flatten();
        conditions
            .into_iter()
            .any(|it| it.type_ == kind && it.status == "True")
    };
    let ended = |status: &JobStatus| holds(status, "Complete") || holds(status, "Failed");
    let is_complete = holds(new, "Complete");
    let is_changed = is_complete != holds(old, "Complete");
    if is_complete && is_changed && !holds(new, "SuccessCriteriaMet") {
        let detail =
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
        let value = json::value(&new.conditions);
        errors.push(FieldError::invalid(&path("conditions"), value, detail));
    }
    let is_timed = new.completion_time != old.completion_time;
    if is_complete && new.completion_time.is_none() && (is_changed || is_timed) {
        let detail = "completionTime is required for Complete jobs";
        errors.push(FieldError::required(&path("completionTime"), detail));
    }
    if !is_complete && new.completion_time.is_some() && (is_changed || is_timed) {
        let detail = "cannot set completionTime when there is no Complete=True condition";
        let value = json::value(&new.completion_time);
        errors.push(FieldError::invalid(&path("completionTime"), value, detail));
    }
    let active = new.active.unwrap_or(0);
    let is_new_end = ended(new) != ended(old);
    if ended(new) && active > 0 && (is_new_end || new.active != old.active) {
        let detail = "active>0 is invalid for finished job";
        errors.push(FieldError::invalid(&path("active"), active, detail));
    }
    let ready = new.ready.unwrap_or(0);
    let counts_changed = new.ready != old.ready || new.active != old.active;
    if counts_changed && ready > active {
        let detail = "cannot set more ready pods than active";
        errors.push(FieldError::invalid(&path("ready"), ready, detail));
    }
    let suspended = object.spec.as_ref().and_then(|spec| spec.suspend) == Some(true);
    let resumes = holds(old, "Suspended") && !holds(new, "Suspended");
    if old.start_time.is_some() && new.start_time != old.start_time && !suspended && !resumes {
        let detail = "field is immutable for unsuspended job once set";
        let value = json::value(&new.start_time);
        errors.push(FieldError::invalid(&path("startTime"), value, detail));
    }
    if old.completion_time.is_some() && is_timed && is_complete {
        let value = json::value(&new.completion_time);
        errors.push(FieldError::invalid(
            &path("completionTime"),
            value,
            IMMUTABLE,
        ));
    }
}

/// `ValidateLoadBalancerStatus`.
pub(super) fn service(object: &Service, _: &Service, errors: &mut Errors) {
    let status = object
        .status
        .as_ref()
        .and_then(|status| status.load_balancer.as_ref());
    let points = status
        .and_then(|status| status.ingress.as_deref())
        .unwrap_or_default();
    let spec = object.spec.as_ref();
    let path = path("loadBalancer").child("ingress");
    if spec.and_then(|spec| spec.type_.as_deref()) != Some("LoadBalancer") {
        if !points.is_empty() {
            let detail = "may only be used when `spec.type` is 'LoadBalancer'";
            errors.push(FieldError::forbidden(&path, detail));
        }
        return;
    }
    for (i, point) in points.iter().enumerate() {
        if let Some(ip) = point.ip.as_deref().filter(|ip| !ip.is_empty()) {
            address(&path.index(i).child("ip"), ip, errors);
        }
    }
}

/// An address in its usual form.
fn address(path: &Path, ip: &str, errors: &mut Errors) {
    let detail = if ip.parse::<IpAddr>().is_ok() {
        return;
    } else if has_leading_zeros(ip) {
        "must not have leading 0s"
    } else {
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    };
    errors.push(FieldError::invalid(path, ip, detail));
}

fn has_leading_zeros(ip: &str) -> bool {
    let parts: Vec<&str> = ip.split('.').collect();
    let is_number = |part: &&str| part.parse::<u8>().is_ok();
    parts.len() == 4
        && parts.iter().all(is_number)
        && parts
            .iter()
            .any(|part| part.len() > 1 && part.starts_with('0'))
}

/// `ValidatePodStatusUpdate`, but for what kubelets write.
pub(super) fn pod(object: &Pod, _: &Pod, errors: &mut Errors) {
    let Some(status) = &object.status else { return };
    if let Some(number) = status.observed_generation.filter(|number| *number < 0) {
        let detail = "must be a non-negative integer";
        errors.push(FieldError::invalid(
            &path("observedGeneration"),
            number,
            detail,
        ));
    }
    for (i, one) in status.pod_ips.iter().flatten().enumerate() {
        address(&path("podIPs").index(i), &one.ip, errors);
    }
}

/// `ValidatePersistentVolumeClaimStatusUpdate`.
pub(super) fn claim(
    object: &PersistentVolumeClaim,
    _: &PersistentVolumeClaim,
    errors: &mut Errors,
) {
    let status = object.status.as_ref();
    let resizes = status.and_then(|status| status.allocated_resource_statuses.as_ref());
    for (name, word) in resizes.into_iter().flatten() {
        if !RESIZES.contains(&word.as_str()) {
            // The API server names the resource in place of the word.
            let path = path("allocatedResourceStatuses");
            errors.push(FieldError::not_supported(&path, name, &RESIZES));
        }
    }
}
