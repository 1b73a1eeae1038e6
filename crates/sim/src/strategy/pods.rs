//! Pods: admission, and the mutable fields of a Pod (`ValidatePodUpdate`, v1.34).

use k8s_openapi::api::core::v1::{
    Container, NodeSelectorRequirement, NodeSelectorTerm, Pod, PodCondition, PodSpec, Toleration,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{AdmissionContext, Errors, accounts};
use crate::kubelet::qos;
use crate::store::Key;
use berth_base::json;
use berth_core::api::prepare::{
    add_default_tolerations, add_topology_labels, drop_disabled_fields,
};
use berth_core::api::shapes;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::Release;

const GATES_ONLY_GO: &str = "only deletion is allowed, but found new scheduling gate";
const DEADLINE_ONLY_SHRINKS: &str = "must be less than or equal to previous value";
const TOLERATIONS_ONLY_COME: &str =
    "existing toleration can not be modified except its tolerationSeconds";
const ONLY_SO_MUCH: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(super) fn admit(pod: &mut Pod, cx: AdmissionContext<'_>) -> Result<(), String> {
    if let Some(spec) = &mut pod.spec {
        drop_disabled_fields(spec, cx.release);
    }
    accounts::admit(pod, cx)?;
    cx.policies.admit(pod)?;
    if pod.metadata.resource_version.is_none() {
        label_created(pod, cx);
    }
    let status = pod.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    Ok(())
}

/// Sets what the API server writes to the status of a new Pod: its QoS class, and why a gated one waits.
pub(super) fn settle(pod: &mut Pod, _release: &Release, now: &Time) {
    if pod.metadata.resource_version.is_some() {
        return;
    }
    let Some(spec) = &pod.spec else { return };
    let is_gated = spec
        .scheduling_gates
        .as_ref()
        .is_some_and(|it| !it.is_empty());
    let status = pod.status.get_or_insert_default();
    status
        .qos_class
        .get_or_insert_with(|| qos::class_of(spec).to_owned());
    if !is_gated {
        return;
    }
    let conditions = status.conditions.get_or_insert_default();
    if conditions.iter().all(|it| it.type_ != "PodScheduled") {
        conditions.push(PodCondition {
            type_: "PodScheduled".to_owned(),
            status: "False".to_owned(),
            reason: Some("SchedulingGated".to_owned()),
            message: Some("Scheduling is blocked due to non-empty scheduling gates".to_owned()),
            last_transition_time: Some(now.clone()),
            ..PodCondition::default()
        });
    }
}

/// The bounds of LimitRanges hold for valid Pods only.
pub(super) fn judge(pod: &Pod, _: Option<&Pod>, cx: AdmissionContext<'_>) -> Result<(), String> {
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
    let init = |spec: &PodSpec| spec.init_containers.clone().unwrap_or_default();
    if !containers(
        &path.child("containers"),
        &new.containers,
        &old.containers,
        errors,
    ) || !containers(
        &path.child("initContainers"),
        &init(new),
        &init(old),
        errors,
    ) || !deadline(&path.child("activeDeadlineSeconds"), new, old, errors)
    {
        return;
    }
    tolerations(&path, new, old, errors);
    gates(&path, new, old, errors);
    let munged = munged(&path, new, old, errors);
    if munged != *old {
        let [old, new] = [old, &munged].map(accounts::shown_spec);
        let difference = shapes::difference("PodSpec", &old, &new);
        let detail = format!("{ONLY_SO_MUCH}\n{difference}");
        errors.push(FieldError::forbidden(&path, &detail));
    }
}

/// `ValidateContainerUpdates`; whether the others are compared, too.
fn containers(path: &Path, new: &[Container], old: &[Container], errors: &mut Errors) -> bool {
    if new.len() != old.len() {
        let detail = "pod updates may not add or remove containers";
        errors.push(FieldError::forbidden(path, detail));
        return false;
    }
    for (place, container) in new.iter().enumerate() {
        let path = path.index(place).child("image");
        let image = container.image.as_deref().unwrap_or_default();
        if image.is_empty() {
            errors.push(FieldError::required(&path, ""));
        }
        if image.trim() != image {
            let detail = "must not have leading or trailing whitespace";
            errors.push(FieldError::invalid(&path, image, detail));
        }
    }
    true
}

/// The deadline may be set, and come nearer.
fn deadline(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) -> bool {
    const LONGEST: i64 = i32::MAX as i64;
    let before = old.active_deadline_seconds;
    let (seconds, detail) = match new.active_deadline_seconds {
        Some(seconds) if !(0..=LONGEST).contains(&seconds) => {
            (seconds, "must be between 0 and 2147483647, inclusive")
        }
        Some(seconds) if before.is_some_and(|before| before < seconds) => {
            (seconds, DEADLINE_ONLY_SHRINKS)
        }
        None if before.is_some() => {
            let detail = "must not update from a positive integer to nil value";
            errors.push(FieldError::invalid(path, serde_json::Value::Null, detail));
            return true;
        }
        _ => return true,
    };
    errors.push(FieldError::invalid(path, seconds, detail));
    false
}

/// The new spec with its mutable fields as they were.
fn munged(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) -> PodSpec {
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
    let gates = old.scheduling_gates.as_deref().unwrap_or_default();
    if gates.is_empty() {
        return spec;
    }
    // A gated Pod may narrow its node selector and affinity.
    if spec.node_selector != old.node_selector {
        if !narrows(new, old) {
            let value = json::value(&new.node_selector);
            let detail =
                "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            errors.push(FieldError::invalid(
                &path.child("nodeSelector"),
                value,
                detail,
            ));
        }
        spec.node_selector.clone_from(&old.node_selector);
    }
    let path = path.child("affinity").child("nodeAffinity");
    node_affinity(&path, new, old, errors);
    let affinity = spec.affinity.get_or_insert_default();
    let of_old = old.affinity.clone().unwrap_or_default();
    affinity.node_affinity = of_old.node_affinity;
    if old.affinity.is_none() && *affinity == Default::default() {
        spec.affinity = None;
    }
    spec
}

/// `validateNodeAffinityMutation`: terms stay, and may ask for more.
fn node_affinity(path: &Path, new: &PodSpec, old: &PodSpec, errors: &mut Errors) {
    let required = |spec: &PodSpec| {
        let affinity = spec.affinity.clone()?.node_affinity?;
        affinity.required_during_scheduling_ignored_during_execution
    };
    let terms = |spec: &PodSpec| required(spec).map(|it| it.node_selector_terms);
    let (Some(old), new) = (terms(old), terms(new).unwrap_or_default()) else {
        return;
    };
    let path = path.child("requiredDuringSchedulingIgnoredDuringExecution");
    let path = path.child("nodeSelectorTerms");
    let shown = |term: &NodeSelectorTerm| shapes::internal("NodeSelectorTerm", &json::value(term));
    if !old.is_empty() && old.len() != new.len() {
        let all: Vec<_> = new.iter().map(shown).collect();
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errors.push(FieldError::invalid(&path, all, detail));
        return;
    }
    let begins = |new: &Option<Vec<_>>, old: &Option<Vec<_>>| {
        let list = |it: &Option<Vec<NodeSelectorRequirement>>| it.clone().unwrap_or_default();
        list(new).starts_with(&list(old))
    };
    let is_empty = |term: &NodeSelectorTerm| {
        let lists = [&term.match_expressions, &term.match_fields];
        lists
            .iter()
            .all(|list| list.as_ref().is_none_or(Vec::is_empty))
    };
    for (place, (new, old)) in new.iter().zip(&old).enumerate() {
        let is_more = begins(&new.match_expressions, &old.match_expressions)
            && begins(&new.match_fields, &old.match_fields)
            && (!is_empty(old) || is_empty(new));
        if !is_more {
            let detail = "only additions are allowed (no mutations or deletions)";
            errors.push(FieldError::invalid(&path.index(place), shown(new), detail));
        }
    }
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
            errors.push(FieldError::forbidden(&path.index(i).child("name"), &detail));
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
