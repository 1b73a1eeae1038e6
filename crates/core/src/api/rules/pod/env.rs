//! Variables of containers.

use serde_json::Value;

use super::super::read::{has, list, text};
use super::super::{Site, Walk};
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_subdomain_errors, label_key_errors};

/// The fields of a Pod that a variable can show.
pub(super) const VARIABLES: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// The fields that a volume can show.
pub(super) const FILES: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

/// The fields that the API knows, beyond both.
const KNOWN: [&str; 3] = ["spec.restartPolicy", "spec.schedulerName", "status.phase"];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const HUGE_PAGES: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];
const UNITS: &str = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

/// `ValidateEnvFrom`.
pub fn from(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    for (place, source) in list(site.owner, "envFrom").iter().enumerate() {
        let own = path.index(place);
        let prefix = text(source, "prefix");
        if prefix.chars().any(|c| !matches!(c, ' '..='~') || c == '=') {
            let detail = "a valid environment variable name must consist only of printable ASCII characters other than '='";
            walk.invalid(&own.child("prefix"), prefix, detail);
        }
        let fields = ["configMapRef", "secretRef"];
        for field in fields {
            if let Some(reference) = source.get(field).filter(|it| !it.is_null()) {
                walk.structure("LocalObjectReference", reference, &own.child(field));
            }
        }
        match fields.map(|field| has(source, field)) {
            [false, false] => {
                walk.invalid(
                    &path,
                    "",
                    "must specify one of: `configMapRef` or `secretRef`",
                );
            }
            [true, true] => {
                walk.invalid(
                    &path,
                    "",
                    "may not have more than one field specified at a time",
                );
            }
            _ => {}
        }
    }
}

/// `validateEnvVarValueFrom`.
pub fn value_from(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(source) = site.value.get("valueFrom").filter(|it| !it.is_null()) else {
        return;
    };
    let path = site.path().child("valueFrom");
    let mut sources = 0;
    for field in [
        "fieldRef",
        "resourceFieldRef",
        "configMapKeyRef",
        "secretKeyRef",
        "fileKeyRef",
    ] {
        let Some(own) = source.get(field).filter(|it| !it.is_null()) else {
            continue;
        };
        sources += 1;
        let path = path.child(field);
        match field {
            "fieldRef" => field_ref(walk, own, &path, &VARIABLES),
            "resourceFieldRef" => resource_ref(walk, own, &path, false),
            "configMapKeyRef" => walk.structure("ConfigMapKeySelector", own, &path),
            "secretKeyRef" => walk.structure("SecretKeySelector", own, &path),
            _ => walk.structure("FileKeySelector", own, &path),
        }
    }
    if sources == 0 {
        let detail = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
        walk.invalid(&path, "", detail);
    } else if !text(site.value, "value").is_empty() {
        walk.invalid(&path, "", "may not be specified when `value` is not empty");
    } else if sources > 1 {
        walk.invalid(
            &path,
            "",
            "may not have more than one field specified at a time",
        );
    }
}

/// `validateObjectFieldSelector`.
pub(super) fn field_ref(walk: &mut Walk<'_>, own: &Value, path: &Path, allowed: &[&str]) {
    let (version, field) = (text(own, "apiVersion"), text(own, "fieldPath"));
    let place = path.child("fieldPath");
    if field.is_empty() {
        walk.required(&place, "");
        return;
    }
    if !matches!(version, "" | "v1") {
        let detail = format!("error converting fieldPath: unsupported pod version: {version}");
        walk.invalid(&place, field, &detail);
        return;
    }
    let subscript = field
        .strip_suffix("']")
        .and_then(|rest| rest.split_once("['"))
        .filter(|(name, _)| !name.is_empty());
    if let Some((name, key)) = subscript {
        match name {
            "metadata.annotations" => {
                let key = key.to_lowercase();
                walk.invalid_each(path, &key, label_key_errors(&key));
            }
            "metadata.labels" => walk.invalid_each(path, key, label_key_errors(key)),
            _ => {
                let detail = format!(
                    "error converting fieldPath: field label does not support subscript: {field}"
                );
                walk.invalid(&place, field, &detail);
            }
        }
        return;
    }
    let field = if field == "spec.host" {
        "spec.nodeName"
    } else {
        field
    };
    let is_known = [&VARIABLES[..], &FILES[..], &KNOWN[..]]
        .iter()
        .any(|names| names.contains(&field));
    if !is_known {
        let detail = format!("error converting fieldPath: field label not supported: {field}");
        walk.invalid(&place, field, &detail);
    } else if !allowed.contains(&field) {
        walk.errors
            .push(FieldError::not_supported(&place, field, allowed));
    }
}

/// `validateContainerResourceFieldSelector`.
pub(super) fn resource_ref(walk: &mut Walk<'_>, own: &Value, path: &Path, of_volume: bool) {
    let resource = text(own, "resource");
    let is_huge = HUGE_PAGES.iter().any(|prefix| resource.starts_with(prefix));
    if of_volume && text(own, "containerName").is_empty() {
        walk.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        walk.required(&path.child("resource"), "");
    } else if !RESOURCES.contains(&resource) && !is_huge {
        let path = path.child("resource");
        walk.errors
            .push(FieldError::not_supported(&path, resource, &RESOURCES));
    }
    let divisor = Quantity::parse(text(own, "divisor")).unwrap_or_default();
    if divisor == Quantity::default() {
        return;
    }
    let (allowed, what) = match resource.split_once('.').map_or("", |(_, name)| name) {
        "cpu" => ("1m, 1", "cpu"),
        "memory" => (UNITS, "memory"),
        "ephemeral-storage" => (UNITS, "local ephemeral storage"),
        _ if is_huge => (UNITS, "hugepages"),
        _ => return,
    };
    let shown = divisor.to_string();
    if !allowed.split(", ").any(|unit| unit == shown) {
        let values = if what == "cpu" { "1m and 1" } else { UNITS };
        let detail =
            format!("only divisor's values {values} are supported with the {what} resource");
        walk.invalid(&path.child("divisor"), resource, &detail);
    }
}

/// The name in a selector of a key: an empty one is malformed, not missing.
pub fn selected_name(walk: &mut Walk<'_>, site: &Site<'_>) {
    let name = site.value.as_str().unwrap_or_default();
    walk.invalid_each(&site.path(), name, dns_subdomain_errors(name));
}

/// `validateFileKeyRefVolumes`.
pub fn file_volumes(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let volumes = list(site.value, "volumes");
    for (container, path) in pod.visit() {
        for (place, variable) in list(container, "env").iter().enumerate() {
            let Some(key) = variable
                .pointer("/valueFrom/fileKeyRef")
                .filter(|it| !it.is_null())
            else {
                continue;
            };
            let name = text(key, "volumeName");
            let path = path.child("env").index(place).child("valueFrom");
            let path = path.child("fileKeyRef").child("volumeName");
            match volumes.iter().rfind(|volume| text(volume, "name") == name) {
                None => walk.errors.push(FieldError::not_found(&path, name)),
                Some(volume) if !has(volume, "emptyDir") => {
                    walk.invalid(&path, name, "referenced volume must be of type emptyDir");
                }
                Some(_) => {}
            }
        }
    }
}
