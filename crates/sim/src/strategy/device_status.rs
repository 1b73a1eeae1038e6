//! `status.devices` of ResourceClaims: what drivers report about allocated devices (`validateDeviceStatus` and
//! `ValidateConditions` of kube-apiserver v1.36).

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::Errors;
use berth_scheduler::cluster::devices::allocation_of;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::label_key;

const MAX_CONDITIONS: usize = 8;
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

/// The errors of a claim's `status.devices`.
pub fn validate(claim: &ResourceClaim, errors: &mut Errors) {
    let devices = claim.status.as_ref().and_then(|it| it.devices.as_ref());
    let allocated = allocation_of(claim).and_then(|it| it.devices.as_ref());
    let allocated = allocated.into_iter().flat_map(|it| &it.results).flatten();
    let allocated: BTreeSet<_> = allocated
        .map(|it| (&it.driver, &it.pool, &it.device, it.share_id.as_ref()))
        .collect();
    let list = Path::root().child("status").child("devices");
    let mut known = BTreeSet::new();
    for (index, it) in devices.into_iter().flatten().enumerate() {
        let path = list.index(index);
        let id = (&it.driver, &it.pool, &it.device, it.share_id.as_ref());
        let text = || format!("{}/{}/{}", it.driver, it.pool, it.device);
        if !allocated.contains(&id) {
            let detail = "must be an allocated device in the claim";
            errors.push(FieldError::invalid(&path, text(), detail));
        }
        let path = path.child("conditions");
        let reported = it.conditions.as_deref().unwrap_or_default();
        if reported.len() > MAX_CONDITIONS {
            let count = reported.len();
            errors.push(FieldError::too_many(&path, count, MAX_CONDITIONS));
        }
        conditions(&path, reported, errors);
        if !known.insert(id) {
            errors.push(FieldError::duplicate(&list.index(index), text()));
        }
    }
}

fn conditions(path: &Path, conditions: &[Condition], errors: &mut Errors) {
    let mut types = BTreeSet::new();
    for (index, it) in conditions.iter().enumerate() {
        let path = path.index(index);
        if !types.insert(&it.type_) {
            let path = path.child("type");
            errors.push(FieldError::duplicate(&path, it.type_.as_str()));
        }
        errors.extend(label_key(&path.child("type"), &it.type_));
        if !STATUSES.contains(&&*it.status) {
            let path = path.child("status");
            errors.push(FieldError::not_supported(&path, &it.status, &STATUSES));
        }
        if it.reason.is_empty() {
            errors.push(FieldError::required(&path.child("reason"), "must be set"));
        }
    }
}
