//! Adds the ControllerRevisions that a dump lacks: `kubectl get nodes,pods,daemonsets,statefulsets`.
//!
//! Controllers recognize the Pods of the current template by its revision. Hashes of other releases differ, so that
//! without the revision they would replace all Pods of the dump.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::SimulatedCluster;
use super::dump::images;
use crate::controllers::revisions::{STATEFUL_HASH_LABEL, new_revision, revision_label_of};
use crate::pod_util;
use crate::store::{Key, Store, name_of, uid_of};
use berth_core::api::workloads::REVISION_HASH;

impl SimulatedCluster {
    /// Creates the revision that the Pods of a DaemonSet or StatefulSet name, if the workload has none.
    pub(super) fn infer_revisions(&mut self) {
        let store = self.api().store();
        let daemon_sets = store.daemon_sets.iter().filter_map(|set| {
            let spec = set.spec.as_ref()?;
            let hash = label_of(store, "DaemonSet", &set.metadata, &spec.template)?;
            let label = (REVISION_HASH, hash);
            Some(new_revision(&**set, &spec.template, label, 1))
        });
        let stateful_sets = store.stateful_sets.iter().filter_map(|set| {
            let spec = set.spec.as_ref()?;
            let label = label_of(store, "StatefulSet", &set.metadata, &spec.template)?;
            let hash = label.strip_prefix(&format!("{}-", name_of(&set.metadata)))?;
            let label = (STATEFUL_HASH_LABEL, hash);
            Some(new_revision(&**set, &spec.template, label, 1))
        });
        let absent: Vec<ControllerRevision> = daemon_sets.chain(stateful_sets).collect();
        for revision in absent {
            // A name that the label makes invalid is refused, and the Pods are replaced.
            let _ = self.api_mut().create(revision);
        }
    }
}

/// The revision label of a workload's Pods that have the template's images. `None` if they have several, if it is the one
/// that the controller would set, or if the workload has revisions.
fn label_of<'s>(
    store: &'s Store,
    kind: &str,
    set: &ObjectMeta,
    template: &PodTemplateSpec,
) -> Option<&'s str> {
    let uid = uid_of(set);
    if store
        .controller_revisions
        .controlled_by(uid)
        .next()
        .is_some()
    {
        return None;
    }
    let wanted = images(template.spec.as_ref()?);
    let has_images = |pod: &&Arc<Pod>| pod.spec.as_ref().is_some_and(|it| images(it) == wanted);
    let own = store.pods.controlled_by(uid).filter(has_images);
    let labels: BTreeSet<&str> = own
        .map(|pod| pod_util::label_of(pod, REVISION_HASH))
        .collect();
    let mut labels = labels.into_iter();
    let (label, None) = (labels.next()?, labels.next()) else {
        return None;
    };
    let is_news = revision_label_of(kind, &Key::of(set), store).as_deref() != Some(label);
    (is_news && !label.is_empty()).then_some(label)
}
