//! DaemonSets: one Pod for each eligible node.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::infer::NO_DOCUMENT;
use crate::api::prepared::{DocumentIndex, Phase};
use crate::api::workloads;
use berth_base::sort;

use super::super::meta::{made_uid, name_of, namespace_of, uid_of};
use super::super::node_fit::{Daemon, add_daemon_tolerations, daemon_fits, pin_to};
use super::{Controllers, Owner};

impl Controllers<'_> {
    /// On nodes that were added to a dump, the Pods of its DaemonSets run at once: such a node takes no others before it
    /// is ready. They ran side by side on the nodes that were dumped.
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn sync_daemon_set(&mut self, set: &DaemonSet, document: DocumentIndex) {
        let Some(spec) = &set.spec else { return };
        let owner = Owner::new(set, document);
        let mut request = owner.request(&spec.template);
        let status = set.status.as_ref();
        let collisions = status.and_then(|status| status.collision_count);
        let hash = self.template_hash(&spec.template, collisions);
        workloads::label_daemon(set, &hash, &mut request.labels);
        add_daemon_tolerations(&mut request.spec);

        let owned = self.owned.of(&owner.namespace, &owner.reference);
        let present: BTreeSet<String> = sort::gather(
            owned
                .into_iter()
                .filter(|pod| !pod.succeeded && !pod.failed)
                .filter_map(|pod| pod.node.clone()),
        );
        let is_dumped = is_dumped(DaemonSet::KIND, &set.metadata);
        let missing: Vec<(String, bool)> = self
            .prepared
            .nodes
            .iter()
            .filter(|node| daemon_fits(&request.spec, node) == Daemon::ShouldRun)
            .filter(|node| !present.contains(name_of(&node.metadata)))
            .map(|node| {
                let was_added = !self::is_dumped(Node::KIND, &node.metadata);
                let comes_with_node = document == NO_DOCUMENT || (is_dumped && was_added);
                (name_of(&node.metadata).to_owned(), comes_with_node)
            })
            .collect();

        let base = format!("{}-", owner.reference.name);
        for (node, comes_with_node) in missing {
            let mut request = request.clone();
            pin_to(&mut request.spec, &node);
            if comes_with_node {
                request.spec.node_name = Some(node.clone());
            }
            let Ok(template) = self.admit(&owner, &base, request) else {
                return;
            };
            let name = self.free_name(&owner, &base);
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

/// Whether an object, with its fields filled in, was dumped from a cluster: it has a uid that was not made here.
fn is_dumped(kind: &str, meta: &ObjectMeta) -> bool {
    uid_of(meta) != made_uid(kind, namespace_of(meta), name_of(meta))
}
