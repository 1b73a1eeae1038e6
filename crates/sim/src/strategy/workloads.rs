//! Immutable fields of workloads (`ValidateDeploymentUpdate` and the like, v1.34).

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet, StatefulSetSpec,
};
use k8s_openapi::api::batch::v1::{Job, JobSpec, JobStatus};
use k8s_openapi::api::core::v1::{Affinity, Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::Serialize;

use super::meta::IMMUTABLE;
use super::{AdmissionContext, Errors};
use berth_base::json;
use berth_core::api::shapes;
use berth_core::api::workloads::TEMPLATE_GENERATION;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::{Gate, Release};

const STATEFUL_SET_IMMUTABLE: &str = "updates to statefulset spec for fields other than 'replicas', \
    'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
    'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// Reports a change of an immutable field of the spec.
fn immutable<T: Serialize + PartialEq>(field: &str, new: &T, old: &T, errors: &mut Errors) {
    if new != old {
        let path = Path::root().child("spec").child(field);
        errors.push(FieldError::invalid(&path, json::value(new), IMMUTABLE));
    }
}

/// Reports a changed field, which is printed as the internal type.
fn changed(field: &str, kind: &str, value: &serde_json::Value, errors: &mut Errors) {
    let path = Path::root().child("spec").child(field);
    let value = shapes::internal(kind, value);
    errors.push(FieldError::invalid(&path, value, IMMUTABLE));
}

pub(super) fn deployment(new: &Deployment, old: &Deployment, errors: &mut Errors) {
    let selector = |it: &Deployment| it.spec.as_ref().map(|spec| spec.selector.clone());
    same_selector(&selector(new), &selector(old), errors);
}

/// A selector is printed as it is served.
fn same_selector(new: &Option<LabelSelector>, old: &Option<LabelSelector>, errors: &mut Errors) {
    if new == old {
        return;
    }
    let path = Path::root().child("spec").child("selector");
    match new.as_ref().filter(|it| **it != LabelSelector::default()) {
        Some(selector) => changed("selector", "=LabelSelector", &json::value(selector), errors),
        None => errors.push(FieldError::invalid(
            &path,
            serde_json::Value::Null,
            IMMUTABLE,
        )),
    }
}

pub(super) fn replica_set(new: &ReplicaSet, old: &ReplicaSet, errors: &mut Errors) {
    let selector = |it: &ReplicaSet| it.spec.as_ref().map(|spec| spec.selector.clone());
    same_selector(&selector(new), &selector(old), errors);
}

pub(super) fn daemon_set(new: &DaemonSet, old: &DaemonSet, errors: &mut Errors) {
    let selector = |it: &DaemonSet| it.spec.as_ref().map(|spec| spec.selector.clone());
    same_selector(&selector(new), &selector(old), errors);
}

pub(super) fn admit_daemon_set(set: &mut DaemonSet, _: AdmissionContext<'_>) -> Result<(), String> {
    let annotations = set.metadata.annotations.get_or_insert_default();
    annotations.insert(TEMPLATE_GENERATION.to_owned(), "1".to_owned());
    Ok(())
}

/// Counts a changed template, and ignores the number in the update. Sets without the annotation stay without it.
pub(super) fn count_template(set: &mut DaemonSet, before: &DaemonSet) {
    let counted = before.metadata.annotations.as_ref();
    let Some(number) = counted.and_then(|all| all.get(TEMPLATE_GENERATION)) else {
        return;
    };
    let template = |set: &DaemonSet| set.spec.as_ref().map(|spec| spec.template.clone());
    let is_other = template(set) != template(before);
    let number = number.parse::<i64>().unwrap_or(0);
    let number = number.saturating_add(i64::from(is_other)).to_string();
    let annotations = set.metadata.annotations.get_or_insert_default();
    annotations.insert(TEMPLATE_GENERATION.to_owned(), number);
}

/// `ValidateControllerRevisionUpdate`: a change of anything is reported at the data.
pub(super) fn revision(new: &ControllerRevision, old: &ControllerRevision, errors: &mut Errors) {
    if new.data != old.data {
        let path = Path::root().child("data");
        errors.push(FieldError::invalid(
            &path,
            json::value(&new.data),
            IMMUTABLE,
        ));
    }
}

pub(super) fn stateful_set(new: &StatefulSet, old: &StatefulSet, errors: &mut Errors) {
    let Some(old) = &old.spec else { return };
    // The claims of an update are only compared.
    errors.retain(|error| !error.path.starts_with("spec.volumeClaimTemplates"));
    let new = StatefulSetSpec {
        replicas: old.replicas,
        ordinals: old.ordinals.clone(),
        template: old.template.clone(),
        update_strategy: old.update_strategy.clone(),
        revision_history_limit: old.revision_history_limit,
        persistent_volume_claim_retention_policy: old
            .persistent_volume_claim_retention_policy
            .clone(),
        min_ready_seconds: old.min_ready_seconds,
        ..new.spec.clone().unwrap_or_default()
    };
    if new != *old {
        let path = Path::root().child("spec");
        errors.push(FieldError::forbidden(&path, STATEFUL_SET_IMMUTABLE));
    }
}

/// The completions of an Indexed Job may change along with its parallelism (`validateCompletions`).
fn completions(new: &JobSpec, before: &JobSpec, errors: &mut Errors) {
    if new.completions == before.completions {
        return;
    }
    let is_indexed = |spec: &JobSpec| spec.completion_mode.as_deref() == Some("Indexed");
    let detail = if !is_indexed(new) || before.completions.is_none() || new.completions.is_none() {
        IMMUTABLE
    } else if new.completions == new.parallelism && before.completions == before.parallelism {
        return;
    } else {
        "can only be modified in tandem with spec.parallelism"
    };
    let path = Path::root().child("spec").child("completions");
    errors.push(FieldError::invalid(
        &path,
        json::value(&new.completions),
        detail,
    ));
}

/// Takes over the scheduling directives of a template that may change while its Job is suspended.
fn keep_directives(template: &mut PodTemplateSpec, before: &PodTemplateSpec) {
    template.metadata.clone_from(&before.metadata);
    let (Some(new), Some(old)) = (&mut template.spec, &before.spec) else {
        return;
    };
    new.node_selector.clone_from(&old.node_selector);
    new.tolerations.clone_from(&old.tolerations);
    new.scheduling_gates.clone_from(&old.scheduling_gates);
    let of_nodes = old
        .affinity
        .as_ref()
        .and_then(|it| it.node_affinity.clone());
    let affinity = new.affinity.get_or_insert_default();
    affinity.node_affinity = of_nodes;
    if *affinity == Affinity::default() {
        new.affinity = None;
    }
}

/// Takes over the resources of containers of the same names.
fn keep_resources(spec: &mut PodSpec, before: &PodSpec) {
    let keep = |new: &mut [Container], old: &[Container]| {
        if new.len() != old.len() {
            return;
        }
        for (new, old) in new.iter_mut().zip(old) {
            if new.name == old.name {
                new.resources.clone_from(&old.resources);
            }
        }
    };
    keep(&mut spec.containers, &before.containers);
    let init = spec.init_containers.as_deref_mut().unwrap_or_default();
    keep(init, before.init_containers.as_deref().unwrap_or_default());
}

/// Whether the Job controller has ended the Pods of a suspended Job.
fn is_marked_suspended(status: &JobStatus) -> bool {
    let mut conditions = status.conditions.iter().flatten();
    conditions.any(|it| it.type_ == "Suspended" && it.status == "True")
}

/// `validatePodTemplateUpdate`: what of a suspended Job's template may change.
fn job_template(job: &Job, old: &Job, release: &Release, errors: &mut Errors) {
    let (Some(new), Some(before)) = (&job.spec, &old.spec) else {
        return;
    };
    let is_suspended = before.suspend == Some(true);
    let status = old.status.clone().unwrap_or_default();
    let never_started = is_suspended && status.start_time.is_none();
    let is_idle = status.active.unwrap_or(0) == 0
        && (never_started || is_suspended && is_marked_suspended(&status));
    let gate = |gate| release.is_on(gate);
    let directives = match gate(Gate::MutableSchedulingDirectivesForSuspendedJobs) {
        true => is_idle,
        false => never_started,
    };
    let mut template = new.template.clone();
    if directives {
        keep_directives(&mut template, &before.template);
    }
    let path = Path::root().child("spec").child("template");
    if is_idle && gate(Gate::MutablePodResourcesForSuspendedJobs) {
        if let (Some(new), Some(old)) = (&mut template.spec, &before.template.spec) {
            keep_resources(new, old);
        }
        if template.spec != before.template.spec {
            let value = shapes::internal("PodSpec", &json::value(&new.template.spec));
            errors.push(FieldError::invalid(&path.child("spec"), value, IMMUTABLE));
        }
    } else if template != before.template {
        let value = json::value(&new.template);
        let value = shapes::internal("PodTemplateSpec", &value);
        errors.push(FieldError::invalid(&path, value, IMMUTABLE));
    }
}

pub(super) fn job(job: &Job, old: &Job, release: &Release, errors: &mut Errors) {
    let (Some(new), Some(before)) = (&job.spec, &old.spec) else {
        return;
    };
    completions(new, before, errors);
    immutable("selector", &new.selector, &before.selector, errors);
    job_template(job, old, release, errors);
    immutable(
        "completionMode",
        &new.completion_mode,
        &before.completion_mode,
        errors,
    );
    if new.pod_failure_policy != before.pod_failure_policy {
        let value = json::value(&new.pod_failure_policy);
        changed("podFailurePolicy", "*PodFailurePolicy", &value, errors);
    }
    immutable(
        "backoffLimitPerIndex",
        &new.backoff_limit_per_index,
        &before.backoff_limit_per_index,
        errors,
    );
    immutable("managedBy", &new.managed_by, &before.managed_by, errors);
    if new.success_policy != before.success_policy {
        let value = json::value(&new.success_policy);
        changed("successPolicy", "*SuccessPolicy", &value, errors);
    }
}
