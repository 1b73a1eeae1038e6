//! ControllerRevisions: the former templates of a StatefulSet or DaemonSet (`controller/history`, Kubernetes v1.34).

use std::cmp::Ordering;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde_json::Value;

use crate::store::{Key, Store, Stored, name_of, namespace_of};
use berth_core::api::decode;
use berth_core::api::meta::reference;
use berth_core::api::template_hash::{self, revision_data};

/// Label of a StatefulSet's revisions with their hash.
pub(crate) const STATEFUL_HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// The template that a revision holds.
pub fn template_of(revision: &ControllerRevision) -> Option<PodTemplateSpec> {
    let data = &revision.data.as_ref()?.0;
    let mut template = data.get("spec")?.get("template")?.clone();
    template.as_object_mut()?.remove("$patch");
    decode::decode::<PodTemplateSpec>(&template).0.map(|it| *it)
}

/// Whether a revision holds this template's patch.
pub(super) fn holds(revision: &ControllerRevision, data: &Value) -> bool {
    revision.data.as_ref().is_some_and(|held| held.0 == *data)
}

/// The revision of a workload's template, with its hash in this label.
pub(crate) fn new_revision<T: Stored>(
    set: &T,
    template: &PodTemplateSpec,
    (label, hash): (&str, &str),
    number: i64,
) -> ControllerRevision {
    let owner = set.metadata();
    let meta = template.metadata.as_ref();
    let mut labels = meta
        .and_then(|meta| meta.labels.clone())
        .unwrap_or_default();
    labels.insert(label.to_owned(), hash.to_owned());
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(format!("{}-{hash}", name_of(owner))),
            namespace: Some(namespace_of(owner).to_owned()),
            labels: Some(labels),
            annotations: owner.annotations.clone(),
            owner_references: Some(vec![reference(set)]),
            ..ObjectMeta::default()
        },
        data: Some(RawExtension(revision_data(template))),
        revision: number,
    }
}

/// Sorts the oldest first: by number, creation time, name.
pub(super) fn by_number(
    one: &Arc<ControllerRevision>,
    other: &Arc<ControllerRevision>,
) -> Ordering {
    let age = |revision: &ControllerRevision| {
        let created = revision.metadata.creation_timestamp.as_ref();
        created.map(|time| time.0)
    };
    (one.revision.cmp(&other.revision))
        .then_with(|| age(one).cmp(&age(other)))
        .then_with(|| name_of(&one.metadata).cmp(name_of(&other.metadata)))
}

/// The number after the highest.
pub(super) fn next_number(revisions: &[Arc<ControllerRevision>]) -> i64 {
    let highest = revisions.iter().map(|revision| revision.revision).max();
    highest.unwrap_or(0).saturating_add(1)
}

/// The label of the current revision on the Pods of a stored DaemonSet or StatefulSet.
pub(crate) fn revision_label_of(kind: &str, key: &Key, store: &Store) -> Option<String> {
    match kind {
        "DaemonSet" => {
            let spec = store.daemon_sets.get(key)?.spec.as_ref()?;
            Some(template_hash::of_template(&spec.template, None))
        }
        "StatefulSet" => {
            let spec = store.stateful_sets.get(key)?.spec.as_ref()?;
            let hash = template_hash::of_revision(&revision_data(&spec.template), 0);
            Some(format!("{}-{hash}", key.name()))
        }
        _ => None,
    }
}
