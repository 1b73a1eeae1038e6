//! RuntimeClasses, accounts, Leases, Pod templates, and the classes and attachments of volumes (v1.36).

use std::collections::BTreeSet;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{PodTemplate, ResourceRequirements, ServiceAccount};
use k8s_openapi::api::node::v1::{RuntimeClass, Scheduling};
use k8s_openapi::api::storage::v1::{VolumeAttachment, VolumeAttributesClass};

use super::{listed, name_of};
use crate::api::rules::{Owner, pod_spec};
use crate::api::validation::metadata::{Naming, labels, object_meta, template_meta};
use crate::api::validation::resources::container_resources;
use crate::api::validation::tolerations::tolerations;
use crate::api::validation::{Errors, invalid_each, non_negative};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_label_errors, dns_subdomain_errors, label_key_errors};

/// Validates a RuntimeClass (`pkg/apis/node/validation`).
pub fn runtime_class(class: &RuntimeClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let path = Path::root();
    name_of(
        &path.child("handler"),
        &class.handler,
        dns_label_errors,
        errors,
    );
    if let Some(overhead) = &class.overhead {
        let resources = ResourceRequirements {
            limits: overhead.pod_fixed.clone(),
            ..ResourceRequirements::default()
        };
        container_resources(&path.child("overhead"), &resources, errors);
    }
    if let Some(rules) = &class.scheduling {
        scheduling(&path.child("scheduling"), rules, errors);
    }
}

fn scheduling(path: &Path, rules: &Scheduling, errors: &mut Errors) {
    labels(
        &path.child("nodeSelector"),
        rules.node_selector.as_ref(),
        errors,
    );
    let all = listed(&rules.tolerations);
    let path = path.child("tolerations");
    tolerations(&path, all, errors);
    let mut known = BTreeSet::new();
    for (i, it) in all.iter().enumerate() {
        if !known.insert((&it.key, &it.operator, &it.value, &it.effect)) {
            errors.push(FieldError::duplicate(&path.index(i), json::value(it)));
        }
    }
}

/// Validates a ServiceAccount.
pub fn service_account(account: &ServiceAccount, errors: &mut Errors) {
    object_meta(&account.metadata, Naming::Subdomain, errors);
}

/// Validates a Lease (`pkg/apis/coordination/validation`).
pub fn lease(lease: &Lease, errors: &mut Errors) {
    object_meta(&lease.metadata, Naming::Subdomain, errors);
    let Some(spec) = &lease.spec else { return };
    let path = Path::root().child("spec");
    if let Some(seconds) = spec.lease_duration_seconds.filter(|seconds| *seconds <= 0) {
        let path = path.child("leaseDurationSeconds");
        errors.push(FieldError::invalid(
            &path,
            seconds,
            "must be greater than 0",
        ));
    }
    non_negative(
        &path.child("leaseTransitions"),
        spec.lease_transitions,
        errors,
    );
}

/// Validates a PodTemplate.
pub fn pod_template(template: &PodTemplate, errors: &mut Errors) {
    object_meta(&template.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("template");
    let template = template.template.clone().unwrap_or_default();
    template_meta(&path.child("metadata"), template.metadata.as_ref(), errors);
    let spec = template.spec.unwrap_or_default();
    pod_spec(&path.child("spec"), &spec, Owner::Template, errors);
}

/// Validates a VolumeAttributesClass.
pub fn attributes_class(class: &VolumeAttributesClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let rule = |name: &str| label_key_errors(&name.to_lowercase());
    name_of(
        &Path::root().child("driverName"),
        &class.driver_name,
        rule,
        errors,
    );
    if class.parameters.as_ref().is_none_or(|all| all.is_empty()) {
        let detail = "must contain at least one key/value pair";
        errors.push(FieldError::required(
            &Path::root().child("parameters"),
            detail,
        ));
    }
}

/// Validates a VolumeAttachment.
pub fn attachment(attachment: &VolumeAttachment, errors: &mut Errors) {
    object_meta(&attachment.metadata, Naming::Subdomain, errors);
    let (spec, path) = (&attachment.spec, Path::root().child("spec"));
    name_of(
        &path.child("attacher"),
        &spec.attacher,
        dns_subdomain_errors,
        errors,
    );
    let source = path.child("source");
    let one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let named = spec.source.persistent_volume_name.as_deref();
    match (named, &spec.source.inline_volume_spec) {
        (None, None) => errors.push(FieldError::required(&source, one)),
        (Some(_), Some(_)) => errors.push(FieldError::forbidden(&source, one)),
        (Some(""), None) => {
            let detail = "must specify non empty persistentVolumeName";
            errors.push(FieldError::required(
                &source.child("persistentVolumeName"),
                detail,
            ));
        }
        _ => {}
    }
    let node = &spec.node_name;
    invalid_each(
        &path.child("nodeName"),
        node,
        dns_subdomain_errors(node),
        errors,
    );
    if let Some(name) = named {
        let path = source.child("persistentVolumeName");
        invalid_each(&path, name, dns_subdomain_errors(name), errors);
    }
}
