//! Claims, volumes and their classes: admission (DefaultStorageClass, StorageObjectInUseProtection,
//! LimitRanger), and their immutable fields.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec,
};
use k8s_openapi::api::storage::v1::{CSIDriver, CSIStorageCapacity, StorageClass};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use super::meta::IMMUTABLE;
use super::{AdmissionContext, Errors};
use crate::store::{Key, Store, name_of};
use crate::virtual_time::ms_of;
use berth_base::json;
use berth_base::quantity::Quantity;
use berth_core::api::prepare::storage;
use berth_core::api::shapes;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::release::Release;
use berth_scheduler::volumes::class_of_claim;

/// The finalizer that keeps a claim until no Pod uses it.
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The finalizer that keeps a volume until no claim is bound to it.
pub const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";

const CLAIM_IMMUTABLE: &str = "spec is immutable after creation except resources.requests and \
    volumeAttributesClassName for bound claims";

pub(super) fn admit_claim(
    claim: &mut PersistentVolumeClaim,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    storage::settle_claim(claim);
    storage::admit_claim(claim, default_class(cx.store));
    protect(&mut claim.metadata, CLAIM_PROTECTION);
    let status = claim.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    Ok(())
}

pub(super) fn judge_claim(
    claim: &PersistentVolumeClaim,
    before: Option<&PersistentVolumeClaim>,
    cx: AdmissionContext<'_>,
) -> Result<(), String> {
    if let Some(before) = before {
        may_grow(claim, before, cx.store)?;
    }
    cx.policies.admit_claim(claim)
}

/// Whether a claim may ask for more than before (v1.36
/// `plugin/pkg/admission/storage/persistentvolume/resize`).
fn may_grow(
    claim: &PersistentVolumeClaim,
    before: &PersistentVolumeClaim,
    store: &Store,
) -> Result<(), String> {
    if asked(claim) <= asked(before) {
        return Ok(());
    }
    let phase = before.status.as_ref().and_then(|it| it.phase.as_deref());
    if phase != Some("Bound") {
        return Err("Only bound persistent volume claims can be expanded".to_owned());
    }
    let class = class_of_claim(claim);
    let grows = class == class_of_claim(before)
        && store
            .storage_classes
            .get(&Key::new("", class))
            .is_some_and(|class| class.allow_volume_expansion == Some(true));
    match grows {
        true => Ok(()),
        false => Err("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize".to_owned()),
    }
}

/// The storage that a claim asks for.
fn asked(claim: &PersistentVolumeClaim) -> Quantity {
    let resources = claim.spec.as_ref().and_then(|spec| spec.resources.as_ref());
    size(resources.and_then(|resources| resources.requests.as_ref()))
}

fn size(amounts: Option<&BTreeMap<String, Text>>) -> Quantity {
    let text = amounts.and_then(|amounts| amounts.get("storage"));
    text.and_then(|text| Quantity::parse(&text.0).ok())
        .unwrap_or_default()
}

/// The newest class that is marked as default; among those of the same second, the first by name.
fn default_class(store: &Store) -> Option<&str> {
    let marked = store
        .storage_classes
        .iter()
        .filter(|class| storage::is_default(class));
    let newest = marked.min_by_key(|class| {
        let created = class.metadata.creation_timestamp.as_ref().map_or(0, ms_of);
        (Reverse(created.div_euclid(1_000)), name_of(&class.metadata))
    });
    newest.map(|class| name_of(&class.metadata))
}

pub(super) fn admit_volume(
    volume: &mut PersistentVolume,
    _cx: AdmissionContext<'_>,
) -> Result<(), String> {
    storage::settle_volume(volume);
    if let Some(spec) = &mut volume.spec {
        spec.persistent_volume_reclaim_policy
            .get_or_insert_with(|| "Retain".to_owned());
    }
    protect(&mut volume.metadata, VOLUME_PROTECTION);
    let status = volume.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    Ok(())
}

/// A new volume is in its phase since now.
pub(super) fn settle_phase(volume: &mut PersistentVolume, _release: &Release, now: &Time) {
    if volume.metadata.resource_version.is_none() {
        let status = volume.status.get_or_insert_default();
        status
            .last_phase_transition_time
            .get_or_insert_with(|| now.clone());
    }
}

pub(super) fn default_storage_class(class: &mut StorageClass) {
    storage::settle_storage_class(class);
    class
        .reclaim_policy
        .get_or_insert_with(|| "Delete".to_owned());
}

/// The gate of `preventPodSchedulingIfMissing` is off.
pub(super) fn default_driver(driver: &mut CSIDriver) {
    driver.spec.prevent_pod_scheduling_if_missing = None;
    storage::settle_csi_driver(driver);
}

pub(super) fn driver(driver: &CSIDriver, before: &CSIDriver, errors: &mut Errors) {
    let (new, old) = (&driver.spec, &before.spec);
    let fields = [
        (
            "attachedRequired",
            new.attach_required != old.attach_required,
            json::value(&new.attach_required),
        ),
        (
            "volumeLifecycleModes",
            new.volume_lifecycle_modes != old.volume_lifecycle_modes,
            json::value(&new.volume_lifecycle_modes),
        ),
    ];
    for (field, _, value) in fields.into_iter().filter(|(_, is_other, _)| *is_other) {
        let path = Path::root().child("spec").child(field);
        errors.push(FieldError::invalid(&path, value, IMMUTABLE));
    }
}

fn protect(meta: &mut ObjectMeta, finalizer: &str) {
    let finalizers = meta.finalizers.get_or_insert_default();
    if !finalizers.iter().any(|name| name == finalizer) {
        finalizers.push(finalizer.to_owned());
    }
}

pub(super) fn claim(
    claim: &PersistentVolumeClaim,
    before: &PersistentVolumeClaim,
    errors: &mut Errors,
) {
    let (new, old) = (claim.spec.clone(), before.spec.clone());
    let (mut new, old) = (new.unwrap_or_default(), old.unwrap_or_default());
    let is_named = |spec: &PersistentVolumeClaimSpec| {
        spec.volume_name
            .as_ref()
            .is_some_and(|name| !name.is_empty())
    };
    if !is_named(&old) {
        // An unbound claim may be bound.
        new.volume_name.clone_from(&old.volume_name);
    } else {
        // A bound claim may be resized; the resize itself is not simulated.
        new.resources.clone_from(&old.resources);
        new.volume_attributes_class_name
            .clone_from(&old.volume_attributes_class_name);
    }
    if old.storage_class_name.is_none() {
        // A claim without a class may get the default one later.
        new.storage_class_name = None;
    }
    if new != old {
        let [old, new] = [&old, &new].map(json::value);
        let difference = shapes::difference("PersistentVolumeClaimSpec", &old, &new);
        let detail = format!("{CLAIM_IMMUTABLE}\n{difference}");
        errors.push(FieldError::forbidden(&Path::root().child("spec"), &detail));
    }
    shrinks(claim, before, errors);
    let mode = |claim: &PersistentVolumeClaim| {
        let spec = claim.spec.as_ref();
        spec.and_then(|spec| spec.volume_mode.clone())
            .unwrap_or_default()
    };
    if mode(claim) != mode(before) {
        let path = Path::root().child("volumeMode");
        errors.push(FieldError::invalid(&path, mode(claim), IMMUTABLE));
    }
}

/// A claim may ask for less than before, though for more than its volume has.
fn shrinks(claim: &PersistentVolumeClaim, before: &PersistentVolumeClaim, errors: &mut Errors) {
    let status = before.status.as_ref();
    let has = size(status.and_then(|status| status.capacity.as_ref()));
    if asked(claim) < asked(before) && asked(claim) <= has {
        let path = Path::root().child("spec").child("resources");
        let path = path.child("requests").child("storage");
        let detail = "field can not be less than status.capacity";
        errors.push(FieldError::forbidden(&path, detail));
    }
}

pub(super) fn capacity(
    capacity: &CSIStorageCapacity,
    before: &CSIStorageCapacity,
    errors: &mut Errors,
) {
    let root = Path::root();
    if capacity.node_topology != before.node_topology {
        let path = root.child("nodeTopology");
        let topology = json::value(&capacity.node_topology);
        errors.push(FieldError::invalid(&path, topology, IMMUTABLE));
    }
    if capacity.storage_class_name != before.storage_class_name {
        let path = root.child("storageClassName");
        let class = capacity.storage_class_name.as_str();
        errors.push(FieldError::invalid(&path, class, IMMUTABLE));
    }
}

pub(super) fn volume(volume: &PersistentVolume, before: &PersistentVolume, errors: &mut Errors) {
    let path = Path::root().child("spec");
    let sourced = |volume: &PersistentVolume| PersistentVolumeSpec {
        access_modes: None,
        capacity: None,
        claim_ref: None,
        mount_options: None,
        node_affinity: None,
        persistent_volume_reclaim_policy: None,
        storage_class_name: None,
        volume_attributes_class_name: None,
        volume_mode: None,
        ..volume.spec.clone().unwrap_or_default()
    };
    if sourced(volume) != sourced(before) {
        let path = path.child("persistentvolumesource");
        let [old, new] = [before, volume].map(|volume| json::value(&volume.spec));
        let difference = shapes::difference("PersistentVolumeSource", &old, &new);
        let detail =
            format!("spec.persistentvolumesource is immutable after creation\n{difference}");
        errors.push(FieldError::forbidden(&path, &detail));
    }
    let mode = |volume: &PersistentVolume| {
        let spec = volume.spec.as_ref();
        spec.and_then(|spec| spec.volume_mode.clone())
            .unwrap_or_default()
    };
    if mode(volume) != mode(before) {
        let path = Path::root().child("volumeMode");
        errors.push(FieldError::invalid(&path, mode(volume), IMMUTABLE));
    }
    let affinity =
        |volume: &PersistentVolume| volume.spec.as_ref().and_then(|it| it.node_affinity.clone());
    if affinity(before).is_some() && affinity(volume) != affinity(before) {
        let path = Path::root().child("nodeAffinity");
        let detail = "field is immutable, except for updating from beta label to GA";
        let value = shapes::internal("VolumeNodeAffinity", &json::value(&affinity(volume)));
        errors.push(FieldError::invalid(&path, value, detail));
    }
}

/// Before declarative validation, most fields had a sentence of their own.
pub(super) fn class(
    class: &StorageClass,
    before: &StorageClass,
    release: &Release,
    errors: &mut Errors,
) {
    let [old, new] = [before, class].map(json::value);
    for field in [
        "parameters",
        "provisioner",
        "reclaimPolicy",
        "volumeBindingMode",
    ] {
        let value = new.get(field).cloned().unwrap_or_default();
        if value == old.get(field).cloned().unwrap_or_default() {
            continue;
        }
        let path = Path::root().child(field);
        errors.push(match field {
            "volumeBindingMode" => FieldError::invalid(&path, value, IMMUTABLE),
            _ if release.rules().validates_declaratively => {
                FieldError::invalid(&path, value, IMMUTABLE)
            }
            _ => {
                let detail = format!("updates to {field} are forbidden.");
                FieldError::forbidden(&path, &detail)
            }
        });
    }
}
