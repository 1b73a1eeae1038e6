//! The sources of volumes and PersistentVolumes.

use serde_json::Value;

use super::page::Page;
use crate::printers::fields::{Fields, amount, scalar};

/// A volume source that is printed field by field: its API field, its description, and the label and field of each
/// line. `?` marks a boolean field, `#` an integer.
struct Source {
    field: &'static str,
    about: &'static str,
    lines: &'static [(&'static str, &'static str)],
}

const SOURCES: &[Source] = &[
    Source {
        field: "secret",
        about: "Secret (a volume populated by a Secret)",
        lines: &[("SecretName", "secretName"), ("Optional", "?optional")],
    },
    Source {
        field: "configMap",
        about: "ConfigMap (a volume populated by a ConfigMap)",
        lines: &[("Name", "name"), ("Optional", "?optional")],
    },
    Source {
        field: "persistentVolumeClaim",
        about: "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        lines: &[("ClaimName", "claimName"), ("ReadOnly", "?readOnly")],
    },
    Source {
        field: "nfs",
        about: "NFS (an NFS mount that lasts the lifetime of a pod)",
        lines: &[
            ("Server", "server"),
            ("Path", "path"),
            ("ReadOnly", "?readOnly"),
        ],
    },
    Source {
        field: "local",
        about: "LocalVolume (a persistent volume backed by local storage on a node)",
        lines: &[("Path", "path")],
    },
    Source {
        field: "gcePersistentDisk",
        about: "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        lines: &[
            ("PDName", "pdName"),
            ("FSType", "fsType"),
            ("Partition", "#partition"),
            ("ReadOnly", "?readOnly"),
        ],
    },
    Source {
        field: "awsElasticBlockStore",
        about: "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        lines: &[
            ("VolumeID", "volumeID"),
            ("FSType", "fsType"),
            ("Partition", "#partition"),
            ("ReadOnly", "?readOnly"),
        ],
    },
    Source {
        field: "azureDisk",
        about: "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        lines: &[
            ("DiskName", "diskName"),
            ("DiskURI", "diskURI"),
            ("Kind", "kind"),
            ("FSType", "fsType"),
            ("CachingMode", "cachingMode"),
            ("ReadOnly", "?readOnly"),
        ],
    },
];

/// The volumes of a Pod or a template.
pub(crate) fn volumes(page: &mut Page, volumes: &[Value], prefix: &str) {
    if volumes.is_empty() {
        page.line(0, format!("{prefix}Volumes:\t<none>"));
        return;
    }
    page.line(0, format!("{prefix}Volumes:"));
    let indent = if prefix.is_empty() { "" } else { " " };
    for volume in volumes {
        page.line(1, format!("{indent}{}:", volume.text("name")));
        source(page, volume);
    }
}

/// The source of a volume, found by its field.
pub(crate) fn source(page: &mut Page, volume: &Value) {
    if volume.has("hostPath") {
        let path = volume.at("hostPath");
        page.field(2, "Type", "HostPath (bare host directory volume)");
        page.field(2, "Path", path.text("path"));
        let kind = match path.at("type") {
            Value::Null => "<none>".to_owned(),
            kind => scalar(kind),
        };
        page.field(2, "HostPathType", kind);
    } else if volume.has("emptyDir") {
        let directory = volume.at("emptyDir");
        page.field(
            2,
            "Type",
            "EmptyDir (a temporary directory that shares a pod's lifetime)",
        );
        page.field(2, "Medium", directory.text("medium"));
        let limit = match directory.amount("sizeLimit") {
            none if none.is_empty() || none == "0" => "<unset>".to_owned(),
            limit => limit,
        };
        page.field(2, "SizeLimit", limit);
    } else if volume.has("projected") {
        projected(page, volume.at("projected"));
    } else if volume.has("csi") {
        csi(page, volume.at("csi"));
    } else if volume.has("downwardAPI") {
        page.field(
            2,
            "Type",
            "DownwardAPI (a volume populated by information about the pod)",
        );
        page.line(2, "Items:");
        for item in volume.items("downwardAPI.items") {
            if item.has("fieldRef") {
                let path = item.text("fieldRef.fieldPath");
                page.line(3, format!("{path} -> {}", item.text("path")));
            }
        }
    } else if volume.has("ephemeral") {
        ephemeral(page, volume.at("ephemeral.volumeClaimTemplate"));
    } else if let Some(source) = SOURCES.iter().find(|source| volume.has(source.field)) {
        page.field(2, "Type", source.about);
        let value = volume.at(source.field);
        for (name, field) in source.lines {
            let text = match (field.strip_prefix('?'), field.strip_prefix('#')) {
                (Some(field), _) => value.is_true(field).to_string(),
                (_, Some(field)) => value.int(field).to_string(),
                _ => value.scalar(field),
            };
            page.field(2, name, text);
        }
    } else {
        page.line(1, "<unknown>");
    }
}

fn projected(page: &mut Page, volume: &Value) {
    page.field(
        2,
        "Type",
        "Projected (a volume that contains injected data from multiple sources)",
    );
    for source in volume.items("sources") {
        for (name, field) in [("SecretName", "secret"), ("ConfigMapName", "configMap")] {
            if source.has(field) {
                page.field(2, name, source.at(field).text("name"));
                page.field(
                    2,
                    "Optional",
                    source.at(field).is_true("optional").to_string(),
                );
            }
        }
        if source.has("downwardAPI") {
            page.field(2, "DownwardAPI", "true");
        }
        if source.has("serviceAccountToken") {
            let seconds = source.at("serviceAccountToken.expirationSeconds").as_i64();
            page.field(
                2,
                "TokenExpirationSeconds",
                seconds.unwrap_or(3_600).to_string(),
            );
        }
    }
}

fn csi(page: &mut Page, volume: &Value) {
    page.field(
        2,
        "Type",
        "CSI (a Container Storage Interface (CSI) volume source)",
    );
    page.field(2, "Driver", volume.text("driver"));
    page.field(2, "FSType", volume.text("fsType"));
    if volume.has("volumeHandle") {
        page.field(2, "VolumeHandle", volume.text("volumeHandle"));
    }
    page.field(2, "ReadOnly", volume.is_true("readOnly").to_string());
    let attributes = volume.entries("volumeAttributes").into_iter();
    let attributes: Vec<_> = attributes
        .map(|(key, value)| format!("{key}={}", scalar(value)))
        .collect();
    page.values("      ", "VolumeAttributes", &attributes);
}

fn ephemeral(page: &mut Page, template: &Value) {
    page.field(
        2,
        "Type",
        "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
    );
    page.field(2, "StorageClass", template.text("spec.storageClassName"));
    page.field(2, "Volume", template.text("spec.volumeName"));
    for (name, field) in [("Labels", "labels"), ("Annotations", "annotations")] {
        let pairs = template.at("metadata").entries(field).into_iter();
        let pairs: Vec<_> = pairs
            .map(|(key, value)| format!("{key}={}", scalar(value)))
            .collect();
        page.values("    ", name, &pairs);
    }
    page.field(2, "Capacity", "");
    page.field(2, "Access Modes", "");
    if template.has("spec.volumeMode") {
        page.field(2, "VolumeMode", template.text("spec.volumeMode"));
    }
}

/// The volume claim templates of a StatefulSet.
pub(crate) fn claim_templates(page: &mut Page, templates: &[Value]) {
    if templates.is_empty() {
        page.field(0, "Volume Claims", "<none>");
        return;
    }
    page.line(0, "Volume Claims:");
    for template in templates {
        page.field(1, "Name", template.text("metadata.name"));
        page.field(1, "StorageClass", crate::printers::table::class(template));
        super::parts::labels(page, "  ", "Labels", template.at("metadata.labels"));
        super::parts::labels(
            page,
            "  ",
            "Annotations",
            template.at("metadata.annotations"),
        );
        let capacity = match template.at("spec.resources.requests.storage") {
            Value::Null => "<default>".to_owned(),
            storage => amount(storage),
        };
        page.field(1, "Capacity", capacity);
        let modes = super::parts::go_list(template.items("spec.accessModes"));
        page.field(1, "Access Modes", modes);
    }
}
