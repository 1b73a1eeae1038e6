//! Fields of feature gates that are off: the API server drops them.

use k8s_openapi::api::core::v1::PodSpec;

use berth_scheduler::release::{Gate, Release};

/// Drops the fields of a Pod whose gates are off (`dropDisabledFields` of `pkg/api/pod`).
pub fn drop_disabled_fields(spec: &mut PodSpec, release: &Release) {
    if !release.is_on(Gate::PodLevelResources) {
        spec.resources = None;
    }
    if !release.is_on(Gate::MatchLabelKeysInPodTopologySpread) {
        for constraint in spec.topology_spread_constraints.iter_mut().flatten() {
            constraint.match_label_keys = None;
        }
    }
    if !release.is_on(Gate::HostnameOverride) {
        spec.hostname_override = None;
    }
    if !release.is_on(Gate::EnvFiles) {
        let init = spec.init_containers.iter_mut().flatten();
        let all = spec.containers.iter_mut().chain(init);
        for variable in all.flat_map(|it| it.env.iter_mut().flatten()) {
            if let Some(source) = &mut variable.value_from {
                source.file_key_ref = None;
            }
        }
    }
    if spec.volumes.is_some() && !release.is_on(Gate::ImageVolume) {
        drop_image_volumes(spec);
    }
    let mut containers = spec.containers.iter();
    let has_rules = spec.init_containers.is_some()
        || containers.any(|it| it.restart_policy.is_some() || it.restart_policy_rules.is_some());
    if has_rules && !release.is_on(Gate::ContainerRestartRules) {
        drop_restart_rules(spec);
    }
}

/// Drops the restart policies and rules of containers, but for those of sidecars. Cold: kept out of the first download.
#[inline(never)]
fn drop_restart_rules(spec: &mut PodSpec) {
    for container in &mut spec.containers {
        container.restart_policy = None;
        container.restart_policy_rules = None;
    }
    for container in spec.init_containers.iter_mut().flatten() {
        container.restart_policy_rules = None;
        if container.restart_policy.as_deref() != Some("Always") {
            container.restart_policy = None;
        }
    }
}

/// Drops the volumes of images, and their mounts. Cold: kept out of the first download.
#[inline(never)]
fn drop_image_volumes(spec: &mut PodSpec) {
    let volumes = spec.volumes.iter().flatten();
    let images = volumes.filter(|volume| volume.image.is_some());
    let names: Vec<String> = images.map(|volume| volume.name.clone()).collect();
    if names.is_empty() {
        return;
    }
    if let Some(volumes) = &mut spec.volumes {
        volumes.retain(|volume| volume.image.is_none());
    }
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        if let Some(mounts) = &mut container.volume_mounts {
            mounts.retain(|mount| !names.contains(&mount.name));
        }
    }
}
