//! Volumes in containers, as file systems and as block devices.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::formats::{no_backsteps, relative};
use super::super::read::{at, flag, list, text};
use super::super::{Site, Walk};
use berth_scheduler::field::{FieldError, Path};

const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE: [&str; 3] = ["Disabled", "Enabled", "IfPossible"];

/// `ValidateVolumeMounts`.
pub fn all(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let container = site.value;
    let list_path = site.path().child("volumeMounts");
    let devices = list(container, "volumeDevices");
    let mut seen = BTreeSet::new();
    for (place, mount) in list(container, "volumeMounts").iter().enumerate() {
        let path = list_path.index(place);
        let (name, mounted) = (text(mount, "name"), text(mount, "mountPath"));
        let (named, at) = (path.child("name"), path.child("mountPath"));
        if name.is_empty() {
            walk.required(&named, "");
        }
        if !pod.volumes.borrow().contains_key(name) {
            walk.errors.push(FieldError::not_found(&named, name));
        }
        if mounted.is_empty() {
            walk.required(&at, "");
        }
        if !seen.insert(mounted) {
            walk.invalid(&at, mounted, "must be unique");
        }
        if devices.iter().any(|device| text(device, "name") == name) {
            walk.invalid(&named, name, "must not already exist in volumeDevices");
        }
        if devices
            .iter()
            .any(|device| text(device, "devicePath") == mounted)
        {
            let detail = "must not already exist as a path in volumeDevices";
            walk.invalid(&at, mounted, detail);
        }
        subpaths(walk, mount, &list_path, &path);
        propagation(walk, container, mount, &list_path);
    }
}

fn subpaths(walk: &mut Walk<'_>, mount: &Value, list: &Path, path: &Path) {
    let (plain, expanded) = (text(mount, "subPath"), text(mount, "subPathExpr"));
    if !plain.is_empty() {
        walk.invalid_each(&list.child("subPath"), plain, relative(plain));
    }
    if !expanded.is_empty() {
        if !plain.is_empty() {
            let detail = "subPathExpr and subPath are mutually exclusive";
            walk.invalid(&path.child("subPathExpr"), expanded, detail);
        }
        walk.invalid_each(&list.child("subPathExpr"), expanded, relative(expanded));
    }
}

/// `validateMountPropagation`, `validateMountRecursiveReadOnly`.
fn propagation(walk: &mut Walk<'_>, container: &Value, mount: &Value, list: &Path) {
    let privileged = at(container, "securityContext").is_some_and(|it| flag(it, "privileged"));
    let propagation = at(mount, "mountPropagation").and_then(Value::as_str);
    if let Some(word) = propagation {
        let path = list.child("mountPropagation");
        if !PROPAGATIONS.contains(&word) {
            walk.errors
                .push(FieldError::not_supported(&path, word, &PROPAGATIONS));
        }
        if word == PROPAGATIONS[0] && !privileged {
            let detail =
                "Bidirectional mount propagation is available only to privileged containers";
            walk.forbidden(&path, detail);
        }
    }
    let Some(word) = at(mount, "recursiveReadOnly").and_then(Value::as_str) else {
        return;
    };
    let path = list.child("recursiveReadOnly");
    if !RECURSIVE.contains(&word) {
        walk.errors
            .push(FieldError::not_supported(&path, word, &RECURSIVE));
    } else if word != RECURSIVE[0] {
        if !flag(mount, "readOnly") {
            walk.forbidden(&path, "may only be specified when readOnly is true");
        }
        if propagation.is_some_and(|word| word != "None") {
            let detail = "may only be specified when mountPropagation is None or not specified";
            walk.forbidden(&path, detail);
        }
    }
}

/// `ValidateVolumeDevices`.
pub fn devices(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let mounts = list(site.value, "volumeMounts");
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (place, device) in list(site.value, "volumeDevices").iter().enumerate() {
        let path = site.path().child("volumeDevices").index(place);
        let (name, at) = (text(device, "name"), text(device, "devicePath"));
        let (named, placed) = (path.child("name"), path.child("devicePath"));
        if name.is_empty() {
            walk.required(&named, "");
        }
        if names.contains(name) {
            walk.invalid(&named, name, "must be unique");
        }
        match pod.volumes.borrow().get(name) {
            Some(true) => {}
            Some(false) => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                walk.invalid(&named, name, detail);
            }
            None => walk.errors.push(FieldError::not_found(&named, name)),
        }
        if at.is_empty() {
            walk.required(&placed, "");
        }
        if paths.contains(at) {
            walk.invalid(&placed, at, "must be unique");
        }
        if no_backsteps(at).is_empty() {
            paths.insert(at);
        } else {
            walk.invalid(&placed, at, "can not contain backsteps ('..')");
        }
        if mounts.iter().any(|mount| text(mount, "name") == name) {
            walk.invalid(&named, name, "must not already exist in volumeMounts");
        }
        if mounts.iter().any(|mount| text(mount, "mountPath") == at) {
            let detail = "must not already exist as a path in volumeMounts";
            walk.invalid(&placed, at, detail);
        }
        if !name.is_empty() {
            names.insert(name);
        }
    }
}
