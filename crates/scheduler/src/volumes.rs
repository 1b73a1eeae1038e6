//! What a claim asks for, what a volume offers, and whether they agree: for the PersistentVolume controller and for
//! the volume plugins alike.

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use berth_base::quantity::Quantity;

/// The deprecated way to name a StorageClass, on claims and volumes; it overrides `storageClassName`.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Whether a claim names a class, even the empty one.
pub fn has_class(claim: &PersistentVolumeClaim) -> bool {
    let spec = claim.spec.as_ref();
    class_annotation(&claim.metadata).is_some()
        || spec.is_some_and(|spec| spec.storage_class_name.is_some())
}

/// The class of a claim; empty if it has none.
pub fn class_of_claim(claim: &PersistentVolumeClaim) -> &str {
    let spec = claim.spec.as_ref();
    class_annotation(&claim.metadata)
        .or_else(|| spec.and_then(|spec| spec.storage_class_name.as_deref()))
        .unwrap_or_default()
}

/// The class of a volume; empty if it has none.
pub fn class_of_volume(volume: &PersistentVolume) -> &str {
    let spec = volume.spec.as_ref();
    class_annotation(&volume.metadata)
        .or_else(|| spec.and_then(|spec| spec.storage_class_name.as_deref()))
        .unwrap_or_default()
}

fn class_annotation(meta: &ObjectMeta) -> Option<&str> {
    let annotations = meta.annotations.as_ref()?;
    annotations.get(CLASS_ANNOTATION).map(String::as_str)
}

/// The volume that a claim names, if any.
pub fn bound_volume(claim: &PersistentVolumeClaim) -> Option<&str> {
    let name = claim.spec.as_ref()?.volume_name.as_deref()?;
    (!name.is_empty()).then_some(name)
}

/// `spec.capacity.storage` of a volume.
pub fn capacity(volume: &PersistentVolume) -> Option<Quantity> {
    let capacity = volume.spec.as_ref()?.capacity.as_ref()?;
    Quantity::parse(&capacity.get("storage")?.0).ok()
}

/// `spec.resources.requests.storage` of a claim.
pub fn requested_storage(claim: &PersistentVolumeClaim) -> Option<Quantity> {
    let resources = claim.spec.as_ref()?.resources.as_ref()?;
    Quantity::parse(&resources.requests.as_ref()?.get("storage")?.0).ok()
}

/// Whether the volume has all access modes of the claim.
pub fn has_access_modes(
    volume: &PersistentVolumeSpec,
    claim: Option<&PersistentVolumeClaimSpec>,
) -> bool {
    let offered = volume.access_modes.as_deref().unwrap_or_default();
    claim
        .and_then(|claim| claim.access_modes.as_ref())
        .into_iter()
        .flatten()
        .all(|mode| offered.contains(mode))
}

/// Whether both are block devices, or both file systems (the default).
pub fn same_volume_mode(
    volume: &PersistentVolumeSpec,
    claim: Option<&PersistentVolumeClaimSpec>,
) -> bool {
    let wanted = claim.and_then(|claim| claim.volume_mode.as_deref());
    let offered = volume.volume_mode.as_deref();
    wanted.unwrap_or("Filesystem") == offered.unwrap_or("Filesystem")
}

/// Whether both name the same VolumeAttributesClass, or none.
pub fn same_attributes_class(
    volume: &PersistentVolumeSpec,
    claim: Option<&PersistentVolumeClaimSpec>,
) -> bool {
    let wanted = claim.and_then(|claim| claim.volume_attributes_class_name.as_deref());
    let offered = volume.volume_attributes_class_name.as_deref();
    wanted.unwrap_or_default() == offered.unwrap_or_default()
}
