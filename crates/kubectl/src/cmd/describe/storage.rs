//! PersistentVolumeClaims, PersistentVolumes, StorageClasses and CSINodes.

use serde_json::Value;

use super::page::Page;
use super::parts::{self, go_list, or_unset, truth};
use super::{Context, volumes};
use crate::printers::fields::{Fields, or_none, pairs, scalar};
use crate::printers::table::{access_modes, class, is_default_class};
use crate::printers::time;

pub(crate) fn claim(page: &mut Page, claim: &Value, context: &Context<'_>) {
    page.field(0, "Name", claim.text("metadata.name"));
    page.field(0, "Namespace", claim.text("metadata.namespace"));
    page.field(0, "StorageClass", class(claim));
    phase(page, claim, context);
    let volume = claim.text("spec.volumeName");
    page.field(0, "Volume", volume);
    parts::metadata(page, claim);
    page.field(0, "Finalizers", go_list(claim.items("metadata.finalizers")));
    let (capacity, modes) = if volume.is_empty() {
        (String::new(), String::new())
    } else {
        let capacity = match claim.amount("status.capacity.storage") {
            none if none.is_empty() => "0".to_owned(),
            capacity => capacity,
        };
        (capacity, access_modes(claim.items("status.accessModes")))
    };
    page.field(0, "Capacity", capacity);
    page.field(0, "Access Modes", modes);
    if claim.has("spec.volumeMode") {
        page.field(0, "VolumeMode", claim.text("spec.volumeMode"));
    }
    page.values("", "Used By", &users(claim, context));
}

/// The Pods of a claim's namespace that use it.
fn users(claim: &Value, context: &Context<'_>) -> Vec<String> {
    let (namespace, name) = (
        claim.text("metadata.namespace"),
        claim.text("metadata.name"),
    );
    let pods = context.api.store().pods.of_namespace(namespace);
    let pods = pods.filter(|pod| {
        let spec = pod.spec.as_ref();
        let volumes = spec.and_then(|spec| spec.volumes.as_deref());
        let mut claims = volumes.unwrap_or_default().iter().map(|volume| {
            let claim = volume.persistent_volume_claim.as_ref();
            claim.map(|claim| claim.claim_name.as_str())
        });
        claims.any(|claim| claim == Some(name))
    });
    pods.filter_map(|pod| pod.metadata.name.clone()).collect()
}

fn phase(page: &mut Page, object: &Value, context: &Context<'_>) {
    let deleted = object.text("metadata.deletionTimestamp");
    if deleted.is_empty() {
        page.field(0, "Status", object.text("status.phase"));
    } else {
        let since = time::age(deleted, context.api.now_ms());
        page.field(0, "Status", format!("Terminating (lasts {since})"));
    }
}

pub(crate) fn volume(page: &mut Page, volume: &Value, context: &Context<'_>) {
    let spec = volume.at("spec");
    page.field(0, "Name", volume.text("metadata.name"));
    parts::metadata(page, volume);
    page.field(
        0,
        "Finalizers",
        go_list(volume.items("metadata.finalizers")),
    );
    page.field(0, "StorageClass", class(volume));
    phase(page, volume, context);
    let claim = match spec.text("claimRef.name") {
        "" => String::new(),
        name => format!("{}/{name}", spec.text("claimRef.namespace")),
    };
    page.field(0, "Claim", claim);
    page.field(
        0,
        "Reclaim Policy",
        spec.text("persistentVolumeReclaimPolicy"),
    );
    page.field(0, "Access Modes", access_modes(spec.items("accessModes")));
    if spec.has("volumeMode") {
        page.field(0, "VolumeMode", spec.text("volumeMode"));
    }
    page.field(0, "Capacity", spec.amount("capacity.storage"));
    affinity(page, spec);
    page.field(0, "Message", volume.text("status.message"));
    page.line(0, "Source:");
    volumes::source(page, spec);
}

fn affinity(page: &mut Page, spec: &Value) {
    if !spec.has("nodeAffinity") {
        page.field(0, "Node Affinity", "<none>");
        return;
    }
    page.line(0, "Node Affinity:\t");
    let terms = spec.items("nodeAffinity.required.nodeSelectorTerms");
    if terms.is_empty() {
        page.field(1, "Required Terms", "<none>");
        return;
    }
    page.line(1, "Required Terms:\t");
    for (index, term) in terms.iter().enumerate() {
        let requirements = term.items("matchExpressions").iter().map(|it| {
            let operator = it.text("operator").to_lowercase();
            let values: Vec<_> = it.items("values").iter().map(scalar).collect();
            let values = if values.is_empty() {
                String::new()
            } else {
                format!(" [{}]", values.join(", "))
            };
            format!("{} {operator}{values}", it.text("key"))
        });
        let requirements: Vec<_> = requirements.collect();
        let name = format!("Term {index}");
        let Some((first, more)) = requirements.split_first() else {
            page.field(2, &name, "<none>");
            continue;
        };
        page.field(2, &name, first);
        for requirement in more {
            page.line(2, format!("\t{requirement}"));
        }
    }
}

pub(crate) fn storage_class(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    let default = if is_default_class(object) {
        "Yes"
    } else {
        "No"
    };
    page.field(0, "IsDefaultClass", default);
    page.field(
        0,
        "Annotations",
        pairs(&object.entries("metadata.annotations")),
    );
    page.field(0, "Provisioner", object.text("provisioner"));
    page.field(0, "Parameters", pairs(&object.entries("parameters")));
    page.field(
        0,
        "AllowVolumeExpansion",
        truth(object.at("allowVolumeExpansion")),
    );
    let options = object.items("mountOptions");
    if options.is_empty() {
        page.field(0, "MountOptions", "<none>");
    } else {
        page.line(0, "MountOptions:");
        options
            .iter()
            .for_each(|option| page.line(1, scalar(option)));
    }
    for (name, field) in [
        ("ReclaimPolicy", "reclaimPolicy"),
        ("VolumeBindingMode", "volumeBindingMode"),
    ] {
        if object.has(field) {
            page.field(0, name, object.text(field));
        }
    }
    if !object.has("allowedTopologies") {
        return;
    }
    page.line(0, "AllowedTopologies:\t");
    for (index, term) in object.items("allowedTopologies").iter().enumerate() {
        let requirements = term.items("matchLabelExpressions").iter().map(|it| {
            let values: Vec<_> = it.items("values").iter().map(scalar).collect();
            format!("{} in [{}]", it.text("key"), values.join(", "))
        });
        let requirements: Vec<_> = requirements.collect();
        page.values("  ", &format!("Term {index}"), &requirements);
    }
}

pub(crate) fn csi_node(page: &mut Page, object: &Value, _: &Context<'_>) {
    page.field(0, "Name", object.text("metadata.name"));
    parts::metadata(page, object);
    let created = time::long(object.text("metadata.creationTimestamp"));
    page.field(0, "CreationTimestamp", created);
    page.line(0, "Spec:");
    page.line(1, "Drivers:");
    for driver in object.items("spec.drivers") {
        page.line(2, format!("{}:", or_none(driver.text("name"))));
        page.field(3, "Node ID", driver.text("nodeID"));
        if driver.has("allocatable.count") {
            page.line(3, "Allocatables:");
            page.field(4, "Count", or_unset(driver.at("allocatable.count")));
        }
        if driver.has("topologyKeys") {
            page.field(3, "Topology Keys", go_list(driver.items("topologyKeys")));
        }
    }
}
