//! Volumes of Pods, PersistentVolumes, claims, StorageClasses and CSINodes.

use berth_protocol::remark::Remark;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec,
};
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, CSIStorageCapacity, StorageClass};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;
use serde_json::Value;

use super::affinity::node_selector;
use super::metadata::{Naming, object_meta};
use super::resources::quantity;
use super::selector::label_selector;
use super::{Errors, invalid_each, one_of};
use crate::api::rules;
use berth_base::json;
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_subdomain_errors;

const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// The types of PersistentVolumes, with the types of their rules.
const PERSISTENT_SOURCES: [(&str, &str); 22] = [
    ("hostPath", "HostPathVolumeSource"),
    ("gcePersistentDisk", "GCEPersistentDiskVolumeSource"),
    ("awsElasticBlockStore", "AWSElasticBlockStoreVolumeSource"),
    ("glusterfs", "GlusterfsPersistentVolumeSource"),
    ("flocker", ""),
    ("nfs", "NFSVolumeSource"),
    ("rbd", ""),
    ("quobyte", ""),
    ("cephfs", ""),
    ("iscsi", "ISCSIVolumeSource"),
    ("cinder", ""),
    ("fc", ""),
    ("flexVolume", ""),
    ("azureFile", ""),
    ("vsphereVolume", ""),
    ("photonPersistentDisk", ""),
    ("portworxVolume", ""),
    ("azureDisk", ""),
    ("scaleIO", ""),
    ("local", "LocalVolumeSource"),
    ("storageos", ""),
    ("csi", "CSIPersistentVolumeSource"),
];

/// Validates the first source, and reports every other; returns their number.
fn one_source(path: &Path, volume: &Value, errors: &mut Errors) -> usize {
    let mut count = 0;
    for (field, kind) in PERSISTENT_SOURCES {
        let Some(source) = volume.get(field) else {
            continue;
        };
        count += 1;
        if count == 1 {
            rules::part(kind, source, &path.child(field), errors);
        } else {
            let detail = "may not specify more than 1 volume type";
            errors.push(FieldError::forbidden(&path.child(field), detail));
        }
    }
    count
}

/// Validates a PersistentVolume.
pub fn persistent_volume(volume: &PersistentVolume, errors: &mut Errors) {
    object_meta(&volume.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let empty = PersistentVolumeSpec::default();
    let spec = volume.spec.as_ref().unwrap_or(&empty);
    if spec.access_modes.as_deref().unwrap_or_default().is_empty() {
        errors.push(FieldError::required(&path.child("accessModes"), ""));
    }
    access_modes(&path, spec.access_modes.as_deref(), errors);
    capacity(&path.child("capacity"), spec, errors);
    let policy = spec.persistent_volume_reclaim_policy.as_ref();
    let supported = ["Delete", "Recycle", "Retain"];
    let policy = policy.filter(|policy| !policy.is_empty());
    one_of(
        &path.child("persistentVolumeReclaimPolicy"),
        policy,
        &supported,
        errors,
    );
    let affinity_path = path.child("nodeAffinity");
    if let Some(affinity) = &spec.node_affinity {
        let path = affinity_path.child("required");
        match &affinity.required {
            Some(required) => node_selector(&path, required, errors),
            None => {
                let detail = "must specify required node constraints";
                errors.push(FieldError::required(&path, detail));
            }
        }
    }
    let value = json::value(spec);
    if one_source(&path, &value, errors) == 0 {
        errors.push(FieldError::required(&path, "must specify a volume type"));
    }
    if spec.local.is_some() && spec.node_affinity.is_none() {
        let detail = "Local volume requires node affinity";
        errors.push(FieldError::required(&affinity_path, detail));
    }
    class_name(&path, spec.storage_class_name.as_deref(), errors);
    one_of(
        &path.child("volumeMode"),
        spec.volume_mode.as_ref(),
        &VOLUME_MODES,
        errors,
    );
}

fn capacity(path: &Path, spec: &PersistentVolumeSpec, errors: &mut Errors) {
    let capacity = spec.capacity.iter().flatten();
    if capacity.clone().count() == 0 {
        errors.push(FieldError::required(path, ""));
    }
    match capacity.clone().count() {
        1 if capacity.clone().all(|(name, _)| name == "storage") => {}
        _ => {
            let value = json::value(&spec.capacity);
            errors.push(FieldError::not_supported_value(path, value, &["storage"]));
        }
    }
    for (name, text) in capacity {
        let amount = Quantity::parse(&text.0).unwrap_or_default();
        if amount.is_negative() {
            let detail = "must be a valid resource quantity";
            errors.push(FieldError::invalid(&path.key(name), amount.value(), detail));
        }
        positive(&path.key(name), text, errors);
    }
}

fn positive(path: &Path, text: &Text, errors: &mut Errors) {
    let Some(amount) = quantity(path, &text.0, errors) else {
        return;
    };
    if amount.is_negative() || amount.is_zero() {
        errors.push(FieldError::invalid(
            path,
            amount.to_string(),
            "must be greater than zero",
        ));
    }
}

fn access_modes(path: &Path, modes: Option<&[String]>, errors: &mut Errors) {
    let path = path.child("accessModes");
    let modes = modes.unwrap_or_default();
    for mode in modes {
        one_of(&path, Some(mode), &ACCESS_MODES, errors);
    }
    let alone = modes.iter().all(|mode| mode == "ReadWriteOncePod");
    if !alone && modes.iter().any(|mode| mode == "ReadWriteOncePod") {
        let detail = "may not use ReadWriteOncePod with other access modes";
        errors.push(FieldError::forbidden(&path, detail));
    }
}

fn class_name(path: &Path, name: Option<&str>, errors: &mut Errors) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        invalid_each(
            &path.child("storageClassName"),
            name,
            dns_subdomain_errors(name),
            errors,
        );
    }
}

/// Validates a PersistentVolumeClaim.
pub fn persistent_volume_claim(claim: &PersistentVolumeClaim, errors: &mut Errors) {
    object_meta(&claim.metadata, Naming::Subdomain, errors);
    let spec = claim.spec.clone().unwrap_or_default();
    claim_spec(&Path::root().child("spec"), &spec, errors);
}

/// Validates the spec of a claim or of a claim template.
pub fn claim_spec(path: &Path, spec: &PersistentVolumeClaimSpec, errors: &mut Errors) {
    if spec.access_modes.as_deref().unwrap_or_default().is_empty() {
        let detail = "at least 1 access mode is required";
        errors.push(FieldError::required(&path.child("accessModes"), detail));
    }
    label_selector(&path.child("selector"), spec.selector.as_ref(), errors);
    access_modes(path, spec.access_modes.as_deref(), errors);
    let storage_path = path.child("resources").key("storage");
    let requests = spec
        .resources
        .as_ref()
        .and_then(|resources| resources.requests.as_ref());
    match requests.and_then(|requests| requests.get("storage")) {
        None => {
            let error = FieldError::required(&storage_path, "");
            errors.push(error.help(Remark::request_size(
                "resources: {requests: {storage: 1Gi}}",
            )));
        }
        Some(text) => positive(&storage_path, text, errors),
    }
    class_name(path, spec.storage_class_name.as_deref(), errors);
    one_of(
        &path.child("volumeMode"),
        spec.volume_mode.as_ref(),
        &VOLUME_MODES,
        errors,
    );
    rules::part(
        "PersistentVolumeClaimSpec",
        &json::value(spec),
        path,
        errors,
    );
}

/// Validates a StorageClass.
pub fn storage_class(class: &StorageClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    rules::object("StorageClass", class, errors);
}

/// Validates a CSIDriver.
pub fn csi_driver(driver: &CSIDriver, errors: &mut Errors) {
    object_meta(&driver.metadata, Naming::Subdomain, errors);
    rules::object("CSIDriver", driver, errors);
}

/// Validates a CSINode.
pub fn csi_node(node: &CSINode, errors: &mut Errors) {
    object_meta(&node.metadata, Naming::Subdomain, errors);
    rules::object("CSINode", node, errors);
}

/// Validates a CSIStorageCapacity.
pub fn storage_capacity(capacity: &CSIStorageCapacity, errors: &mut Errors) {
    object_meta(&capacity.metadata, Naming::Subdomain, errors);
    let path = Path::root();
    let class = &capacity.storage_class_name;
    let details = dns_subdomain_errors(class);
    invalid_each(&path.child("storageClassName"), class, details, errors);
    let topology = &path.child("nodeTopology");
    label_selector(topology, capacity.node_topology.as_ref(), errors);
    for (field, amount) in [
        ("capacity", &capacity.capacity),
        ("maximumVolumeSize", &capacity.maximum_volume_size),
    ] {
        let path = path.child(field);
        let amount = amount.as_ref().map(|amount| amount.0.as_str());
        let Some((text, parsed)) =
            amount.and_then(|text| Some((text, quantity(&path, text, errors)?)))
        else {
            continue;
        };
        if parsed.nanos() < 0 {
            let detail = "must be greater than or equal to 0";
            errors.push(FieldError::invalid(&path, text, detail));
        }
    }
}
