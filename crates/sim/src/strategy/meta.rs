//! Kinds with few rules: namespaces, priority classes, quotas.

use k8s_openapi::api::core::v1::{Namespace, ResourceQuota};
use k8s_openapi::api::scheduling::v1::PriorityClass;

use super::{AdmissionContext, Errors};
use crate::store::name_of;
use berth_base::json;
use berth_core::api::pod_security::label_errors;
use berth_scheduler::field::{FieldError, Path};

/// The label with a namespace's name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The finalizer that keeps a namespace until it is empty.
pub const KUBERNETES: &str = "kubernetes";

pub(super) const IMMUTABLE: &str = "field is immutable";

pub(super) fn admit_namespace(namespace: &mut Namespace) {
    let name = name_of(&namespace.metadata).to_owned();
    let labels = namespace.metadata.labels.get_or_insert_default();
    labels.insert(NAME_LABEL.to_owned(), name);
    let spec = namespace.spec.get_or_insert_default();
    let finalizers = spec.finalizers.get_or_insert_default();
    if !finalizers.iter().any(|it| it == KUBERNETES) {
        finalizers.push(KUBERNETES.to_owned());
    }
    let status = namespace.status.get_or_insert_default();
    status.phase = Some("Active".to_owned());
}

/// Pod Security admission reads the labels of valid namespaces.
pub(super) fn security_labels(namespace: &Namespace, errors: &mut Errors) {
    if errors.is_empty() {
        errors.extend(label_errors(namespace.metadata.labels.as_ref()));
    }
}

/// Labels that were invalid before may stay so.
pub(super) fn unchanged_security_labels(
    namespace: &Namespace,
    before: &Namespace,
    errors: &mut Errors,
) {
    let of = |namespace: &Namespace| label_errors(namespace.metadata.labels.as_ref());
    let old = of(before);
    if old == of(namespace) {
        errors.retain(|error| !old.contains(error));
    }
}

pub(super) fn resource_quota_update(
    quota: &ResourceQuota,
    before: &ResourceQuota,
    errors: &mut Errors,
) {
    let scopes = |quota: &ResourceQuota| quota.spec.as_ref().and_then(|spec| spec.scopes.clone());
    if scopes(quota).unwrap_or_default() != scopes(before).unwrap_or_default() {
        let path = Path::root().child("spec").child("scopes");
        let value = json::value(&scopes(quota));
        errors.push(FieldError::invalid(&path, value, IMMUTABLE));
    }
}

pub(super) fn default_priority_class(class: &mut PriorityClass) {
    class
        .preemption_policy
        .get_or_insert_with(|| "PreemptLowerPriority".to_owned());
}

/// Allows at most one default class.
pub(super) fn admit_priority_class(
    class: &mut PriorityClass,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    if class.global_default != Some(true) {
        return Ok(());
    }
    let mut others = cx.store.priority_classes.iter();
    match others.find(|other| other.global_default == Some(true)) {
        Some(other) => Err(format!(
            "PriorityClass {} is already marked as default. Only one default can exist",
            name_of(&other.metadata)
        )),
        None => Ok(()),
    }
}

pub(super) fn priority_class(class: &PriorityClass, before: &PriorityClass, errors: &mut Errors) {
    if class.value != before.value {
        let detail = "may not be changed in an update.";
        errors.push(FieldError::forbidden(&Path::root().child("value"), detail));
    }
    let policy = |class: &PriorityClass| class.preemption_policy.clone().unwrap_or_default();
    if policy(class) != policy(before) {
        let path = Path::root().child("preemptionPolicy");
        errors.push(FieldError::invalid(&path, policy(class), IMMUTABLE));
    }
}
