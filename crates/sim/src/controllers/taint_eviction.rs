//! Evicts Pods from nodes with NoExecute taints, at once or when their toleration expires
//! (`pkg/controller/tainteviction`, Kubernetes v1.34).
//!
//! The timer of a Pod starts when the taint is observed. As in v1.34, it is not reset while it runs, not even by
//! other taints or tolerations that would leave the Pod less time.

mod patience;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Node, Pod, Taint, Toleration};

use super::Controller;
use super::eviction::Texts;
use super::placed::PodsByNode;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{BeforeAndAfter, Change, Key, Store, name_of, uid_of};
use crate::workqueue::WorkQueue;
use berth_core::api::prepare::node_fit::taints;
use berth_protocol::due::DueKind;

use patience::{Patience, patience};

const TEXTS: Texts = Texts {
    event: "TaintManagerEviction",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
};

/// The timer of a Pod that will be evicted.
#[derive(Clone, Debug)]
struct Timer {
    uid: String,
    since_ms: i64,
    due_ms: i64,
}

/// The controller that evicts Pods from tainted nodes. Its keys are nodes and Pods.
#[derive(Clone, Debug)]
pub struct TaintEvictionController {
    queue: WorkQueue,
    placed: PodsByNode,
    /// The NoExecute taints of nodes, by node name.
    tainted: BTreeMap<String, Vec<Taint>>,
    timers: BTreeMap<Key, Timer>,
    /// Pods that are queued because they changed, not only because their timer fired.
    changed: BTreeSet<Key>,
}

impl TaintEvictionController {
    pub fn new(queue: WorkQueue) -> Self {
        TaintEvictionController {
            queue,
            placed: PodsByNode::default(),
            tainted: BTreeMap::new(),
            timers: BTreeMap::new(),
            changed: BTreeSet::new(),
        }
    }

    /// Enqueues a Pod that was added or deleted, or whose tolerations or node have changed. Pods that no taint can
    /// affect are skipped.
    fn observe_pod(&mut self, key: &Key, (before, after): BeforeAndAfter<'_, Pod>) {
        let Some(pod) = after.or(before) else { return };
        if let Some((before, after)) = before.zip(after)
            && tolerations(before) == tolerations(after)
            && pod_util::node_of(before) == pod_util::node_of(after)
        {
            return;
        }
        if self.timers.contains_key(key) || self.tainted.contains_key(pod_util::node_of(pod)) {
            self.changed.insert(key.clone());
            self.queue.add(key.clone());
        }
    }

    fn observe_node(&mut self, (before, after): BeforeAndAfter<'_, Node>) {
        let Some(node) = after.or(before) else { return };
        if let Some((before, after)) = before.zip(after)
            && no_execute(before).eq(no_execute(after))
        {
            return;
        }
        let name = name_of(&node.metadata);
        let has_taints = after.is_some_and(|node| no_execute(node).next().is_some());
        if has_taints || self.tainted.contains_key(name) {
            self.queue.add(Key::new("", name));
        }
    }

    fn sync_node(&mut self, name: &str, cache: &Store, api: &mut ApiServer) {
        let Some(node) = cache.nodes.get(&Key::new("", name)) else {
            self.tainted.remove(name);
            return;
        };
        let taints: Vec<Taint> = no_execute(node).cloned().collect();
        let on_node: Vec<Key> = self.placed.on(name).cloned().collect();
        if taints.is_empty() {
            self.tainted.remove(name);
            for key in on_node {
                self.cancel(&key, api);
            }
            return;
        }
        self.tainted.insert(name.to_owned(), taints);
        for key in on_node {
            self.judge(&key, cache, api);
        }
    }

    fn sync_pod(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let due_ms = self.timers.get(key).map(|timer| timer.due_ms);
        if let Some(due_ms) = due_ms {
            let now = api.now_ms();
            if due_ms <= now {
                self.timers.remove(key);
                evict(key, api)?;
            } else {
                // The queue may still hold the time of a cancelled timer.
                self.queue
                    .add_due(DueKind::Eviction, key.clone(), due_ms - now, now);
            }
        }
        if self.changed.remove(key) {
            if cache.pods.get(key).is_some() {
                self.judge(key, cache, api);
            } else {
                self.cancel(key, api);
            }
        }
        Ok(())
    }

    /// Evicts a Pod, or starts or cancels its timer, by its node's taints.
    fn judge(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) {
        let Some(pod) = cache.pods.get(key) else {
            return;
        };
        let Some(taints) = self.tainted.get(pod_util::node_of(pod)) else {
            return;
        };
        match patience(taints, tolerations(pod)) {
            Patience::Forever => self.cancel(key, api),
            Patience::None => {
                self.cancel(key, api);
                // An error means that the Pod is already gone.
                let _ = evict(key, api);
            }
            Patience::Until(after_ms) => self.start(pod, after_ms, api),
        }
    }

    /// Starts a Pod's timer, unless it is already running.
    fn start(&mut self, pod: &Pod, after_ms: i64, api: &mut ApiServer) {
        let key = Key::of(&pod.metadata);
        let now = api.now_ms();
        let mut since_ms = now;
        if let Some(timer) = self.timers.get(&key) {
            if timer.since_ms < now {
                return;
            }
            since_ms = timer.since_ms;
            self.cancel(&key, api);
        }
        if after_ms == 0 {
            // An error means that the Pod is already gone.
            let _ = evict(&key, api);
            return;
        }
        let uid = uid_of(&pod.metadata).to_owned();
        let due_ms = now.saturating_add(after_ms);
        let timer = Timer {
            uid,
            since_ms,
            due_ms,
        };
        self.timers.insert(key.clone(), timer);
        self.queue.add_due(DueKind::Eviction, key, after_ms, now);
    }

    fn cancel(&mut self, key: &Key, api: &mut ApiServer) {
        if let Some(timer) = self.timers.remove(key) {
            self.queue.call_off(key);
            let message = format!("Cancelling deletion of Pod {key}");
            api.event(TEXTS.event(key, &timer.uid, message));
        }
    }
}

impl Controller for TaintEvictionController {
    fn component(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn observe(&mut self, change: &Change, _cache: &Store, _now_ms: i64) {
        if let Some(pod) = change.of::<Pod>() {
            self.placed.observe(change);
            self.observe_pod(&change.key, pod);
        } else if let Some(node) = change.of::<Node>() {
            self.observe_node(node);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        if key.namespace().is_empty() {
            self.sync_node(key.name(), cache, api);
            return Ok(());
        }
        self.sync_pod(key, cache, api)
    }
}

fn evict(key: &Key, api: &mut ApiServer) -> Result<(), ApiError> {
    TEXTS.evict(key, format!("Marking for deletion Pod {key}"), api)
}

fn tolerations(pod: &Pod) -> &[Toleration] {
    let spec = pod.spec.as_ref();
    let tolerations = spec.and_then(|spec| spec.tolerations.as_deref());
    tolerations.unwrap_or_default()
}

fn no_execute(node: &Node) -> impl Iterator<Item = &Taint> {
    taints(node).filter(|taint| taint.effect == "NoExecute")
}

#[cfg(test)]
mod tests;
