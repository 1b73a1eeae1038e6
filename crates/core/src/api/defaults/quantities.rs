//! Quantities as the API server stores them: `0.5` is `500m`, `1024Mi` is `1Gi`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::fill;
use berth_base::quantity::Quantity as Amount;

/// Writes all quantities in their canonical form. Invalid ones stay: validation reports them.
pub(super) fn canonical(amounts: Option<&mut BTreeMap<String, Quantity>>) {
    for text in amounts.into_iter().flat_map(BTreeMap::values_mut) {
        let Ok(amount) = Amount::parse(&text.0) else {
            continue;
        };
        let canonical = amount.rounded_up_to_milli().to_string();
        if canonical != text.0 {
            text.0 = canonical;
        }
    }
}

/// Canonicalizes the quantities of a Pod and of its containers.
pub(super) fn pod_spec(spec: &mut PodSpec) {
    canonical(spec.overhead.as_mut());
    let init = spec.init_containers.iter_mut().flatten();
    let containers = spec
        .containers
        .iter_mut()
        .chain(init)
        .map(|container| &mut container.resources);
    for resources in containers.chain([&mut spec.resources]).flatten() {
        canonical(resources.requests.as_mut());
        canonical(resources.limits.as_mut());
    }
}

/// Completes a PersistentVolumeClaim.
pub fn claim(claim: &mut PersistentVolumeClaim) {
    let spec = claim.spec.get_or_insert_default();
    spec.volume_mode
        .get_or_insert_with(|| "Filesystem".to_owned());
    let spec = claim.spec.as_mut();
    if let Some(resources) = spec.and_then(|spec| spec.resources.as_mut()) {
        canonical(resources.requests.as_mut());
        canonical(resources.limits.as_mut());
    }
}

/// Completes a PersistentVolume.
pub fn volume(volume: &mut PersistentVolume) {
    let Some(spec) = &mut volume.spec else { return };
    spec.volume_mode
        .get_or_insert_with(|| "Filesystem".to_owned());
    fill(&mut spec.persistent_volume_reclaim_policy, "Retain");
    if let Some(path) = &mut spec.host_path {
        path.type_.get_or_insert_default();
    }
    canonical(spec.capacity.as_mut());
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Pod, ResourceRequirements};

    use super::{BTreeMap, Quantity};

    #[test]
    fn pods_keep_what_is_asked_for_in_its_canonical_form() {
        let amounts = |pairs: &[(&str, &str)]| -> BTreeMap<String, Quantity> {
            pairs
                .iter()
                .map(|(name, text)| ((*name).to_owned(), Quantity((*text).to_owned())))
                .collect()
        };
        let mut pod = Pod::default();
        let spec = pod.spec.get_or_insert_default();
        spec.containers.resize_with(1, Default::default);
        spec.containers[0].resources = Some(ResourceRequirements {
            requests: Some(amounts(&[("cpu", "0.1"), ("memory", "much")])),
            limits: Some(amounts(&[("cpu", "1000m"), ("memory", "1024Mi")])),
            ..ResourceRequirements::default()
        });
        super::super::pod(&mut pod);
        let spec = pod.spec.unwrap();
        let resources = spec.containers[0].resources.as_ref().unwrap();
        let wanted = amounts(&[("cpu", "100m"), ("memory", "much")]);
        assert_eq!(resources.requests, Some(wanted));
        let wanted = amounts(&[("cpu", "1"), ("memory", "1Gi")]);
        assert_eq!(resources.limits, Some(wanted));
    }
}
