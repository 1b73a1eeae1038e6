//! Completes `metadata` like the API server: name, namespace, uid and creation time.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

use crate::api::names::suffix_of_document;
use crate::api::prepared::DocumentIndex;

pub use crate::api::meta::made_uid;
pub(super) use crate::api::meta::{controller_of, is_from_cluster, name_of, namespace_of, uid_of};

/// The creation time of document 0, in milliseconds since the Unix epoch.
pub const FIRST_DOCUMENT_MS: i64 = berth_scheduler::pod_object::FIRST_MS;

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

/// Fills in the metadata of every stored object: name, namespace, uid, creation time.
///
/// `namespaced`: whether the kind is namespaced; the namespace defaults to `default`.
pub(super) fn settle(meta: &mut ObjectMeta, kind: &str, namespaced: bool, document: DocumentIndex) {
    if meta.name.as_deref().unwrap_or_default().is_empty() {
        // As in the API server, the name may be missing only if `generateName` is set.
        let base = meta.generate_name.clone().unwrap_or_default();
        let suffix = suffix_of_document(kind, &base, u64::from(document));
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
    fn a_given_uid_is_kept() {
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
