//! Volumes of Pods, PersistentVolumes, claims, StorageClasses and CSINodes.

use berth_protocol::remark::Remark;
use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec,
    Volume,
};
use k8s_openapi::api::storage::v1::{CSINode, CSIStorageCapacity, StorageClass};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;
use serde_json::Value;

use super::affinity::node_selector;
use super::field::{FieldError, Path};
use super::metadata::{Naming, object_meta};
use super::names::{dns_label_errors, dns_subdomain_errors, label_key_errors};
use super::resources::quantity;
use super::selector::label_selector;
use super::{Errors, invalid_each, non_negative, one_of};
use crate::base::json;

const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// The types of Pod volumes.
const POD_SOURCES: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// The types of PersistentVolumes.
const PERSISTENT_SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// Validates the volumes of a Pod or a template; a volume without a source is an empty directory.
pub fn pod_volumes(path: &Path, volumes: &[Volume], errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (i, volume) in volumes.iter().enumerate() {
        let path = path.index(i);
        one_source(&path, &json::value(volume), &POD_SOURCES, errors);
        let claim = volume.persistent_volume_claim.as_ref();
        if claim.is_some_and(|claim| claim.claim_name.is_empty()) {
            let path = path.child("persistentVolumeClaim").child("claimName");
            errors.push(FieldError::required(&path, ""));
        }
        if let Some(ephemeral) = &volume.ephemeral {
            let path = path.child("ephemeral").child("volumeClaimTemplate");
            match &ephemeral.volume_claim_template {
                None => errors.push(FieldError::required(&path, "")),
                Some(template) => claim_spec(&path.child("spec"), &template.spec, errors),
            }
        }
        let path = path.child("name");
        if volume.name.is_empty() {
            errors.push(FieldError::required(&path, ""));
        } else {
            invalid_each(&path, &volume.name, dns_label_errors(&volume.name), errors);
        }
        if !seen.insert(volume.name.as_str()) {
            errors.push(FieldError::duplicate(&path, volume.name.as_str()));
        }
    }
}

/// Reports every source after the first; returns their number.
fn one_source(path: &Path, volume: &Value, kinds: &[&str], errors: &mut Errors) -> usize {
    let mut count = 0;
    for kind in kinds.iter().filter(|kind| volume.get(**kind).is_some()) {
        count += 1;
        if count > 1 {
            let detail = "may not specify more than 1 volume type";
            errors.push(FieldError::forbidden(&path.child(kind), detail));
        }
    }
    count
}

/// Validates a PersistentVolume.
pub fn persistent_volume(volume: &PersistentVolume, errors: &mut Errors) {
    object_meta(&volume.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec");
    let Some(spec) = &volume.spec else {
        errors.push(FieldError::required(&path.child("accessModes"), ""));
        return;
    };
    if spec.access_modes.as_deref().unwrap_or_default().is_empty() {
        errors.push(FieldError::required(&path.child("accessModes"), ""));
    }
    access_modes(&path, spec.access_modes.as_deref(), errors);
    capacity(&path.child("capacity"), spec, errors);
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
    } else if spec.local.is_some() {
        let detail = "Local volume requires node affinity";
        errors.push(FieldError::required(&affinity_path, detail));
    }
    let value = json::value(spec);
    if one_source(&path, &value, &PERSISTENT_SOURCES, errors) == 0 {
        errors.push(FieldError::required(&path, "must specify a volume type"));
    }
    let policy = spec.persistent_volume_reclaim_policy.as_ref();
    let supported = ["Delete", "Recycle", "Retain"];
    one_of(
        &path.child("persistentVolumeReclaimPolicy"),
        policy,
        &supported,
        errors,
    );
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
    match capacity.clone().count() {
        0 => errors.push(FieldError::required(path, "")),
        1 if capacity.clone().all(|(name, _)| name == "storage") => {}
        _ => {
            let value = json::value(&spec.capacity);
            errors.push(FieldError::not_supported_value(path, value, &["storage"]));
        }
    }
    for (name, text) in capacity {
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
}

/// Validates a StorageClass.
pub fn storage_class(class: &StorageClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let path = Path::root();
    let provisioner = class.provisioner.as_str();
    let provisioner_path = path.child("provisioner");
    if provisioner.is_empty() {
        errors.push(FieldError::required(&provisioner_path, ""));
    } else {
        let details = label_key_errors(&provisioner.to_lowercase());
        invalid_each(&provisioner_path, provisioner, details, errors);
    }
    let policy = class.reclaim_policy.as_ref();
    one_of(
        &path.child("reclaimPolicy"),
        policy,
        &["Delete", "Retain"],
        errors,
    );
    let mode = class.volume_binding_mode.as_ref();
    let supported = ["Immediate", "WaitForFirstConsumer"];
    one_of(&path.child("volumeBindingMode"), mode, &supported, errors);
}

/// Validates a CSINode.
pub fn csi_node(node: &CSINode, errors: &mut Errors) {
    object_meta(&node.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("spec").child("drivers");
    let mut seen = BTreeSet::new();
    for (i, driver) in node.spec.drivers.iter().enumerate() {
        let path = path.index(i);
        if driver.name.is_empty() {
            errors.push(FieldError::required(&path.child("name"), ""));
        } else {
            let details = dns_subdomain_errors(&driver.name.to_lowercase());
            invalid_each(&path.child("name"), &driver.name, details, errors);
        }
        if driver.node_id.is_empty() {
            errors.push(FieldError::required(&path.child("nodeID"), ""));
        }
        let count = driver
            .allocatable
            .as_ref()
            .and_then(|allocatable| allocatable.count);
        non_negative(&path.child("allocatable").child("count"), count, errors);
        if !seen.insert(driver.name.as_str()) {
            errors.push(FieldError::duplicate(
                &path.child("name"),
                driver.name.as_str(),
            ));
        }
    }
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
