//! Garbage collection of Pods: those of deleted nodes, surplus finished ones, and terminating ones that no kubelet
//! terminates (`pkg/controller/podgc`, Kubernetes v1.34).
//!
//! The real controller checks all Pods every 20 seconds. Here the rounds are at the same times, but run only after
//! changes that may give it work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, PodCondition};

use super::Controller;
use super::placed::PodsByNode;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of};
use crate::workqueue::WorkQueue;
use berth_base::sort;
use berth_core::api::prepare::node_fit::taints;

/// The period of the rounds.
const PERIOD_MS: i64 = 20_000;
/// How long a node must be missing before its Pods are deleted.
const QUARANTINE_MS: i64 = 40_000;
/// The number of finished Pods that are kept.
const MAX_FINISHED: usize = 12_500;

const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// The garbage collector of Pods. Its only key means a round.
#[derive(Clone, Debug)]
pub struct PodGarbageCollector {
    queue: WorkQueue,
    max_finished: usize,
    placed: PodsByNode,
    finished: BTreeSet<Key>,
    /// Pods with a deletion timestamp.
    terminating: BTreeSet<Key>,
    /// Missing nodes, and when their quarantine ends, in milliseconds.
    quarantine: BTreeMap<String, i64>,
}

impl PodGarbageCollector {
    pub fn new(queue: WorkQueue) -> Self {
        PodGarbageCollector {
            queue,
            max_finished: MAX_FINISHED,
            placed: PodsByNode::default(),
            finished: BTreeSet::new(),
            terminating: BTreeSet::new(),
            quarantine: BTreeMap::new(),
        }
    }

    /// Schedules the next round.
    fn ask(&mut self, now_ms: i64) {
        let wait = (PERIOD_MS - now_ms.rem_euclid(PERIOD_MS)) % PERIOD_MS;
        self.queue.add_after(Key::default(), wait, now_ms);
    }

    /// Updates the indexes with a Pod. Returns whether a round may have work.
    fn observe_pod(&mut self, key: &Key, pod: &Pod, is_gone: bool, cache: &Store) -> bool {
        let mark = |set: &mut BTreeSet<Key>, is_one: bool| {
            if is_one && !is_gone {
                set.insert(key.clone());
            } else {
                set.remove(key);
            }
        };
        mark(&mut self.finished, pod_util::is_finished(pod));
        mark(&mut self.terminating, pod_util::is_terminating(pod));
        if is_gone {
            return false;
        }
        let node = pod_util::node_of(pod);
        let is_lost = !node.is_empty() && cache.nodes.get(&Key::new("", node)).is_none();
        is_lost || self.finished.len() > self.max_finished || is_stuck_terminating(pod, cache)
    }

    fn round(&mut self, cache: &Store, api: &mut ApiServer) {
        self.remove_finished(cache, api);
        let terminating: Vec<&Arc<Pod>> = self.pods(&self.terminating, cache);
        let stuck = terminating
            .iter()
            .filter(|pod| is_stuck_terminating(pod, cache));
        let stuck: Vec<Arc<Pod>> = stuck.map(|pod| Arc::clone(pod)).collect();
        for pod in stuck {
            remove(&pod, None, api);
        }
        self.remove_orphans(cache, api);
    }

    fn pods<'a>(&self, keys: &BTreeSet<Key>, cache: &'a Store) -> Vec<&'a Arc<Pod>> {
        keys.iter().filter_map(|key| cache.pods.get(key)).collect()
    }

    /// Deletes surplus finished Pods: evicted ones first, then the oldest.
    fn remove_finished(&mut self, cache: &Store, api: &mut ApiServer) {
        let excess = self.finished.len().saturating_sub(self.max_finished);
        if excess == 0 {
            return;
        }
        let finished = self.pods(&self.finished, cache);
        let mut finished: Vec<Arc<Pod>> = finished.into_iter().cloned().collect();
        sort::sort_by_key(&mut finished, |pod| {
            let name = name_of(&pod.metadata).to_owned();
            (!is_evicted(pod), pod_util::created_ms(pod), name)
        });
        for pod in finished.into_iter().take(excess) {
            remove(&pod, None, api);
        }
    }

    /// Deletes the Pods of nodes that have been missing for long enough.
    fn remove_orphans(&mut self, cache: &Store, api: &mut ApiServer) {
        let now = api.now_ms();
        let missing = |node: &str| cache.nodes.get(&Key::new("", node)).is_none();
        let nodes: Vec<String> = self.placed.nodes().map(str::to_owned).collect();
        for node in nodes.into_iter().filter(|node| missing(node)) {
            let end = now.saturating_add(QUARANTINE_MS);
            self.quarantine.entry(node).or_insert(end);
        }
        let over = self.quarantine.iter().filter(|(_, end)| **end <= now);
        let over: Vec<String> = over.map(|(node, _)| node.clone()).collect();
        for node in over {
            self.quarantine.remove(&node);
            if !missing(&node) {
                continue;
            }
            let orphans = self.placed.on(&node);
            let orphans = orphans.filter_map(|key| cache.pods.get(key));
            let orphans: Vec<Arc<Pod>> = orphans.cloned().collect();
            for pod in orphans {
                let reason =
                    pod_util::disruption_target("DeletionByPodGC", "PodGC: node no longer exists");
                remove(&pod, Some(reason), api);
            }
        }
        if let Some(next) = self.quarantine.values().min().copied() {
            self.queue.add_after(Key::default(), next - now, now);
        }
    }
}

impl Controller for PodGarbageCollector {
    fn component(&self) -> &'static str {
        "pod-garbage-collector-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        let mut has_work = false;
        if let Some((before, after)) = change.of::<Pod>() {
            self.placed.observe(change);
            if let Some(pod) = after.or(before) {
                has_work = self.observe_pod(&change.key, pod, after.is_none(), cache);
            }
        } else if let Some((Some(node), after)) = change.of::<Node>() {
            let name = name_of(&node.metadata);
            let node = after.map_or(node, |after| after);
            has_work = if after.is_none() {
                self.placed.on(name).next().is_some()
            } else {
                is_out_of_service(node)
            };
        }
        if has_work {
            self.ask(now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, _key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        self.round(cache, api);
        Ok(())
    }
}

/// Whether a Pod is terminating and no kubelet will terminate it: it is unbound, or its node is out of service. An
/// unbound Pod that was already handled is `Failed`, and waits for its finalizers.
fn is_stuck_terminating(pod: &Pod, cache: &Store) -> bool {
    let node = pod_util::node_of(pod);
    let is_out = || {
        let node = cache.nodes.get(&Key::new("", node));
        node.is_some_and(|node| is_out_of_service(node))
    };
    pod_util::is_terminating(pod)
        && if node.is_empty() {
            !pod_util::is_finished(pod)
        } else {
            is_out()
        }
}

/// Whether a node is not ready and has the out-of-service taint.
fn is_out_of_service(node: &Node) -> bool {
    let mut taints = taints(node).map(|taint| taint.key.as_str());
    let status = node.status.iter();
    let conditions = status.flat_map(|status| status.conditions.iter().flatten());
    let mut ready = conditions.filter(|condition| condition.type_ == "Ready");
    taints.any(|key| key == OUT_OF_SERVICE) && !ready.any(|condition| condition.status == "True")
}

/// Whether a kubelet has evicted the Pod.
fn is_evicted(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    let reason = status.and_then(|status| status.reason.as_deref());
    pod_util::phase_of(pod) == "Failed" && reason == Some("Evicted")
}

/// Sets an unfinished Pod to `Failed`, and deletes it without a grace period.
fn remove(pod: &Pod, why: Option<PodCondition>, api: &mut ApiServer) {
    let key = Key::of(&pod.metadata);
    if !pod_util::is_finished(pod) {
        let mut failed = pod.clone();
        failed.status.get_or_insert_default().phase = Some("Failed".to_owned());
        if let Some(condition) = why {
            pod_util::set_condition(&mut failed, condition, &api.now());
        }
        // After a conflict, the next round tries again.
        let _ = api.update_status(&failed);
    }
    let _ = api.delete_within::<Pod>(&key, Some(0));
}

#[cfg(test)]
mod tests;
