//! The kubelets' watch on Pods and nodes.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};

use super::Kubelet;
use crate::pod_util;
use crate::server::ms_of;
use crate::store::{Change, Key, name_of, uid_of};

impl Kubelet {
    /// Handles Pods that are bound, changed or deleted, and nodes that are added or deleted.
    pub fn observe(&mut self, change: &Change) {
        if let Some((before, after)) = change.of::<Node>() {
            self.observe_node(before, after);
        } else if let Some((before, after)) = change.of::<Pod>() {
            match (before, after) {
                (before, Some(pod)) => self.observe_pod(&change.key, before, pod),
                (Some(pod), None) => self.forget(&change.key, pod),
                (None, None) => {}
            }
        }
    }

    fn observe_node(&mut self, before: Option<&Arc<Node>>, after: Option<&Arc<Node>>) {
        match (before, after) {
            (None, Some(node)) => {
                self.nodes.came(node);
                self.fresh_nodes.push(name_of(&node.metadata).to_owned());
                let waiting = self.homeless.remove(name_of(&node.metadata));
                self.arrived.extend(waiting.into_iter().flatten());
            }
            (Some(node), None) => {
                let name = name_of(&node.metadata);
                let pods = self.nodes.went(name);
                for key in &pods {
                    self.workers.remove(key);
                    self.due.set(key, None);
                }
                // If the node is created again and they still exist, they continue.
                self.homeless
                    .insert(name.to_owned(), pods.into_iter().collect());
            }
            _ => {}
        }
    }

    fn observe_pod(&mut self, key: &Key, before: Option<&Arc<Pod>>, pod: &Arc<Pod>) {
        let had_node = before.is_some_and(|before| !pod_util::node_of(before).is_empty());
        if !had_node && !pod_util::node_of(pod).is_empty() {
            self.arrived.push(key.clone());
        }
        let worker = self.workers.get(key);
        if let Some(worker) = worker.filter(|worker| worker.uid == uid_of(&pod.metadata)) {
            if pod.metadata.resource_version.as_deref() != Some(worker.written.as_str()) {
                self.touched.insert(key.clone());
            }
        } else if let Some(deletion) = &pod.metadata.deletion_timestamp {
            self.plans.hold(key);
            self.ending.set(key, Some(ms_of(deletion)));
        }
    }

    fn forget(&mut self, key: &Key, pod: &Pod) {
        let uid = uid_of(&pod.metadata);
        self.ending.set(key, None);
        self.later.set(key, None);
        self.plans.forget(key, uid);
        self.bound.remove(uid);
        if self.workers.get(key).is_none_or(|worker| worker.uid != uid) {
            return;
        }
        if self.manifests.contains_key(key) {
            self.lost_mirrors.insert(key.clone());
        } else {
            self.drop_worker(key);
        }
    }

    pub(super) fn drop_worker(&mut self, key: &Key) {
        if let Some(worker) = self.workers.remove(key) {
            self.nodes.release(&worker.node, key, &worker.requests);
        }
        self.due.set(key, None);
        self.touched.remove(key);
    }
}
