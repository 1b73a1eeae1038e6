//! Binds Pods to fitting nodes in turn, without a scheduler: the workload controllers were recorded in this setup.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Node, Pod};

use super::kubelet::{Kubelet, ScriptedLives};
use super::pod_util;
use super::server::ApiServer;
use super::store::{Change, Key, uid_of};
use berth_core::api::prepare::node_fit;

/// One counter over all Pods picks among the fitting nodes, sorted by name. Resources are ignored.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    /// Pods without a node in order of creation, and when each was last tried.
    waiting: BTreeMap<u64, (Key, Option<i64>)>,
    seen: u64,
    turn: usize,
}

impl RoundRobin {
    /// Adds new Pods that have no node.
    pub fn observe(&mut self, change: &Change) {
        if change.of::<Node>().is_some() {
            for (_, tried) in self.waiting.values_mut() {
                *tried = None;
            }
        }
        if let Some((None, Some(pod))) = change.of::<Pod>()
            && pod_util::node_of(pod).is_empty()
        {
            self.seen += 1;
            let waiting = (Key::of(&pod.metadata), None);
            self.waiting.insert(self.seen, waiting);
        }
    }

    /// Binds the Pods that fit some node, and starts them.
    pub fn act(
        &mut self,
        kubelet: &mut Kubelet,
        lives: &mut dyn ScriptedLives,
        api: &mut ApiServer,
    ) {
        let now = api.now_ms();
        let untried = self
            .waiting
            .iter()
            .filter(|(_, (_, tried))| *tried != Some(now));
        let untried: Vec<(u64, Key)> = untried
            .map(|(number, (key, _))| (*number, key.clone()))
            .collect();
        for (number, key) in untried {
            let pod = api.store().pods.get(&key).cloned();
            let Some(pod) = pod.filter(|pod| {
                pod_util::node_of(pod).is_empty() && !uid_of(&pod.metadata).is_empty()
            }) else {
                self.waiting.remove(&number);
                continue;
            };
            let Some(node) = self.choose(&pod, api) else {
                self.waiting.insert(number, (key, Some(now)));
                continue;
            };
            self.waiting.remove(&number);
            let mut pod = (*pod).clone();
            pod.spec.get_or_insert_default().node_name = Some(node.clone());
            kubelet.start(&mut pod, lives, api);
            // Cannot conflict: the Pod was just read.
            let _ = api.bind(pod, &node);
        }
    }

    fn choose(&mut self, pod: &Pod, api: &ApiServer) -> Option<String> {
        let spec = pod.spec.as_ref()?;
        let fitting: Vec<&str> = api
            .store()
            .nodes
            .iter()
            .filter(|node| node_fit::accepts(spec, node))
            .filter_map(|node| node.metadata.name.as_deref())
            .collect();
        let node = fitting.get(self.turn.checked_rem(fitting.len())?)?;
        self.turn += 1;
        Some((*node).to_owned())
    }
}
