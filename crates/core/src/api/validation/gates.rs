//! Checks that depend on feature gates: fields that a release refuses, or checks, only if a gate is on.

use k8s_openapi::api::core::v1::{Container, ContainerRestartRule, PodSpec};

use super::field::{FieldError, Path};
use super::{Errors, device_gates, one_of};
use crate::api::object::Manifest;
use crate::release::{Gate, Release};

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;

/// The errors of an object beyond those of [`super::validate`].
pub fn validate(object: &Manifest, release: &Release) -> Errors {
    let mut errors = Errors::new();
    let root = Path::root();
    let template = root.child("spec").child("template").child("spec");
    macro_rules! template_of {
        ($it:expr) => {
            $it.spec
                .as_ref()
                .and_then(|spec| spec.template.spec.as_ref())
        };
    }
    let (path, spec) = match object {
        Manifest::Pod(it) => (root.child("spec"), it.spec.as_ref()),
        Manifest::Deployment(it) => (template, template_of!(it)),
        Manifest::StatefulSet(it) => (template, template_of!(it)),
        Manifest::DaemonSet(it) => (template, template_of!(it)),
        Manifest::Job(it) => (template, template_of!(it)),
        Manifest::ReplicaSet(it) => {
            let of = it.spec.as_ref().and_then(|spec| spec.template.as_ref());
            (template, of.and_then(|of| of.spec.as_ref()))
        }
        Manifest::ResourceSlice(it) => {
            device_gates::slice(it, release, &mut errors);
            return errors;
        }
        Manifest::ResourceClaim(it) => {
            let path = root.child("spec").child("devices");
            device_gates::claim(&path, it.spec.devices.as_ref(), release, &mut errors);
            return errors;
        }
        Manifest::ResourceClaimTemplate(it) => {
            let path = root.child("spec").child("spec").child("devices");
            device_gates::claim(&path, it.spec.spec.devices.as_ref(), release, &mut errors);
            return errors;
        }
        Manifest::DeviceClass(it) => {
            device_gates::class(it, release, &mut errors);
            return errors;
        }
        _ => return errors,
    };
    if let Some(spec) = spec {
        pod_spec(&path, spec, release, &mut errors);
    }
    errors
}

/// The errors of a Pod's spec.
pub fn pod_spec(path: &Path, spec: &PodSpec, release: &Release, errors: &mut Errors) {
    // Without the gate, the fields are dropped.
    if !release.is_on(Gate::ContainerRestartRules) {
        return;
    }
    for (i, container) in spec.containers.iter().enumerate() {
        let path = path.child("containers").index(i);
        restart_policy(&path, container, release, errors);
    }
    for (i, container) in spec.init_containers.iter().flatten().enumerate() {
        let path = path.child("initContainers").index(i);
        restart_policy(&path, container, release, errors);
    }
}

/// `validateContainerRestartPolicy` of v1.35.
fn restart_policy(path: &Path, container: &Container, release: &Release, errors: &mut Errors) {
    let policy = container.restart_policy.as_ref();
    let policies = ["Always", "Never", "OnFailure"];
    one_of(&path.child("restartPolicy"), policy, &policies, errors);
    let rules = container
        .restart_policy_rules
        .as_deref()
        .unwrap_or_default();
    if rules.is_empty() {
        return;
    }
    if policy.is_none() {
        let detail = "must specify restartPolicy when restart rules are used";
        errors.push(FieldError::required(&path.child("restartPolicy"), detail));
    }
    let path = path.child("restartPolicyRules");
    if rules.len() > MAX_RULES {
        errors.push(FieldError::too_many(&path, rules.len(), MAX_RULES));
    }
    for (i, rule) in rules.iter().enumerate() {
        restart_rule(&path.index(i), rule, release, errors);
    }
}

fn restart_rule(path: &Path, rule: &ContainerRestartRule, release: &Release, errors: &mut Errors) {
    let actions: &[&str] = match release.is_on(Gate::RestartAllContainersOnContainerExits) {
        true => &["Restart", "RestartAllContainers"],
        false => &["Restart"],
    };
    one_of(&path.child("action"), Some(&rule.action), actions, errors);
    let path = path.child("exitCodes");
    let Some(codes) = &rule.exit_codes else {
        errors.push(FieldError::required(&path, "must be specified"));
        return;
    };
    let operators = ["In", "NotIn"];
    one_of(
        &path.child("operator"),
        Some(&codes.operator),
        &operators,
        errors,
    );
    let count = codes.values.as_ref().map_or(0, Vec::len);
    if count > MAX_EXIT_CODES {
        errors.push(FieldError::too_many(
            &path.child("values"),
            count,
            MAX_EXIT_CODES,
        ));
    }
}
