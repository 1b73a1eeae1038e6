//! ConfigMaps, Secrets, EndpointSlices and HorizontalPodAutoscalers: immutable fields, and the fields that the API
//! server writes itself (kube-apiserver v1.34).

use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::discovery::v1::EndpointSlice;

use super::meta::IMMUTABLE;
use super::{AdmissionContext, Errors};
use berth_scheduler::field::{FieldError, Path};

const SEALED: &str = "field is immutable when `immutable` is set";

pub(super) fn config_map(map: &ConfigMap, before: &ConfigMap, errors: &mut Errors) {
    if before.immutable != Some(true) {
        return;
    }
    let fields = [
        ("immutable", map.immutable != Some(true)),
        ("data", map.data != before.data),
        ("binaryData", map.binary_data != before.binary_data),
    ];
    sealed(&fields, errors);
}

pub(super) fn secret(secret: &Secret, before: &Secret, errors: &mut Errors) {
    if secret.type_ != before.type_ {
        let path = Path::root().child("type");
        let kind = secret.type_.clone().unwrap_or_default();
        errors.push(FieldError::invalid(&path, kind, IMMUTABLE));
    }
    if before.immutable == Some(true) {
        let fields = [
            ("immutable", secret.immutable != Some(true)),
            ("data", secret.data != before.data),
        ];
        sealed(&fields, errors);
    }
}

/// Reports the fields of an immutable object that an update would change.
fn sealed(fields: &[(&str, bool)], errors: &mut Errors) {
    for (field, is_changed) in fields {
        if *is_changed {
            errors.push(FieldError::forbidden(&Path::root().child(field), SEALED));
        }
    }
}

pub(super) fn endpoint_slice(slice: &EndpointSlice, before: &EndpointSlice, errors: &mut Errors) {
    if slice.address_type != before.address_type {
        let path = Path::root().child("addressType");
        let kind = slice.address_type.as_str();
        errors.push(FieldError::invalid(&path, kind, IMMUTABLE));
    }
}

/// Changed labels increase the generation of an EndpointSlice.
pub(super) fn count_slice(slice: &mut EndpointSlice, before: &EndpointSlice) {
    let is_same_but_labels = slice.endpoints == before.endpoints && slice.ports == before.ports;
    if is_same_but_labels && slice.metadata.labels != before.metadata.labels {
        let generation = &mut slice.metadata.generation;
        *generation = generation.map(|generation| generation + 1);
    }
}

/// A new object has an empty status: only the controller writes it.
pub(super) fn admit_autoscaler(
    autoscaler: &mut HorizontalPodAutoscaler,
    _: AdmissionContext<'_>,
) -> Result<(), String> {
    autoscaler.status = Some(Default::default());
    Ok(())
}

pub(super) fn autoscaler_status(
    autoscaler: &HorizontalPodAutoscaler,
    _: &HorizontalPodAutoscaler,
    errors: &mut Errors,
) {
    let Some(status) = &autoscaler.status else {
        return;
    };
    let path = Path::root().child("status");
    for (field, number) in [
        ("currentReplicas", status.current_replicas.unwrap_or(0)),
        ("desiredReplicas", status.desired_replicas),
    ] {
        if number < 0 {
            let detail = "must be greater than or equal to 0";
            errors.push(FieldError::invalid(&path.child(field), number, detail));
        }
    }
}
