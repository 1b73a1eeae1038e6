//! Checks that depend on feature gates: fields that a release refuses, or checks, only if a gate is on.

use super::{Errors, device_gates};
use crate::api::object::Manifest;
use berth_scheduler::field::Path;
use berth_scheduler::release::Release;

/// The errors of an object beyond those of [`super::validate`].
pub fn validate(object: &Manifest, release: &Release) -> Errors {
    let mut errors = Errors::new();
    let spec = Path::root().child("spec");
    match object {
        Manifest::ResourceSlice(it) => device_gates::slice(it, release, &mut errors),
        Manifest::ResourceClaim(it) => {
            let path = spec.child("devices");
            device_gates::claim(&path, it.spec.devices.as_ref(), release, &mut errors);
        }
        Manifest::ResourceClaimTemplate(it) => {
            let path = spec.child("spec").child("devices");
            let devices = it.spec.spec.devices.as_ref();
            device_gates::claim(&path, devices, release, &mut errors);
        }
        Manifest::DeviceClass(it) => device_gates::class(it, release, &mut errors),
        _ => {}
    }
    errors
}
