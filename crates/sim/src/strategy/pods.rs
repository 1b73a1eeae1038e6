//! Pods: admission, and the mutable fields of a Pod (`ValidatePodUpdate`, v1.34).

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, Toleration};

use super::{AdmissionContext, Errors, accounts};
use crate::store::Key;
use berth_core::api::prepare::{add_default_tolerations, add_topology_labels};
use berth_core::api::validation::field::{FieldError, Path};
use berth_core::api::validation::gates;
use berth_core::release::Release;

const GATES_ONLY_GO: &str = "only deletion is allowed, but found new scheduling gate";
const DEADLINE_ONLY_SHRINKS: &str = "must be less than or equal to previous value";
const TOLERATIONS_ONLY_COME: &str =
    "existing toleration can not be modified except its tolerationSeconds";
const ONLY_SO_MUCH: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(super) fn admit(pod: &mut Pod, cx: AdmissionContext<'_>) -> Result<(), String> {
    accounts::admit(pod, cx)?;
    cx.policies.admit(pod)?;
    if pod.metadata.resource_version.is_none() {
        label_created(pod, cx);
    }
    let status = pod.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    Ok(())
}

/// The bounds of LimitRanges hold for valid Pods only.
pub(super) fn judge(pod: &Pod, cx: AdmissionContext<'_>) -> Result<(), String> {
    cx.policies.judge(pod)
}

/// A Pod that is created with a node gets the node's topology labels.
fn label_created(pod: &mut Pod, cx: AdmissionContext<'_>) {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    let node = node.and_then(|name| cx.store.nodes.get(&Key::new("", name)));
    if let Some(node) = node {
        add_topology_labels(cx.release, &mut pod.metadata.labels, node);
    }
}

pub(super) fn validate_gates(pod: &Pod, release: &Release, errors: &mut Errors) {
    if let Some(spec) = &pod.spec {
        gates::pod_spec(&Path::root().child("spec"), spec, release, errors);
    }
}

/// Restores default tolerations when a manifest without them replaces a Pod.
pub(super) fn prepare_update(pod: &mut Pod, before: &Pod) {
    let named = |pod: &Pod| {
        pod.spec
            .as_ref()
            .is_some_and(|it| it.service_account_name.is_some())
    };
    if !named(before) && named(pod) {
        accounts::settle(pod);
    }
    if pod.spec != before.spec
        && let Some(spec) = &mut pod.spec
    {
        add_default_tolerations(spec);
    }
}

pub(super) fn validate_update(pod: &Pod, before: &Pod, errors: &mut Errors) {
    let (Some(new), Some(old)) = (&pod.spec, &before.spec) else {
        return;
    };
    if new == old {
        return;
    }
    let path = Path::root().child("spec");
    let found = errors.len();
    gates(&path, new, old, errors);
    if let Some(limit) = old.active_deadline_seconds
        && new
            .active_deadline_seconds
            .is_none_or(|it| it < 0 || it > limit)
    {
        let path = path.child("activeDeadlineSeconds");
        errors.push(match new.active_deadline_seconds {
            Some(seconds) => FieldError::invalid(&path, seconds, DEADLINE_ONLY_SHRINKS),
            None => FieldError::invalid(
                &path,
                serde_json::Value::Null,
                "must not update from a positive integer to nil value",
            ),
        });
    }
    tolerations(&path, new, old, errors);
    if errors.len() > found {
        return;
    }
    if restored(new, old) != *old {
        errors.push(FieldError::forbidden(&path, ONLY_SO_MUCH));
    }
}

/// The new spec with its mutable fields as they were.
fn restored(new: &PodSpec, old: &PodSpec) -> PodSpec {
    let mut spec = new.clone();
    let images = |new: &mut [Container], old: &[Container]| {
        for (new, old) in new.iter_mut().zip(old) {
            new.image.clone_from(&old.image);
        }
    };
    images(&mut spec.containers, &old.containers);
    let init = spec.init_containers.as_deref_mut().unwrap_or_default();
    images(init, old.init_containers.as_deref().unwrap_or_default());
    spec.active_deadline_seconds = old.active_deadline_seconds;
    spec.tolerations.clone_from(&old.tolerations);
    spec.scheduling_gates.clone_from(&old.scheduling_gates);
    if old.termination_grace_period_seconds < Some(0)
        && spec.termination_grace_period_seconds == Some(1)
    {
        spec.termination_grace_period_seconds = old.termination_grace_period_seconds;
    }
    // A gated Pod may narrow its node selector and affinity.
    if old
        .scheduling_gates
        .as_ref()
        .is_some_and(|gates| !gates.is_empty())
    {
        if narrows(new, old) {
            spec.node_selector.clone_from(&old.node_selector);
        }
        let node_affinity = |spec: &PodSpec| {
            let affinity = spec.affinity.clone().unwrap_or_default();
            let required = affinity.node_affinity.clone().unwrap_or_default();
            required.required_during_scheduling_ignored_during_execution
        };
        if node_affinity(old).is_none() || node_affinity(old) == node_affinity(new) {
            let affinity = spec.affinity.get_or_insert_default();
            let of_old = old.affinity.clone().unwrap_or_default();
            affinity.node_affinity = of_old.node_affinity;
            if old.affinity.is_none() && *affinity == Default::default() {
                spec.affinity = None;
            }
        }
    }
    spec
}

/// Whether the new node selector keeps every term of the old one.
fn narrows(new: &PodSpec, old: &PodSpec) -> bool {
    let mut asked = old
        .node_selector
        .iter()
        .flatten()
        .map(|(key, value)| (key, Some(value)));
    asked.all(|(key, value)| new.node_selector.as_ref().and_then(|it| it.get(key)) == value)
}

fn gates(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) {
    let old = old.scheduling_gates.as_deref().unwrap_or_default();
    let path = path.child("schedulingGates");
    for (i, gate) in new.scheduling_gates.iter().flatten().enumerate() {
        if !old.contains(gate) {
            let detail = format!("{GATES_ONLY_GO} '{}'", gate.name);
            errors.push(FieldError::forbidden(&path.index(i), &detail));
        }
    }
}

/// Tolerations may only be added; `tolerationSeconds` may change.
fn tolerations(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) {
    let new = new.tolerations.as_deref().unwrap_or_default();
    let timeless = |toleration: &Toleration| Toleration {
        toleration_seconds: None,
        ..toleration.clone()
    };
    let mut missing = old.tolerations.iter().flatten().filter(|old| {
        let old = timeless(old);
        !new.iter().any(|new| timeless(new) == old)
    });
    if missing.next().is_some() {
        let path = path.child("tolerations");
        errors.push(FieldError::forbidden(&path, TOLERATIONS_ONLY_COME));
    }
}
