//! `metadata` as set by the API server: names, namespaces, uids and times.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

use crate::api::prepared::{ControllerRef, DocumentIndex};

use super::random::NameSuffix;

/// 2025-01-01T00:00:00Z in milliseconds since the Unix epoch: the creation time of document 0.
pub(crate) const FIRST_DOCUMENT_MS: i64 = 1_735_689_600_000;

/// `metadata.creationTimestamp` of a document: one second after the previous document.
///
/// Timestamps in the file are ignored, so that a scenario runs the same whenever it was dumped.
pub(super) fn created_ms(document: DocumentIndex) -> i64 {
    FIRST_DOCUMENT_MS + i64::from(document) * 1000
}

/// [`created_ms`] as the API's type.
pub(super) fn created_at(document: DocumentIndex) -> Option<Time> {
    Timestamp::from_millisecond(created_ms(document))
        .ok()
        .map(Time)
}

/// A uid derived from the object's identity, formatted as a UUID (version 8).
pub(crate) fn made_uid(kind: &str, namespace: &str, name: &str) -> String {
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

/// Fills in the metadata of every stored object: name, namespace, uid, creation time.
///
/// `namespaced`: whether the kind is namespaced; the namespace defaults to `default`.
pub(super) fn settle(meta: &mut ObjectMeta, kind: &str, namespaced: bool, document: DocumentIndex) {
    if meta.name.as_deref().unwrap_or_default().is_empty() {
        // As in the API server, the name may be missing only if `generateName` is set.
        let base = meta.generate_name.clone().unwrap_or_default();
        let suffix = NameSuffix::new(&[kind, &base], u64::from(document)).next();
        meta.name = Some(if base.is_empty() {
            base
        } else {
            base + &suffix
        });
    }
    if namespaced {
        if meta.namespace.as_deref().unwrap_or_default().is_empty() {
            meta.namespace = Some("default".to_owned());
        }
    } else {
        meta.namespace = None;
    }
    if meta.uid.as_deref().unwrap_or_default().is_empty() {
        meta.uid = Some(made_uid(kind, namespace_of(meta), name_of(meta)));
    }
    meta.creation_timestamp = created_at(document);
    // Metadata of server-side apply: large in dumps, and irrelevant to scheduling.
    meta.managed_fields = None;
}

/// `metadata.name`; empty if absent.
pub(super) fn name_of(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// `metadata.namespace`; empty if absent (cluster-scoped kinds).
pub(super) fn namespace_of(meta: &ObjectMeta) -> &str {
    meta.namespace.as_deref().unwrap_or_default()
}

/// `metadata.uid`; empty if absent.
pub(super) fn uid_of(meta: &ObjectMeta) -> &str {
    meta.uid.as_deref().unwrap_or_default()
}

/// Whether the manifest was dumped from a running cluster.
///
/// Only the API server sets `resourceVersion`; dumps without it usually keep the uid.
pub(super) fn is_from_cluster(meta: &ObjectMeta) -> bool {
    meta.resource_version.is_some() || meta.uid.is_some()
}

/// The owner with `controller: true`.
pub(super) fn controller_of(meta: &ObjectMeta) -> Option<ControllerRef> {
    let owners = meta.owner_references.as_deref().unwrap_or_default();
    let owner = owners.iter().find(|owner| owner.controller == Some(true))?;
    Some(ControllerRef {
        api_version: owner.api_version.clone(),
        kind: owner.kind.clone(),
        name: owner.name.clone(),
        uid: owner.uid.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_i_is_created_i_seconds_into_2025_whatever_the_file_says() {
        let mut meta = ObjectMeta {
            name: Some("web".into()),
            creation_timestamp: created_at(99),
            ..Default::default()
        };
        settle(&mut meta, "Pod", true, 5);
        let time = meta
            .creation_timestamp
            .as_ref()
            .map(|time| time.0.to_string());
        assert_eq!(time.as_deref(), Some("2025-01-01T00:00:05Z"));
        assert_eq!(meta.namespace.as_deref(), Some("default"));
    }

    #[test]
    fn uids_are_stable_distinct_and_kept_when_given() {
        let uid = made_uid("Pod", "default", "web");
        assert_eq!(uid, made_uid("Pod", "default", "web"));
        assert_ne!(uid, made_uid("Pod", "default", "web-1"));
        assert_ne!(made_uid("Pod", "a", "bc"), made_uid("Pod", "ab", "c"));
        assert_eq!(uid.len(), 36);
        assert_eq!(uid.as_bytes()[14], b'8');

        let mut meta = ObjectMeta {
            uid: Some("mine".into()),
            ..Default::default()
        };
        settle(&mut meta, "Node", false, 0);
        assert_eq!(uid_of(&meta), "mine");
    }

    #[test]
    fn generate_name_gets_five_characters() {
        let mut meta = ObjectMeta {
            generate_name: Some("web-".into()),
            ..Default::default()
        };
        settle(&mut meta, "Pod", true, 3);
        assert_eq!(name_of(&meta).len(), "web-".len() + 5);
        assert!(name_of(&meta).starts_with("web-"));
    }
}
