//! The lifecycle of unhealthy nodes: taints by condition, `Unknown` conditions when heartbeats stop, and Pods that
//! are no longer ready (`pkg/controller/nodelifecycle`, Kubernetes v1.34).
//!
//! The real controller checks all nodes every five seconds. Here the rounds are at the same times, but run only if
//! something has changed or a node's grace period has ended. Healthy kubelets renew their leases all the time, so a
//! node is healthy unless it was silenced ([`ApiServer::silence_node`]). A node whose manifest has no conditions is
//! healthy and keeps the taints of its manifest.

mod health;
mod monitor;
mod taint_queue;
mod taints;
mod zones;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};

use super::Controller;
use super::placed::PodsByNode;
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{BeforeAndAfter, Change, Key, Store, name_of};
use crate::workqueue::WorkQueue;

pub use taints::condition_of;

use health::{Health, Ready, ready_of};
use zones::Zones;

/// The period of the monitor.
const MONITOR_PERIOD_MS: i64 = 5_000;

/// The controller of nodes. Its keys are nodes, for their NoSchedule taints; Pods bound to an unhealthy node; a round
/// of the monitor; and the next NoExecute taint.
#[derive(Clone, Debug)]
pub struct NodeLifecycleController {
    queue: WorkQueue,
    placed: PodsByNode,
    /// Registered nodes by name, with their UIDs.
    known: BTreeMap<String, String>,
    health: BTreeMap<String, Health>,
    zones: Zones,
    last_round_ms: Option<i64>,
}

impl NodeLifecycleController {
    pub fn new(queue: WorkQueue) -> Self {
        NodeLifecycleController {
            queue,
            placed: PodsByNode::default(),
            known: BTreeMap::new(),
            health: BTreeMap::new(),
            zones: Zones::default(),
            last_round_ms: None,
        }
    }

    fn observe_node(&mut self, (before, after): BeforeAndAfter<'_, Node>, now_ms: i64) {
        if let Some(node) = after {
            self.queue.add(Key::new("", name_of(&node.metadata)));
        }
        let is_silenced = before
            .zip(after)
            .is_some_and(|(before, after)| Arc::ptr_eq(before, after));
        let fields = |node: Option<&Arc<Node>>| node.map(|node| monitor::monitored_fields(node));
        if is_silenced || fields(before) != fields(after) {
            self.ask_for_round(now_ms, now_ms);
        }
    }

    /// Enqueues a Pod that is bound to an unhealthy node, to be marked as not ready.
    fn observe_pod(&mut self, (before, after): BeforeAndAfter<'_, Pod>, cache: &Store) {
        let Some(after) = after else { return };
        let node = pod_util::node_of(after);
        let is_new = before.is_none_or(|before| pod_util::node_of(before) != node);
        if is_new && is_in_trouble(node, cache) {
            self.queue.add(Key::of(&after.metadata));
        }
    }

    /// Schedules the first round at or after a time that has not run yet.
    fn ask_for_round(&mut self, at_ms: i64, now_ms: i64) {
        let mut round_ms = next_round(at_ms);
        if self.last_round_ms == Some(round_ms) {
            round_ms += MONITOR_PERIOD_MS;
        }
        self.queue
            .add_after(monitor_key(), round_ms - now_ms, now_ms);
    }
}

impl Controller for NodeLifecycleController {
    fn component(&self) -> &'static str {
        "node-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        if let Some(pod) = change.of::<Pod>() {
            self.placed.observe(change);
            self.observe_pod(pod, cache);
        } else if let Some(node) = change.of::<Node>() {
            self.observe_node(node, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        if *key == monitor_key() {
            self.round(cache, api);
            return Ok(());
        }
        if *key == taint_key() {
            self.taint(cache, api);
            return Ok(());
        }
        if key.namespace().is_empty() {
            return taints::reconcile(key.name(), cache, api);
        }
        let pod = cache.pods.get(key);
        if let Some(pod) = pod.filter(|pod| is_in_trouble(pod_util::node_of(pod), cache)) {
            mark_not_ready(pod, api);
        }
        Ok(())
    }
}

/// The key of a round; no object has it, since its name is empty.
fn monitor_key() -> Key {
    Key::new("monitor", "")
}

/// The key of the next NoExecute taint.
fn taint_key() -> Key {
    Key::new("taint", "")
}

/// The time of the first round at or after a time.
fn next_round(ms: i64) -> i64 {
    let over = ms.rem_euclid(MONITOR_PERIOD_MS);
    if over == 0 {
        ms
    } else {
        ms - over + MONITOR_PERIOD_MS
    }
}

fn is_in_trouble(node: &str, cache: &Store) -> bool {
    let node = cache.nodes.get(&Key::new("", node));
    node.is_some_and(|node| matches!(ready_of(node), Ready::False | Ready::Unknown))
}

/// Marks the Pod of a node without heartbeats as not ready (`MarkPodsNotReady`).
fn mark_not_ready(pod: &Pod, api: &mut ApiServer) {
    let Some(ready) = pod_util::ready_condition(pod) else {
        return;
    };
    let mut condition = ready.clone();
    "False".clone_into(&mut condition.status);
    let mut marked = pod.clone();
    if pod_util::set_condition(&mut marked, condition, &api.now())
        && let Ok(pod) = api.update_status(&marked)
    {
        let message = "Node is not ready";
        api.event(Event::new(&*pod, Level::Warning, "NodeNotReady", message));
    }
}

#[cfg(test)]
mod tests;
