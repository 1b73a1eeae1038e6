//! Fields of `metadata`, and uids for objects that the input does not identify.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

/// A uid derived from the object's identity, formatted as a UUID (version 8).
pub fn made_uid(kind: &str, namespace: &str, name: &str) -> String {
    // FNV-1a, 128 bits. NUL separates the parts, because valid names do not contain it.
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let parts = [kind, "\0", namespace, "\0", name];
    let hash = parts
        .iter()
        .flat_map(|part| part.bytes())
        .fold(OFFSET, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(PRIME)
        });
    let hash = (hash & !(0xf << 76) | (8 << 76)) & !(0b11 << 62) | (0b10 << 62);
    let hex = format!("{hash:032x}");
    let (a, rest) = hex.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    format!("{a}-{b}-{c}-{d}-{e}")
}

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

/// Whether the manifest was dumped from a running cluster.
///
/// Only the API server sets `resourceVersion`; dumps without it usually keep the uid.
pub(crate) fn is_from_cluster(meta: &ObjectMeta) -> bool {
    meta.resource_version.is_some() || meta.uid.is_some()
}

/// The owner with `controller: true`.
pub fn controller_of(meta: &ObjectMeta) -> Option<&OwnerReference> {
    let mut owners = meta.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true))
}

#[cfg(test)]
mod tests {
    use super::made_uid;

    #[test]
    fn uids_are_stable_and_distinct() {
        let uid = made_uid("Pod", "default", "web");
        assert_eq!(uid, made_uid("Pod", "default", "web"));
        assert_ne!(uid, made_uid("Pod", "default", "web-1"));
        assert_ne!(made_uid("Pod", "a", "bc"), made_uid("Pod", "ab", "c"));
        assert_eq!(uid.len(), 36);
        assert_eq!(uid.as_bytes()[14], b'8');
    }
}
