//! Volumes of Pods (`ValidateVolumes`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::formats::unreserved;
use super::super::read::{at, has, list, number, text};
use super::super::{Site, Walk};
use super::env;
use crate::api::validation::metadata::template_meta;
use crate::api::validation::volumes::claim_spec;
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_subdomain_errors;

const HOST_PATHS: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// The sources of volumes, in the API server's order, with their types; those without one have no rules here.
const SOURCES: [(&str, &str); 30] = [
    ("emptyDir", "EmptyDirVolumeSource"),
    ("hostPath", "HostPathVolumeSource"),
    ("gitRepo", "GitRepoVolumeSource"),
    ("gcePersistentDisk", "GCEPersistentDiskVolumeSource"),
    ("awsElasticBlockStore", "AWSElasticBlockStoreVolumeSource"),
    ("secret", "SecretVolumeSource"),
    ("nfs", "NFSVolumeSource"),
    ("iscsi", "ISCSIVolumeSource"),
    ("glusterfs", "GlusterfsVolumeSource"),
    ("flocker", ""),
    ("persistentVolumeClaim", "PersistentVolumeClaimVolumeSource"),
    ("rbd", ""),
    ("cinder", ""),
    ("cephfs", ""),
    ("quobyte", ""),
    ("downwardAPI", "DownwardAPIVolumeSource"),
    ("fc", ""),
    ("flexVolume", ""),
    ("configMap", "ConfigMapVolumeSource"),
    ("azureFile", ""),
    ("vsphereVolume", ""),
    ("photonPersistentDisk", ""),
    ("portworxVolume", ""),
    ("azureDisk", ""),
    ("storageos", ""),
    ("projected", "ProjectedVolumeSource"),
    ("scaleIO", ""),
    ("csi", "CSIVolumeSource"),
    ("ephemeral", "EphemeralVolumeSource"),
    ("image", "ImageVolumeSource"),
];

const MIN_TOKEN_SECONDS: i64 = 600;
const MAX_TOKEN_SECONDS: i64 = 1 << 32;

/// A volume with an error is unknown to the mounts.
pub fn all(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let mut names = BTreeSet::new();
    for (place, volume) in list(site.value, "volumes").iter().enumerate() {
        let path = site.path().child("volumes").index(place);
        let found = walk.errors.len();
        walk.structure("Volume", volume, &path);
        let name = text(volume, "name");
        if names.contains(name) {
            walk.errors
                .push(FieldError::duplicate(&path.child("name"), name));
        }
        if walk.errors.len() == found {
            names.insert(name);
            let is_claim = has(volume, "persistentVolumeClaim") || has(volume, "ephemeral");
            pod.volumes.borrow_mut().insert(name.to_owned(), is_claim);
        }
    }
}

/// `validateVolumeSource`; a volume without a source is an empty directory.
pub fn source(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let mut is_first = true;
    for (field, kind) in SOURCES.iter().filter(|(field, _)| has(site.value, field)) {
        let own = path.child(field);
        if !std::mem::take(&mut is_first) {
            walk.forbidden(&own, "may not specify more than 1 volume type");
            continue;
        }
        let value = site.value.get(*field).unwrap_or(&Value::Null);
        if !kind.is_empty() {
            walk.structure(kind, value, &own);
        }
        let name = text(site.value, "name");
        let of_pod = walk.pod.map_or("", |pod| pod.owner.name());
        if *field == "ephemeral" && !of_pod.is_empty() && !name.is_empty() {
            let claim = format!("{of_pod}-{name}");
            for detail in dns_subdomain_errors(&claim) {
                let detail = format!("PVC name {claim:?}: {detail}");
                walk.invalid(&path.child("name"), name, &detail);
            }
        }
    }
}

pub fn size_limit(walk: &mut Walk<'_>, site: &Site<'_>) {
    let amount = Quantity::parse(site.value.as_str().unwrap_or_default());
    if amount.is_ok_and(|amount| amount < Quantity::default()) {
        let detail = "SizeLimit field must be a valid resource quantity";
        walk.forbidden(&site.path(), detail);
    }
}

pub fn host_path_type(walk: &mut Walk<'_>, site: &Site<'_>) {
    let kind = text(site.value, "type");
    if !text(site.value, "path").is_empty() && !HOST_PATHS.contains(&kind) {
        let path = site.path().child("type");
        walk.errors
            .push(FieldError::not_supported(&path, kind, &HOST_PATHS));
    }
}

/// A path within a volume, which must be there.
pub fn required_path(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.value.as_str().unwrap_or_default();
    if path.is_empty() {
        walk.required(&site.path(), "");
    }
    walk.invalid_each(&site.path(), path, unreserved(path));
}

pub fn absolute_path(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.value.as_str().unwrap_or_default();
    if path.is_empty() {
        walk.required(&site.path(), "");
    }
    if !path.starts_with('/') {
        walk.invalid(&site.path(), path, "must be an absolute path");
    }
}

/// The API server names the volume, not the item.
pub fn downward_files(walk: &mut Walk<'_>, site: &Site<'_>) {
    for file in list(site.owner, "items") {
        walk.structure("DownwardAPIVolumeFile", file, site.here);
    }
}

/// `validateDownwardAPIVolumeFile`, but for path and mode.
pub fn downward_source(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    match (
        at(site.value, "fieldRef"),
        at(site.value, "resourceFieldRef"),
    ) {
        (Some(field), resource) => {
            env::field_ref(walk, field, &path.child("fieldRef"), &env::FILES);
            if resource.is_some() {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                walk.invalid(&path, "resource", detail);
            }
        }
        (None, Some(resource)) => {
            env::resource_ref(walk, resource, &path.child("resourceFieldRef"), true);
        }
        (None, None) => {
            walk.required(&path, "one of fieldRef and resourceFieldRef is required");
        }
    }
}

/// `validateProjectionSources`.
pub fn projections(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for (place, source) in list(site.owner, "sources").iter().enumerate() {
        let path = site.path().index(place);
        let mut sources = 0;
        for field in ["secret", "configMap"] {
            let Some(own) = at(source, field) else {
                continue;
            };
            sources += 1;
            let (name, path) = (text(own, "name"), path.child(field));
            if name.is_empty() {
                walk.required(&path.child("name"), "");
            }
            for (place, item) in list(own, "items").iter().enumerate() {
                walk.structure("KeyToPath", item, &path.child("items").index(place));
                unique_path(walk, &mut paths, text(item, "path"), name, site.here);
            }
        }
        if let Some(own) = at(source, "downwardAPI") {
            sources += 1;
            for file in list(own, "items") {
                walk.structure("DownwardAPIVolumeFile", file, &path.child("downwardAPI"));
                let named = text(file, "path");
                unique_path(walk, &mut paths, named, named, site.here);
            }
        }
        if let Some(own) = at(source, "serviceAccountToken") {
            sources += 1;
            token(walk, own, &path.child("serviceAccountToken"), site.here);
        }
        sources += usize::from(has(source, "clusterTrustBundle"));
        sources += usize::from(has(source, "podCertificate"));
        if sources > 1 {
            walk.forbidden(&path, "may not specify more than 1 volume type per source");
        }
    }
}

fn unique_path<'v>(
    walk: &mut Walk<'_>,
    paths: &mut BTreeSet<&'v str>,
    path: &'v str,
    shown: &str,
    volume: &Path,
) {
    if !path.is_empty() && !paths.insert(path) {
        walk.invalid(volume, shown, "conflicting duplicate paths");
    }
}

fn token(walk: &mut Walk<'_>, own: &Value, path: &Path, volume: &Path) {
    if let Some(seconds) = number(own, "expirationSeconds") {
        let path = path.child("expirationSeconds");
        if seconds < MIN_TOKEN_SECONDS {
            let detail = "may not specify a duration less than 10 minutes";
            walk.invalid(&path, seconds, detail);
        }
        if seconds > MAX_TOKEN_SECONDS {
            let detail = "may not specify a duration larger than 2^32 seconds";
            walk.invalid(&path, seconds, detail);
        }
    }
    let (named, path) = (text(own, "path"), volume.child("path"));
    if named.is_empty() {
        walk.required(&path, "");
    } else {
        walk.invalid_each(&path, named, unreserved(named));
    }
}

pub fn publish_secret(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(secret) = at(site.value, "nodePublishSecretRef") else {
        return;
    };
    let (name, path) = (text(secret, "name"), site.path());
    if name.is_empty() {
        walk.required(&path.child("nodePublishSecretRef").child("name"), "");
    } else {
        walk.invalid_each(&path.child("name"), name, dns_subdomain_errors(name));
    }
}

/// The claim that an ephemeral volume makes.
pub fn claim_template(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    if site.value.is_null() {
        walk.required(&path, "");
        return;
    }
    let Some(pod) = walk.pod else { return };
    // The template of this place: the volume is found by the path's number.
    let volumes = pod.typed.volumes.iter().flatten().enumerate();
    let place = |place: usize| pod.path.child("volumes").index(place).child("ephemeral");
    let found = volumes
        .into_iter()
        .find(|(number, volume)| volume.ephemeral.is_some() && place(*number) == *site.here);
    let template =
        found.and_then(|(_, volume)| volume.ephemeral.as_ref()?.volume_claim_template.as_ref());
    if let Some(template) = template {
        let meta = template.metadata.as_ref();
        template_meta(&path.child("metadata"), meta, walk.errors);
        claim_spec(&path.child("spec"), &template.spec, walk.errors);
    }
}

/// A template may leave the reference to its controller.
pub fn image_reference(walk: &mut Walk<'_>, site: &Site<'_>) {
    let is_pod = walk.pod.is_some_and(|pod| pod.owner.is_pod());
    if is_pod && text(site.value, "reference").is_empty() {
        walk.required(&site.path().child("reference"), "");
    }
}
