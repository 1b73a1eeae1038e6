//! Pods and Pod templates.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, PodSpec};

use super::Errors;
use super::metadata::{Naming, object_meta};
use crate::api::rules::{Owner, pod_spec};
use berth_scheduler::field::{FieldError, Path};

/// Validates a Pod as written.
pub fn pod(pod: &Pod, errors: &mut Errors) {
    let none = BTreeMap::new();
    let labels = pod.metadata.labels.as_ref().unwrap_or(&none);
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    pod_in(pod, Owner::Pod(labels, name), errors);
}

/// Validates a Pod after the API server's strategy has prepared it.
pub fn stored_pod(pod: &Pod, errors: &mut Errors) {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    pod_in(pod, Owner::StoredPod(name), errors);
}

fn pod_in(pod: &Pod, owner: Owner<'_>, errors: &mut Errors) {
    object_meta(&pod.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let empty = PodSpec::default();
    let spec = pod.spec.as_ref().unwrap_or(&empty);
    let metadata = Path::root().child("metadata");
    annotations(&metadata, pod.metadata.annotations.as_ref(), errors);
    pod_spec(&path, spec, owner, errors);
    let lists = [
        ("containers", Some(&spec.containers)),
        ("initContainers", spec.init_containers.as_ref()),
    ];
    for (field, containers) in lists {
        for (i, container) in containers.into_iter().flatten().enumerate() {
            let image = container.image.as_deref().unwrap_or_default();
            if image != image.trim() {
                let path = path.child(field).index(i).child("image");
                let detail = "must not have leading or trailing whitespace";
                errors.push(FieldError::invalid(&path, image, detail));
            }
        }
    }
    if spec
        .ephemeral_containers
        .as_ref()
        .is_some_and(|it| !it.is_empty())
        && pod.metadata.uid.is_none()
    {
        let path = path.child("ephemeralContainers");
        errors.push(FieldError::forbidden(&path, "cannot be set on create"));
    }
    let gated = spec
        .scheduling_gates
        .as_ref()
        .is_some_and(|gates| !gates.is_empty());
    let is_new = pod.metadata.resource_version.is_none();
    if is_new && gated && spec.node_name.as_ref().is_some_and(|name| !name.is_empty()) {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(FieldError::forbidden(&path.child("nodeName"), detail));
    }
}

/// `ValidatePodSpecificAnnotations`: the cost of deletion.
pub(super) fn annotations(
    path: &Path,
    annotations: Option<&BTreeMap<String, String>>,
    errors: &mut Errors,
) {
    const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
    let cost = annotations.and_then(|all| all.get(COST));
    if let Some(cost) = cost.filter(|cost| !is_cost(cost)) {
        let path = path.child("annotations").key(COST);
        let detail = "must be a 32bit integer";
        errors.push(FieldError::invalid(&path, cost.as_str(), detail));
    }
}

/// A number without a plus or leading zeros.
fn is_cost(cost: &str) -> bool {
    let digits = cost.strip_prefix('-').unwrap_or(cost);
    let is_plain =
        digits == "0" && digits == cost || digits.starts_with(|c: char| ('1'..='9').contains(&c));
    is_plain && cost.parse::<i32>().is_ok()
}

pub(crate) fn port_number(path: &Path, number: i32, errors: &mut Errors) {
    if !(1..=65535).contains(&number) {
        let detail = "must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(path, number, detail));
    }
}

pub(crate) fn port_name_errors(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if name.len() > 15 {
        errors.push("must be no more than 15 characters");
    }
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if !name.bytes().all(allowed) {
        errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        errors.push("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        errors.push("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("must not begin or end with a hyphen");
    }
    errors.into_iter().map(str::to_owned).collect()
}
