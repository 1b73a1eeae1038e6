//! ResourceClaims, ResourceClaimTemplates, ResourceSlices and DeviceClasses: defaults, dropped fields, admission of
//! admin access, and immutable fields (`pkg/registry/resource` of kube-apiserver v1.34).

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::{
    DeviceClaim, DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::Serialize;

use super::device_status;
use super::meta::IMMUTABLE;
use super::{AdmissionContext, Errors};
use crate::store::Key;
use berth_base::json;
use berth_core::api::prepare::devices;
use berth_core::api::shapes;
use berth_core::api::validation::device_gates;
use berth_scheduler::cluster::devices::MAX_CONSUMERS;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::Release;

/// The label of namespaces in which claims may ask for admin access.
const ADMIN_ACCESS: &str = "resource.kubernetes.io/admin-access";

pub(super) fn default_claim(claim: &mut ResourceClaim) {
    if let Some(spec) = &mut claim.spec.devices {
        devices::default_claim(spec);
    }
}

pub(super) fn default_template(template: &mut ResourceClaimTemplate) {
    if let Some(spec) = &mut template.spec.spec.devices {
        devices::default_claim(spec);
    }
}

/// Admin access needs a labelled namespace.
fn admin_access(
    spec: Option<&DeviceClaim>,
    meta: &ObjectMeta,
    cx: AdmissionContext<'_>,
    errors: &mut Errors,
) {
    let namespace = meta.namespace.as_deref().unwrap_or("default");
    let found = cx.store.namespaces.get(&Key::new("", namespace));
    let labels = found.and_then(|it| it.metadata.labels.as_ref());
    let label = labels.and_then(|labels| labels.get(ADMIN_ACCESS));
    if label.is_some_and(|label| label == "true") {
        return;
    }
    let requests = spec.iter().flat_map(|it| &it.requests).flatten();
    for (place, request) in requests.enumerate() {
        let exactly = request.exactly.as_ref();
        if exactly.is_some_and(|it| it.admin_access == Some(true)) {
            // The API server's path lacks the field in between.
            let path = Path::root().child("spec").child("devices");
            let path = path.child("requests").index(place).child("adminAccess");
            let detail = format!(
                "admin access to devices requires the `{ADMIN_ACCESS}: true` label on the containing namespace"
            );
            errors.push(FieldError::forbidden(&path, &detail));
        }
    }
}

pub(super) fn claim_access(
    claim: &ResourceClaim,
    _: Option<&ResourceClaim>,
    cx: AdmissionContext<'_>,
    errors: &mut Errors,
) {
    admin_access(claim.spec.devices.as_ref(), &claim.metadata, cx, errors);
}

pub(super) fn template_access(
    template: &ResourceClaimTemplate,
    _: Option<&ResourceClaimTemplate>,
    cx: AdmissionContext<'_>,
    errors: &mut Errors,
) {
    let devices = template.spec.spec.devices.as_ref();
    admin_access(devices, &template.metadata, cx, errors);
}

pub(super) fn admit_claim(
    claim: &mut ResourceClaim,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    devices::settle_claim(claim, cx.release);
    Ok(())
}

pub(super) fn admit_template(
    template: &mut ResourceClaimTemplate,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    devices::settle_template(template, cx.release);
    Ok(())
}

pub(super) fn admit_slice(
    slice: &mut ResourceSlice,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    devices::drop_gated_slice(slice, cx.release);
    Ok(())
}

pub(super) fn admit_class(class: &mut DeviceClass, cx: AdmissionContext<'_>) -> Result<(), String> {
    devices::drop_gated_class(class, cx.release);
    Ok(())
}

pub(super) fn settle_claim(claim: &mut ResourceClaim, release: &Release, _now: &Time) {
    devices::settle_claim(claim, release);
}

pub(super) fn settle_template(
    template: &mut ResourceClaimTemplate,
    release: &Release,
    _now: &Time,
) {
    devices::settle_template(template, release);
}

pub(super) fn settle_class(class: &mut DeviceClass, release: &Release, _now: &Time) {
    devices::drop_gated_class(class, release);
}

/// Taints without a time are added now.
pub(super) fn settle_slice(slice: &mut ResourceSlice, release: &Release, now: &Time) {
    devices::drop_gated_slice(slice, release);
    for device in slice.spec.devices.iter_mut().flatten() {
        for taint in device.taints.iter_mut().flatten() {
            taint.time_added.get_or_insert_with(|| now.clone());
        }
    }
}

/// A changed spec increases the generation.
pub(super) fn count_slice(slice: &mut ResourceSlice, before: &ResourceSlice) {
    let is_same = slice.spec == before.spec;
    count(&mut slice.metadata, &before.metadata, is_same);
}

/// A changed spec increases the generation.
pub(super) fn count_class(class: &mut DeviceClass, before: &DeviceClass) {
    let is_same = class.spec == before.spec;
    count(&mut class.metadata, &before.metadata, is_same);
}

fn count(meta: &mut ObjectMeta, before: &ObjectMeta, is_same: bool) {
    let more = i64::from(!is_same);
    meta.generation = before.generation.map(|it| it.saturating_add(more));
}

pub(super) fn claim_gates(claim: &ResourceClaim, release: &Release, errors: &mut Errors) {
    let path = Path::root().child("spec").child("devices");
    device_gates::claim(&path, claim.spec.devices.as_ref(), release, errors);
}

pub(super) fn template_gates(
    template: &ResourceClaimTemplate,
    release: &Release,
    errors: &mut Errors,
) {
    let path = Path::root().child("spec").child("spec").child("devices");
    let devices = template.spec.spec.devices.as_ref();
    device_gates::claim(&path, devices, release, errors);
}

pub(super) fn slice_gates(slice: &ResourceSlice, release: &Release, errors: &mut Errors) {
    device_gates::slice(slice, release, errors);
}

pub(super) fn class_gates(class: &DeviceClass, release: &Release, errors: &mut Errors) {
    device_gates::class(class, release, errors);
}

fn immutable_spec<T: Serialize + PartialEq>(kind: &str, new: &T, old: &T, errors: &mut Errors) {
    if new != old {
        let path = Path::root().child("spec");
        let value = shapes::internal(kind, &json::value(new));
        errors.push(FieldError::invalid(&path, value, IMMUTABLE));
    }
}

pub(super) fn claim(claim: &ResourceClaim, before: &ResourceClaim, errors: &mut Errors) {
    // A spec that cannot change is not validated again.
    errors.retain(|error| !error.path.starts_with("spec"));
    immutable_spec("ResourceClaimSpec", &claim.spec, &before.spec, errors);
}

pub(super) fn template(
    template: &ResourceClaimTemplate,
    before: &ResourceClaimTemplate,
    errors: &mut Errors,
) {
    immutable_spec(
        "ResourceClaimTemplateSpec",
        &template.spec,
        &before.spec,
        errors,
    );
}

pub(super) fn slice(slice: &ResourceSlice, before: &ResourceSlice, errors: &mut Errors) {
    let path = Path::root().child("spec");
    let (new, old) = (&slice.spec, &before.spec);
    if new.driver != old.driver {
        let path = path.child("driver");
        errors.push(FieldError::invalid(&path, new.driver.as_str(), IMMUTABLE));
    }
    if new.pool.name != old.pool.name {
        let path = path.child("pool").child("name");
        errors.push(FieldError::invalid(
            &path,
            new.pool.name.as_str(),
            IMMUTABLE,
        ));
    }
    if new.node_name != old.node_name {
        let name = new.node_name.clone().unwrap_or_default();
        errors.push(FieldError::invalid(
            &path.child("nodeName"),
            name,
            IMMUTABLE,
        ));
    }
}

/// Consumers are distinct, and not too many. Conditions are those of allocated devices.
pub(super) fn claim_status(claim: &ResourceClaim, _before: &ResourceClaim, errors: &mut Errors) {
    device_status::validate(claim, errors);
    let path = Path::root().child("status").child("reservedFor");
    let status = claim.status.as_ref();
    let consumers = status.and_then(|it| it.reserved_for.as_deref());
    let consumers = consumers.unwrap_or_default();
    if consumers.len() > MAX_CONSUMERS {
        errors.push(FieldError::too_many(&path, consumers.len(), MAX_CONSUMERS));
    }
    let mut known = BTreeSet::new();
    for (index, consumer) in consumers.iter().enumerate() {
        if !known.insert(&*consumer.uid) {
            let path = path.index(index).child("uid");
            errors.push(FieldError::duplicate(&path, consumer.uid.as_str()));
        }
    }
    if !consumers.is_empty() && status.is_some_and(|it| it.allocation.is_none()) {
        let detail = "may not be specified when `allocated` is not set";
        errors.push(FieldError::forbidden(&path, detail));
    }
}
