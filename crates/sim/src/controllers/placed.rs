//! An index of Pods by node, updated with each change.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;

use crate::pod_util;
use crate::store::{Change, Key};

/// Keys of Pods by `spec.nodeName`; unbound Pods are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct PodsByNode {
    keys: BTreeMap<String, BTreeSet<Key>>,
}

impl PodsByNode {
    /// Updates the index with a change of a Pod.
    pub(super) fn observe(&mut self, change: &Change) {
        let Some((before, after)) = change.of::<Pod>() else {
            return;
        };
        let was = before.map_or("", |pod| pod_util::node_of(pod));
        let is = after.map_or("", |pod| pod_util::node_of(pod));
        if was == is {
            return;
        }
        if let Some(keys) = self.keys.get_mut(was) {
            keys.remove(&change.key);
            if keys.is_empty() {
                self.keys.remove(was);
            }
        }
        if !is.is_empty() {
            let keys = self.keys.entry(is.to_owned()).or_default();
            keys.insert(change.key.clone());
        }
    }

    /// The Pods on a node, ordered by namespace and name.
    pub(super) fn on(&self, node: &str) -> impl Iterator<Item = &Key> {
        self.keys.get(node).into_iter().flatten()
    }

    /// The names of nodes with Pods, in order; the nodes need not exist.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }
}
