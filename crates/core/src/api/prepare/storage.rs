//! Defaults of the storage kinds, and the DefaultStorageClass admission (v1.34).

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference,
    TypedObjectReference,
};
use k8s_openapi::api::storage::v1::{CSIDriver, StorageClass};

use super::empty::in_node_selector;
use super::resources::round_up_to_milli;
use berth_scheduler::volumes::has_class;

/// Annotations of the default class; the second is the beta name.
const IS_DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

pub fn settle_storage_class(class: &mut StorageClass) {
    class
        .volume_binding_mode
        .get_or_insert_with(|| "Immediate".to_owned());
}

pub fn settle_csi_driver(driver: &mut CSIDriver) {
    let spec = &mut driver.spec;
    spec.attach_required.get_or_insert(true);
    let switches = [
        &mut spec.pod_info_on_mount,
        &mut spec.storage_capacity,
        &mut spec.requires_republish,
        &mut spec.se_linux_mount,
    ];
    for switch in switches {
        switch.get_or_insert(false);
    }
    spec.fs_group_policy
        .get_or_insert_with(|| "ReadWriteOnceWithFSType".to_owned());
    let modes = spec.volume_lifecycle_modes.get_or_insert_default();
    if modes.is_empty() {
        modes.push("Persistent".to_owned());
    }
}

pub fn settle_volume(volume: &mut PersistentVolume) {
    let Some(spec) = &mut volume.spec else { return };
    round_up_to_milli(spec.capacity.as_mut());
    spec.volume_mode
        .get_or_insert_with(|| "Filesystem".to_owned());
    if let Some(required) = spec
        .node_affinity
        .as_mut()
        .and_then(|all| all.required.as_mut())
    {
        in_node_selector(required);
    }
}

pub fn settle_claim(claim: &mut PersistentVolumeClaim) {
    let spec = claim.spec.get_or_insert_default();
    spec.volume_mode
        .get_or_insert_with(|| "Filesystem".to_owned());
    if spec.volume_name.as_deref() == Some("") {
        spec.volume_name = None;
    }
    if let Some(resources) = &mut spec.resources {
        round_up_to_milli(resources.requests.as_mut());
        round_up_to_milli(resources.limits.as_mut());
    }
    same_data_source(spec);
}

/// The old and the new way to name a source of data are kept equal (`NormalizeDataSources`).
fn same_data_source(spec: &mut PersistentVolumeClaimSpec) {
    // The old way silently drops what it never knew (`EnforceDataSourceBackwardsCompatibility`).
    let is_known = |source: &TypedLocalObjectReference| match source
        .api_group
        .as_deref()
        .unwrap_or_default()
    {
        "" => source.kind == "PersistentVolumeClaim",
        group => group == "snapshot.storage.k8s.io" && source.kind == "VolumeSnapshot",
    };
    if spec.data_source_ref.is_none() && spec.data_source.as_ref().is_some_and(|it| !is_known(it)) {
        spec.data_source = None;
    }
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(old), None) => {
            spec.data_source_ref = Some(TypedObjectReference {
                api_group: old.api_group.clone(),
                kind: old.kind.clone(),
                name: old.name.clone(),
                namespace: None,
            });
        }
        (None, Some(new)) if new.namespace.as_deref().unwrap_or_default().is_empty() => {
            spec.data_source = Some(TypedLocalObjectReference {
                api_group: new.api_group.clone(),
                kind: new.kind.clone(),
                name: new.name.clone(),
            });
        }
        _ => {}
    }
}

/// The default class: the last declared if several are marked, as the admission plugin prefers the
/// newest.
pub(super) fn default_class(classes: &[StorageClass]) -> Option<&str> {
    let marked = classes.iter().rev().find(|class| is_default(class));
    marked.and_then(|class| class.metadata.name.as_deref())
}

/// Whether a class is marked as the default.
pub fn is_default(class: &StorageClass) -> bool {
    let annotations = class.metadata.annotations.as_ref();
    IS_DEFAULT_CLASS.iter().any(|key| {
        annotations
            .and_then(|all| all.get(*key))
            .is_some_and(|value| value == "true")
    })
}

/// Sets the default class of a claim whose class is absent (not `""`).
pub fn admit_claim(claim: &mut PersistentVolumeClaim, default_class: Option<&str>) {
    if let Some(class) = default_class
        && !has_class(claim)
    {
        claim.spec.get_or_insert_default().storage_class_name = Some(class.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_without_class_gets_the_last_default_but_an_empty_name_is_a_choice() {
        let classes: Vec<StorageClass> = serde_json::from_value(json!([
            {"metadata": {"name": "a", "annotations": {IS_DEFAULT_CLASS[0]: "true"}}, "provisioner": "p"},
            {"metadata": {"name": "b", "annotations": {IS_DEFAULT_CLASS[0]: "true"}}, "provisioner": "p"},
            {"metadata": {"name": "c", "annotations": {IS_DEFAULT_CLASS[0]: "false"}}, "provisioner": "p"},
        ]))
        .unwrap();
        let class_of = |claim: serde_json::Value| {
            let mut claim: PersistentVolumeClaim = serde_json::from_value(claim).unwrap();
            admit_claim(&mut claim, default_class(&classes));
            claim.spec.unwrap_or_default().storage_class_name
        };
        assert_eq!(class_of(json!({"spec": {}})).as_deref(), Some("b"));
        assert_eq!(
            class_of(json!({"spec": {"storageClassName": ""}})).as_deref(),
            Some("")
        );
        assert_eq!(
            class_of(json!({"spec": {"storageClassName": "x"}})).as_deref(),
            Some("x")
        );
    }

    #[test]
    fn binding_mode_volume_mode_and_storage_capacity_have_defaults() {
        let mut class: StorageClass =
            serde_json::from_value(json!({"metadata": {}, "provisioner": "p"})).unwrap();
        settle_storage_class(&mut class);
        assert_eq!(class.volume_binding_mode.as_deref(), Some("Immediate"));

        let mut driver: CSIDriver =
            serde_json::from_value(json!({"metadata": {}, "spec": {}})).unwrap();
        settle_csi_driver(&mut driver);
        assert_eq!(driver.spec.storage_capacity, Some(false));

        let mut claim = PersistentVolumeClaim::default();
        settle_claim(&mut claim);
        assert_eq!(
            claim.spec.and_then(|spec| spec.volume_mode).as_deref(),
            Some("Filesystem")
        );
    }
}
