//! Fields of feature gates that are off: the API server drops them.

use k8s_openapi::api::core::v1::PodSpec;

use crate::release::{Gate, Release};

/// Drops the fields of a Pod whose gates are off (`dropDisabledFields` of `pkg/api/pod`).
pub(super) fn drop_disabled_fields(spec: &mut PodSpec, release: &Release) {
    if !release.is_on(Gate::PodLevelResources) {
        spec.resources = None;
    }
    if !release.is_on(Gate::MatchLabelKeysInPodTopologySpread) {
        for constraint in spec.topology_spread_constraints.iter_mut().flatten() {
            constraint.match_label_keys = None;
        }
    }
    if !release.is_on(Gate::ImageVolume) {
        for volume in spec.volumes.iter_mut().flatten() {
            volume.image = None;
        }
    }
    if !release.is_on(Gate::ContainerRestartRules) {
        for container in spec.containers.iter_mut() {
            container.restart_policy = None;
            container.restart_policy_rules = None;
        }
        for container in spec.init_containers.iter_mut().flatten() {
            container.restart_policy_rules = None;
        }
    }
}
