//! PersistentVolumes, PersistentVolumeClaims, StorageClasses, CSINodes, CSIDrivers and CSIStorageCapacities.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::{Fields, scalar};

pub(crate) const VOLUME: Table = Table {
    columns: columns![
        "NAME" "CAPACITY" "ACCESS MODES" "RECLAIM POLICY" "STATUS" "CLAIM" "STORAGECLASS"
        "VOLUMEATTRIBUTESCLASS" "REASON" "AGE" wide "VOLUMEMODE"
    ],
    row: |volume, now_ms| {
        let claim = volume.at("spec.claimRef");
        let claim = match claim.text("name") {
            "" => String::new(),
            name => format!("{}/{name}", claim.text("namespace")),
        };
        vec![
            name(volume),
            volume.amount("spec.capacity.storage"),
            access_modes(volume.items("spec.accessModes")),
            volume.text("spec.persistentVolumeReclaimPolicy").to_owned(),
            phase(volume),
            claim,
            class(volume).to_owned(),
            or_unset(volume.text("spec.volumeAttributesClassName")),
            volume.text("status.reason").to_owned(),
            age(volume, now_ms),
            or_unset(volume.text("spec.volumeMode")),
        ]
    },
};

pub(crate) const CLAIM: Table = Table {
    columns: columns![
        "NAME" "STATUS" "VOLUME" "CAPACITY" "ACCESS MODES" "STORAGECLASS" "VOLUMEATTRIBUTESCLASS"
        "AGE" wide "VOLUMEMODE"
    ],
    row: |claim, now_ms| {
        let volume = claim.text("spec.volumeName");
        let (capacity, modes) = if volume.is_empty() {
            (String::new(), String::new())
        } else {
            (
                claim.amount("status.capacity.storage"),
                access_modes(claim.items("status.accessModes")),
            )
        };
        vec![
            name(claim),
            phase(claim),
            volume.to_owned(),
            capacity,
            modes,
            class(claim).to_owned(),
            or_unset(claim.text("spec.volumeAttributesClassName")),
            age(claim, now_ms),
            or_unset(claim.text("spec.volumeMode")),
        ]
    },
};

pub(crate) const CLASS: Table = Table {
    columns: columns!["NAME" "PROVISIONER" "RECLAIMPOLICY" "VOLUMEBINDINGMODE" "ALLOWVOLUMEEXPANSION" "AGE"],
    row: |class, now_ms| {
        let or = |path: &str, default: &str| match class.text(path) {
            "" => default.to_owned(),
            text => text.to_owned(),
        };
        let default = if is_default_class(class) {
            " (default)"
        } else {
            ""
        };
        vec![
            format!("{}{default}", name(class)),
            class.text("provisioner").to_owned(),
            or("reclaimPolicy", "Delete"),
            or("volumeBindingMode", "Immediate"),
            class.is_true("allowVolumeExpansion").to_string(),
            age(class, now_ms),
        ]
    },
};

pub(crate) const CSI_NODE: Table = Table {
    columns: columns!["NAME" "DRIVERS" "AGE"],
    row: |node, now_ms| {
        let drivers = node.items("spec.drivers").len();
        vec![name(node), drivers.to_string(), age(node, now_ms)]
    },
};

pub(crate) const CSI_DRIVER: Table = Table {
    columns: columns![
        "NAME" "ATTACHREQUIRED" "PODINFOONMOUNT" "STORAGECAPACITY" "TOKENREQUESTS"
        "REQUIRESREPUBLISH" "MODES" "AGE"
    ],
    row: |driver, now_ms| {
        let requests = driver.items("spec.tokenRequests").iter();
        let requests: Vec<_> = requests.map(|it| it.text("audience")).collect();
        let modes = driver.items("spec.volumeLifecycleModes").iter();
        let modes: Vec<_> = modes.map(scalar).collect();
        let attach = driver.at("spec.attachRequired").as_bool().unwrap_or(true);
        vec![
            name(driver),
            attach.to_string(),
            driver.is_true("spec.podInfoOnMount").to_string(),
            driver.is_true("spec.storageCapacity").to_string(),
            or_unset(&requests.join(",")),
            driver.is_true("spec.requiresRepublish").to_string(),
            if modes.is_empty() {
                "Persistent".to_owned()
            } else {
                modes.join(",")
            },
            age(driver, now_ms),
        ]
    },
};

pub(crate) const CSI_STORAGE_CAPACITY: Table = Table {
    columns: columns!["NAME" "STORAGECLASSNAME" "CAPACITY"],
    row: |capacity, _| {
        vec![
            name(capacity),
            capacity.text("storageClassName").to_owned(),
            or_unset(capacity.text("capacity")),
        ]
    },
};

/// Whether this is the default class, which claims without a class get.
pub(crate) fn is_default_class(class: &Value) -> bool {
    let annotations = class.at("metadata.annotations");
    let is = |key: &str| annotations.get(key).and_then(Value::as_str) == Some("true");
    is("storageclass.kubernetes.io/is-default-class")
        || is("storageclass.beta.kubernetes.io/is-default-class")
}

/// The class of a volume or claim: the old annotation takes precedence over the field.
pub(crate) fn class(object: &Value) -> &str {
    let old = object.at("metadata.annotations");
    let old = old.get("volume.beta.kubernetes.io/storage-class");
    old.and_then(Value::as_str)
        .unwrap_or_else(|| object.text("spec.storageClassName"))
}

/// `RWO,ROX`: access modes in kubectl's order, each once.
pub(crate) fn access_modes(modes: &[Value]) -> String {
    const NAMES: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let names = NAMES
        .iter()
        .filter(|(mode, _)| modes.iter().any(|it| it == mode));
    let names: Vec<_> = names.map(|(_, short)| *short).collect();
    names.join(",")
}

fn phase(object: &Value) -> String {
    let is_going = object.has("metadata.deletionTimestamp");
    let phase = if is_going {
        "Terminating"
    } else {
        object.text("status.phase")
    };
    phase.to_owned()
}

fn or_unset(text: &str) -> String {
    let text = if text.is_empty() { "<unset>" } else { text };
    text.to_owned()
}
