//! DaemonSets: one Pod for each eligible node.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::DaemonSet;

use crate::api::infer::NO_DOCUMENT;
use crate::api::prepared::{DocumentIndex, Phase};
use crate::base::sort;

use super::super::meta::name_of;
use super::super::node_fit::{Daemon, add_daemon_tolerations, daemon_fits, pin_to};
use super::super::random::template_hash;
use super::{Controllers, Owner, REVISION_HASH};

const GENERATION_LABEL: &str = "pod-template-generation";
const GENERATION_ANNOTATION: &str = "deprecated.daemonset.template.generation";

impl Controllers<'_> {
    /// The Pods of an inferred DaemonSet run at once: the nodes that lack them were added, and take no others before
    /// they are ready. They ran side by side on the nodes that were dumped.
    /// A first visit does not run it.
    #[inline(never)]
    pub(super) fn sync_daemon_set(&mut self, set: &DaemonSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        let mut request = owner.request(&spec.template);
        let annotations = set.metadata.annotations.as_ref();
        let generation = annotations
            .and_then(|all| all.get(GENERATION_ANNOTATION))
            .cloned();
        request
            .labels
            .insert(REVISION_HASH.to_owned(), template_hash(&spec.template));
        request.labels.insert(
            GENERATION_LABEL.to_owned(),
            generation.unwrap_or_else(|| "1".into()),
        );
        add_daemon_tolerations(&mut request.spec);

        let owned = self.owned.of(&owner.namespace, &owner.reference);
        let present: BTreeSet<String> = sort::gather(
            owned
                .into_iter()
                .filter(|pod| !pod.succeeded && !pod.failed)
                .filter_map(|pod| pod.node.clone()),
        );
        let missing: Vec<String> = self
            .prepared
            .nodes
            .iter()
            .filter(|node| daemon_fits(&request.spec, node) == Daemon::ShouldRun)
            .map(|node| name_of(&node.metadata).to_owned())
            .filter(|node| !present.contains(node))
            .collect();

        let base = format!("{}-", owner.reference.name);
        let mut suffixes = owner.suffixes();
        for node in missing {
            let mut request = request.clone();
            pin_to(&mut request.spec, &node);
            let comes_with_node = document == NO_DOCUMENT;
            if comes_with_node {
                request.spec.node_name = Some(node.clone());
            }
            let Ok(template) = self.admit(&owner, &base, request) else {
                return;
            };
            let name = self.free_name(&owner, &base, &mut suffixes);
            if self.create(&owner, name, &template).is_err() {
                return;
            }
            if comes_with_node && let Some(pod) = self.prepared.pods.last_mut() {
                pod.start_ms = Some(pod.created_ms);
                pod.node_name = Some(Arc::from(node));
                pod.phase = Phase::Running;
            }
        }
    }
}
