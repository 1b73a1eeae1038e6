//! Kinds that are only kept (v1.36): the status that they begin with, and their immutable fields.

use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use k8s_openapi::api::node::v1::RuntimeClass;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef};
use k8s_openapi::api::storage::v1::{
    VolumeAttachment, VolumeAttachmentStatus, VolumeAttributesClass,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionCondition,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::{
    APIService, APIServiceCondition,
};

use super::meta::IMMUTABLE;
use super::{AdmissionContext, Errors};
use berth_base::json;
use berth_scheduler::field::{ErrorKind, FieldError, Path};
use berth_scheduler::names::dns_label_errors;
use berth_scheduler::release::Release;

/// Whom the API server takes the user for.
const USER: &str = "kubernetes-admin";
const USER_GROUPS: [&str; 2] = ["kubeadm:cluster-admins", "system:authenticated"];

type Admitted = Result<(), String>;

/// Before declarative validation, a missing handler was an invalid one, and the path of tolerations had a name twice.
pub(super) fn runtime_words(class: &RuntimeClass, release: &Release, errors: &mut Errors) {
    if release.rules().validates_declaratively {
        return;
    }
    for error in errors {
        if let Some(rest) = error.path.strip_prefix("scheduling.tolerations[") {
            error.path = format!("scheduling.tolerations.tolerations[{rest}");
        }
        if error.path == "handler"
            && error.kind == ErrorKind::Required
            && let Some(detail) = dns_label_errors(&class.handler).first()
        {
            *error = FieldError::invalid(&Path::root().child("handler"), "", detail);
        }
    }
}

pub(super) fn runtime_class(class: &RuntimeClass, before: &RuntimeClass, errors: &mut Errors) {
    if class.handler != before.handler {
        immutable("handler", class.handler.as_str(), errors);
    }
}

fn immutable(field: &str, value: impl Into<serde_json::Value>, errors: &mut Errors) {
    let path = Path::root().child(field);
    errors.push(FieldError::invalid(&path, value, IMMUTABLE));
}

pub(super) fn admit_attachment(it: &mut VolumeAttachment, _: AdmissionContext<'_>) -> Admitted {
    // A dump says whether it is attached.
    if it.metadata.uid.is_none() {
        it.status = Some(VolumeAttachmentStatus::default());
    }
    Ok(())
}

pub(super) fn attachment(it: &VolumeAttachment, before: &VolumeAttachment, errors: &mut Errors) {
    if it.spec != before.spec {
        immutable("spec", json::value(&it.spec), errors);
    }
}

pub(super) fn admit_ingress(ingress: &mut Ingress, _: AdmissionContext<'_>) -> Admitted {
    ingress.status = Some(Default::default());
    if let Some(status) = &mut ingress.status {
        status.load_balancer = Some(Default::default());
    }
    Ok(())
}

pub(super) fn ingress_class(class: &IngressClass, before: &IngressClass, errors: &mut Errors) {
    let controller = |it: &IngressClass| it.spec.as_ref().and_then(|spec| spec.controller.clone());
    if controller(class) != controller(before) {
        let path = Path::root().child("spec").child("controller");
        let value = controller(class).unwrap_or_default();
        errors.push(FieldError::invalid(&path, value, IMMUTABLE));
    }
}

pub(super) fn role_binding(binding: &RoleBinding, before: &RoleBinding, errors: &mut Errors) {
    keeps_role(&binding.role_ref, &before.role_ref, errors);
}

pub(super) fn cluster_role_binding(
    binding: &ClusterRoleBinding,
    before: &ClusterRoleBinding,
    errors: &mut Errors,
) {
    keeps_role(&binding.role_ref, &before.role_ref, errors);
}

fn keeps_role(role: &RoleRef, before: &RoleRef, errors: &mut Errors) {
    if role != before {
        let path = Path::root().child("roleRef");
        let value = json::value(role);
        errors.push(FieldError::invalid(&path, value, "cannot change roleRef"));
    }
}

pub(super) fn attributes_class(
    class: &VolumeAttributesClass,
    before: &VolumeAttributesClass,
    errors: &mut Errors,
) {
    let fields = [
        ("driverName", class.driver_name != before.driver_name),
        ("parameters", class.parameters != before.parameters),
    ];
    for (field, _) in fields.iter().filter(|(_, is_changed)| *is_changed) {
        let detail = format!("updates to {field} are forbidden.");
        errors.push(FieldError::forbidden(&Path::root().child(field), &detail));
    }
}

pub(super) fn admit_policy(
    it: &mut ValidatingAdmissionPolicy,
    _: AdmissionContext<'_>,
) -> Admitted {
    it.status = Some(Default::default());
    Ok(())
}

pub(super) fn admit_flow_schema(it: &mut FlowSchema, _: AdmissionContext<'_>) -> Admitted {
    it.status = Some(Default::default());
    Ok(())
}

pub(super) fn admit_priority_level(
    it: &mut PriorityLevelConfiguration,
    _: AdmissionContext<'_>,
) -> Admitted {
    it.status = Some(Default::default());
    Ok(())
}

/// A request is the user's, and nobody has approved it.
pub(super) fn admit_signing_request(
    request: &mut CertificateSigningRequest,
    _: AdmissionContext<'_>,
) -> Admitted {
    let spec = &mut request.spec;
    spec.username = Some(USER.to_owned());
    spec.groups = Some(USER_GROUPS.map(str::to_owned).to_vec());
    (spec.uid, spec.extra) = (None, None);
    request.status = Some(Default::default());
    Ok(())
}

/// Only the labels and annotations of a request change.
pub(super) fn keep_signing_request(
    request: &mut CertificateSigningRequest,
    before: &CertificateSigningRequest,
) {
    request.spec.clone_from(&before.spec);
}

/// The names of a definition are accepted at once, and its kind counts as served (apiextensions' naming and
/// establishing controllers).
pub(super) fn establish_definition(
    definition: &mut CustomResourceDefinition,
    _: &Release,
    now: &Time,
) {
    let names = definition.spec.names.clone();
    let status = definition.status.get_or_insert_default();
    status.accepted_names = Some(names);
    if status
        .conditions
        .as_ref()
        .is_some_and(|all| !all.is_empty())
    {
        return;
    }
    let condition = |type_: &str, reason: &str, message: &str| CustomResourceDefinitionCondition {
        type_: type_.to_owned(),
        status: "True".to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_transition_time: Some(now.clone()),
        ..Default::default()
    };
    let established = "the initial names have been accepted";
    status.conditions = Some(vec![
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", established),
    ]);
}

/// Nothing answers behind a Service here, so such an API is not available.
pub(super) fn settle_api_service(service: &mut APIService, _: &Release, now: &Time) {
    let known = service
        .status
        .as_ref()
        .and_then(|it| it.conditions.as_ref());
    if known.is_some_and(|all| !all.is_empty()) {
        return;
    }
    let spec = service.spec.as_ref().and_then(|spec| spec.service.as_ref());
    let (status, reason, message) = match spec {
        None => (
            "True",
            "Local",
            "Local APIServices are always available".to_owned(),
        ),
        Some(named) => {
            let name = named.name.as_deref().unwrap_or_default();
            let namespace = named.namespace.as_deref().unwrap_or_default();
            let message = format!("service/{name} in \"{namespace}\" is not present");
            ("False", "ServiceNotFound", message)
        }
    };
    let condition = APIServiceCondition {
        type_: "Available".to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message),
        last_transition_time: Some(now.clone()),
    };
    service.status.get_or_insert_default().conditions = Some(vec![condition]);
}
