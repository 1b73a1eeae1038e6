//! Nominated Pods: pending Pods for which preemption makes room, by node.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PodIx;

/// Pending Pods with `status.nominatedNodeName`. Mirrors the queue's nominator.
#[derive(Clone, Debug, Default)]
pub struct Nominations {
    by_node: BTreeMap<Arc<str>, Vec<PodIx>>,
    by_pod: BTreeMap<PodIx, Arc<str>>,
    /// Nominations of Pods that are gated or of another scheduler.
    withheld: BTreeMap<PodIx, Arc<str>>,
}

impl Nominations {
    /// The Pods nominated to a node, in order of nomination.
    pub fn on(&self, node: &str) -> &[PodIx] {
        self.by_node.get(node).map_or(&[], Vec::as_slice)
    }

    /// The node that a Pod is nominated to.
    pub fn of(&self, pod: PodIx) -> Option<&Arc<str>> {
        self.by_pod.get(&pod)
    }

    /// Whether no Pod is nominated.
    pub fn is_empty(&self) -> bool {
        self.by_pod.is_empty()
    }

    /// Whether the Pod has a nomination that does not count.
    pub fn is_withheld(&self, pod: PodIx) -> bool {
        self.withheld.contains_key(&pod)
    }

    /// The Pods whose nomination does not count, because the queue does not have them.
    pub fn withheld(&self) -> Vec<PodIx> {
        self.withheld.keys().copied().collect()
    }

    /// Sets whether the Pod's nomination counts.
    pub(super) fn withhold(&mut self, pod: PodIx, withheld: bool) {
        let now = self.of(pod).cloned();
        match (withheld, now) {
            (true, Some(node)) => {
                self.remove(pod);
                self.withheld.insert(pod, node);
            }
            (false, None) => {
                if let Some(node) = self.withheld.remove(&pod) {
                    self.set(pod, Some(&node));
                }
            }
            _ => {}
        }
    }

    fn remove(&mut self, pod: PodIx) {
        if let Some(old) = self.by_pod.remove(&pod)
            && let Some(list) = self.by_node.get_mut(&old)
        {
            list.retain(|&known| known != pod);
            if list.is_empty() {
                self.by_node.remove(&old);
            }
        }
    }

    pub(super) fn set(&mut self, pod: PodIx, node: Option<&Arc<str>>) {
        self.remove(pod);
        self.withheld.remove(&pod);
        if let Some(node) = node {
            self.by_pod.insert(pod, Arc::clone(node));
            self.by_node.entry(Arc::clone(node)).or_default().push(pod);
        }
    }
}
