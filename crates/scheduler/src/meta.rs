//! Fields of `metadata`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

/// `metadata.name`; empty if absent.
pub fn name_of(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// `metadata.namespace`; empty if absent (cluster-scoped kinds).
pub fn namespace_of(meta: &ObjectMeta) -> &str {
    meta.namespace.as_deref().unwrap_or_default()
}

/// The namespace of a namespaced object: one that names none is in `default`.
pub fn namespace_or_default(meta: &ObjectMeta) -> &str {
    match namespace_of(meta) {
        "" => "default",
        namespace => namespace,
    }
}

/// `metadata.uid`; empty if absent.
pub fn uid_of(meta: &ObjectMeta) -> &str {
    meta.uid.as_deref().unwrap_or_default()
}

/// `metadata.ownerReferences`; empty if absent.
pub fn owners_of(meta: &ObjectMeta) -> &[OwnerReference] {
    meta.owner_references.as_deref().unwrap_or_default()
}

/// The owner with `controller: true`.
pub fn controller_of(meta: &ObjectMeta) -> Option<&OwnerReference> {
    let mut owners = owners_of(meta).iter();
    owners.find(|owner| owner.controller == Some(true))
}
