//! `metadata`: names, labels, annotations, owners.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::{Errors, invalid_each, non_negative};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{
    dns_1035_label_errors, dns_label_errors, dns_subdomain_errors, label_key, label_key_errors,
    label_value_errors, path_segment_errors,
};

/// Total size of all annotations, keys and values.
const ANNOTATIONS_MAX_BYTES: usize = 256 * 1024;

/// Finalizer that keeps an object until its dependents are deleted.
pub const FOREGROUND: &str = "foregroundDeletion";

/// Finalizer that keeps an object until its dependents are orphaned.
pub const ORPHAN: &str = "orphan";

/// Kubernetes' own finalizers, which need no domain.
const OWN_FINALIZERS: [&str; 3] = ["kubernetes", ORPHAN, FOREGROUND];

/// The naming rule of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// A DNS subdomain (RFC 1123), the rule of most kinds.
    Subdomain,
    /// A DNS label (RFC 1123).
    Label,
    /// A DNS label (RFC 1035).
    Label1035,
    /// A segment of a path in URLs.
    Segment,
    /// No rule.
    Any,
}

impl Naming {
    /// The errors of a name.
    pub fn errors(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => dns_subdomain_errors(name),
            Self::Label => dns_label_errors(name),
            Self::Label1035 => dns_1035_label_errors(name),
            Self::Segment => path_segment_errors(name),
            Self::Any => Vec::new(),
        }
    }
}

/// Validates the metadata of an object.
pub fn object_meta(meta: &ObjectMeta, naming: Naming, errors: &mut Errors) {
    let path = Path::root().child("metadata");
    let generate = meta.generate_name.as_deref().unwrap_or_default();
    let name = meta.name.as_deref().unwrap_or_default();
    if !generate.is_empty() {
        // A dash at the end is allowed, because a suffix is appended.
        let masked = match generate.strip_suffix('-') {
            Some(stem) if !stem.is_empty() => {
                let mut letters = stem.chars();
                letters.next_back();
                format!("{}a", letters.as_str())
            }
            _ => generate.to_owned(),
        };
        invalid_each(
            &path.child("generateName"),
            generate,
            naming.errors(&masked),
            errors,
        );
    }
    if !name.is_empty() {
        invalid_each(&path.child("name"), name, naming.errors(name), errors);
    } else if generate.is_empty() {
        let detail = "name or generateName is required";
        errors.push(FieldError::required(&path.child("name"), detail));
    }
    if let Some(namespace) = meta
        .namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty())
    {
        let path = path.child("namespace");
        invalid_each(&path, namespace, dns_label_errors(namespace), errors);
    }
    labels(&path.child("labels"), meta.labels.as_ref(), errors);
    annotations(
        &path.child("annotations"),
        meta.annotations.as_ref(),
        errors,
    );
    let owners = meta.owner_references.as_deref().unwrap_or_default();
    owner_references(&path.child("ownerReferences"), owners, errors);
    let held_by = meta.finalizers.as_deref().unwrap_or_default();
    finalizers(&path.child("finalizers"), held_by, errors);
}

pub(super) fn namespace(namespace: &Namespace, errors: &mut Errors) {
    object_meta(&namespace.metadata, Naming::Label, errors);
    let spec = namespace.spec.as_ref();
    let finalizers = spec.and_then(|spec| spec.finalizers.as_deref());
    let path = Path::root().child("spec").child("finalizers");
    for finalizer in finalizers.unwrap_or_default() {
        invalid_each(&path, finalizer, label_key_errors(finalizer), errors);
        if !finalizer.contains('/') && !OWN_FINALIZERS.contains(&finalizer.as_str()) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(&path, finalizer.as_str(), detail));
        }
    }
}

pub(super) fn controller_revision(revision: &ControllerRevision, errors: &mut Errors) {
    object_meta(&revision.metadata, Naming::Subdomain, errors);
    let path = Path::root();
    let lack = match &revision.data {
        None => Some("data is mandatory"),
        Some(data) if !data.0.is_object() => Some("data must be a valid JSON object"),
        Some(_) => None,
    };
    if let Some(detail) = lack {
        errors.push(FieldError::required(&path.child("data"), detail));
    }
    non_negative(&path.child("revision"), Some(revision.revision), errors);
}

/// Finalizers other than Kubernetes' own must be qualified by a domain.
fn finalizers(path: &Path, finalizers: &[String], errors: &mut Errors) {
    for finalizer in finalizers {
        let wrong = label_key_errors(finalizer);
        invalid_each(path, finalizer, wrong, errors);
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has(ORPHAN) && has(FOREGROUND) {
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        errors.push(FieldError::invalid(path, json::value(finalizers), &detail));
    }
    for (i, finalizer) in finalizers.iter().enumerate() {
        if !finalizer.contains('/') && !OWN_FINALIZERS.contains(&finalizer.as_str()) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(
                &path.index(i),
                finalizer.as_str(),
                detail,
            ));
        }
    }
}

/// Validates the metadata of a Pod template, which needs no name.
pub fn template_meta(path: &Path, meta: Option<&ObjectMeta>, errors: &mut Errors) {
    let Some(meta) = meta else { return };
    labels(&path.child("labels"), meta.labels.as_ref(), errors);
    annotations(
        &path.child("annotations"),
        meta.annotations.as_ref(),
        errors,
    );
}

/// Validates keys and values of labels, or of a map that must match labels.
pub fn labels(path: &Path, labels: Option<&BTreeMap<String, String>>, errors: &mut Errors) {
    for (key, value) in labels.into_iter().flatten() {
        errors.extend(label_key(path, key));
        invalid_each(path, value, label_value_errors(value), errors);
    }
}

fn annotations(path: &Path, annotations: Option<&BTreeMap<String, String>>, errors: &mut Errors) {
    let mut bytes: usize = 0;
    for (key, value) in annotations.into_iter().flatten() {
        invalid_each(path, key, label_key_errors(&key.to_lowercase()), errors);
        bytes += key.len() + value.len();
    }
    if bytes > ANNOTATIONS_MAX_BYTES {
        errors.push(FieldError::too_long(path, ANNOTATIONS_MAX_BYTES));
    }
}

fn owner_references(path: &Path, owners: &[OwnerReference], errors: &mut Errors) {
    let mut controller: Option<String> = None;
    for owner in owners {
        let version = owner.api_version.rsplit('/').next().unwrap_or_default();
        let fields = [
            (
                "apiVersion",
                version,
                &owner.api_version,
                "version must not be empty",
            ),
            (
                "kind",
                owner.kind.as_str(),
                &owner.kind,
                "must not be empty",
            ),
            (
                "name",
                owner.name.as_str(),
                &owner.name,
                "must not be empty",
            ),
            ("uid", owner.uid.as_str(), &owner.uid, "must not be empty"),
        ];
        for (field, needed, value, detail) in fields {
            if needed.is_empty() {
                errors.push(FieldError::invalid(
                    &path.child(field),
                    value.as_str(),
                    detail,
                ));
            }
        }
        if owner.controller != Some(true) {
            continue;
        }
        let name = format!("{}/{}", owner.kind, owner.name);
        match &controller {
            None => controller = Some(name),
            Some(first) => {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in \
                     references for {first} and {name}"
                );
                let value = json::value(owners);
                errors.push(FieldError::invalid(path, value, &detail));
                // Each further error would print the whole list again.
                return;
            }
        }
    }
}
