//! The Pods of the input by workload.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

use crate::api::prepared::{ControllerRef, DocumentIndex};
use crate::api::workloads::COMPLETION_INDEX;

use super::super::gather::PodSource;
use super::super::meta::{controller_of, made_uid, namespace_of};

/// A Pod of the input that a controller owns.
#[derive(Clone, Debug)]
pub(super) struct OwnedPod {
    pub owner_uid: String,
    pub labels: BTreeMap<String, String>,
    /// `batch.kubernetes.io/job-completion-index`.
    pub completion_index: Option<String>,
    /// The node it runs on or is pinned to (DaemonSets).
    pub node: Option<String>,
    pub succeeded: bool,
    pub failed: bool,
    pub terminating: bool,
}

impl OwnedPod {
    /// Whether it counts as active for controllers (`IsPodActive`).
    pub(super) fn is_active(&self) -> bool {
        !self.succeeded && !self.failed && !self.terminating
    }

    fn new(pod: &Pod, owner_uid: String) -> Self {
        let status = pod.status.as_ref();
        let phase = status.and_then(|status| status.phase.as_deref());
        let annotations = pod.metadata.annotations.as_ref();
        let index = annotations.and_then(|all| all.get(COMPLETION_INDEX));
        OwnedPod {
            owner_uid,
            labels: pod.metadata.labels.clone().unwrap_or_default(),
            completion_index: index.cloned(),
            node: pod
                .spec
                .as_ref()
                .and_then(super::super::node_fit::target_node)
                .map(str::to_owned),
            succeeded: phase == Some("Succeeded"),
            failed: phase == Some("Failed"),
            terminating: pod.metadata.deletion_timestamp.is_some(),
        }
    }
}

/// (namespace, kind, name) of a controller.
type ControllerKey = (String, String, String);

/// The Pods of the input by controller.
pub(super) struct OwnedPods {
    by_controller: BTreeMap<ControllerKey, Vec<OwnedPod>>,
}

impl OwnedPods {
    pub(super) fn new(sources: &[(DocumentIndex, PodSource<'_>)]) -> Self {
        let mut by_controller: BTreeMap<ControllerKey, Vec<OwnedPod>> = BTreeMap::new();
        for (_, source) in sources {
            let PodSource::Pod(pod, meta) = source else {
                continue;
            };
            let Some(owner) = controller_of(meta) else {
                continue;
            };
            let (kind, name) = (owner.kind.clone(), owner.name.clone());
            let key = (namespace_of(meta).to_owned(), kind, name);
            let owned = OwnedPod::new(pod, owner.uid.clone());
            by_controller.entry(key).or_default().push(owned);
        }
        OwnedPods { by_controller }
    }

    /// The Pods of this controller, by uid; by name if the input has no uid for it.
    pub(super) fn of(&self, namespace: &str, controller: &ControllerRef) -> Vec<&OwnedPod> {
        let ControllerRef {
            kind, name, uid, ..
        } = controller;
        let key = (namespace.to_owned(), kind.clone(), name.clone());
        let by_name = *uid == made_uid(kind, namespace, name);
        self.by_controller
            .get(&key)
            .into_iter()
            .flatten()
            .filter(|pod| by_name || pod.owner_uid == *uid)
            .collect()
    }

    /// All Pods of controllers of a kind in a namespace, with the controller's name, by name.
    pub(super) fn of_kind<'a>(
        &'a self,
        namespace: &'a str,
        kind: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a OwnedPod)> {
        let first = (namespace.to_owned(), kind.to_owned(), String::new());
        self.by_controller
            .range(first..)
            .take_while(move |((of, its_kind, _), _)| of == namespace && its_kind == kind)
            .flat_map(|((_, _, name), pods)| pods.iter().map(move |pod| (name.as_str(), pod)))
    }
}
