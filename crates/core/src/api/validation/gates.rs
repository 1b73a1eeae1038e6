//! Checks that depend on feature gates: fields that a release refuses, or checks, only if a gate is on.

use k8s_openapi::api::core::v1::Pod;

use super::{Errors, device_gates};
use crate::api::object::Manifest;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::{Gate, Release};

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
        Manifest::Pod(it) => restart_rules(it, release, &mut errors),
        _ => {}
    }
    errors
}

/// Without the gate RestartAllContainersOnContainerExits, rules know one action, and sidecars have none. (Without
/// ContainerRestartRules, the rules are dropped.)
pub fn restart_rules(pod: &Pod, release: &Release, errors: &mut Errors) {
    let refuses = release.is_on(Gate::ContainerRestartRules)
        && !release.is_on(Gate::RestartAllContainersOnContainerExits);
    let Some(spec) = pod.spec.as_ref().filter(|_| refuses) else {
        return;
    };
    let init = spec.init_containers.as_deref().unwrap_or_default();
    for (list, containers) in [("initContainers", init), ("containers", &spec.containers)] {
        for (place, container) in containers.iter().enumerate() {
            let path = Path::root().child("spec").child(list).index(place);
            let path = path.child("restartPolicyRules");
            let rules = container
                .restart_policy_rules
                .as_deref()
                .unwrap_or_default();
            let is_sidecar =
                list == "initContainers" && container.restart_policy.as_deref() == Some("Always");
            if is_sidecar && !rules.is_empty() {
                let detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
                errors.push(FieldError::forbidden(&path, detail));
                continue;
            }
            for (number, rule) in rules.iter().enumerate() {
                if rule.action == "RestartAllContainers" {
                    let path = path.index(number).child("action");
                    errors.push(FieldError::not_supported(&path, &rule.action, &["Restart"]));
                }
            }
        }
    }
}
