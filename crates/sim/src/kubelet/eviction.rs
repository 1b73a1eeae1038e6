//! Node-pressure eviction for memory: which Pods are evicted, and the node's condition.
//!
//! Mirrors `pkg/kubelet/eviction` v1.34 for the signal `memory.available` with its default threshold: every 10
//! seconds the kubelet checks the signal, evicts at most one Pod, and reports `MemoryPressure` until there was none
//! for 5 minutes. Only memory usage that annotations or commands define counts. A node is checked only while the
//! result may change.

use std::cmp::Ordering;

use k8s_openapi::api::core::v1::{Node, Pod};

use super::container::{Container, State};
use super::notes::Notes;
use super::static_pods::is_critical;
use super::worker::{Stage, Worker};
use super::{Kubelet, node_status};
use crate::audit_log::{Event, Level};
use crate::server::ApiServer;
use crate::store::Key;
use berth_base::quantity::{Format, Quantity};
use berth_base::sort;

/// How often a kubelet checks memory (the eviction manager's monitoring interval).
const LOOK_MS: i64 = 10_000;
/// The minimum available memory (`memory.available<100Mi`).
const THRESHOLD_BYTES: i64 = 100 << 20;
/// How long there must be no pressure before the condition is cleared (`evictionPressureTransitionPeriod`).
const TRANSITION_MS: i64 = 300_000;

impl Container {
    /// Bytes in use now; 0 if unknown.
    pub(super) fn memory_in_use(&self, now: i64) -> i64 {
        let (State::Running(running), Some(memory)) = (&self.state, &self.behavior.memory) else {
            return 0;
        };
        let bytes = memory.at(now.saturating_sub(running.since));
        bytes.copied().unwrap_or(0)
    }

    /// When the memory in use next changes.
    fn memory_changes(&self, now: i64) -> Option<i64> {
        let (State::Running(running), Some(memory)) = (&self.state, &self.behavior.memory) else {
            return None;
        };
        let change = memory.next_change(now.saturating_sub(running.since))?;
        Some(running.since.saturating_add(change))
    }
}

impl Worker {
    /// Bytes that its containers use now.
    pub(super) fn memory_in_use(&self, now: i64) -> i64 {
        let all = self.containers.iter().map(|own| own.memory_in_use(now));
        all.fold(0, i64::saturating_add)
    }

    /// Whether the memory usage of any of its containers is defined.
    pub(super) fn reports_memory(&self) -> bool {
        self.containers
            .iter()
            .any(|own| own.behavior.memory.is_some())
    }
}

/// A Pod that may be evicted.
struct Candidate {
    key: Key,
    priority: i32,
    /// Bytes in use beyond the request; negative below it.
    excess: i64,
}

impl Kubelet {
    /// Schedules a check of the node at the next interval.
    pub(super) fn note_memory(&mut self, node: &str, now: i64) {
        self.looks.set(&Key::new("", node), Some(next_look(now)));
    }

    /// Checks the nodes that are due.
    pub(super) fn check_memory(&mut self, api: &mut ApiServer) {
        for key in self.looks.take_due(api.now_ms()) {
            let node = api.store().nodes.get(&key).cloned();
            if let Some(node) = node.filter(|_| !self.nodes.is_stopped(key.name())) {
                self.look(&key, &node, api);
            }
        }
    }

    fn look(&mut self, key: &Key, node: &Node, api: &mut ApiServer) {
        let now = api.now_ms();
        let Some(state) = self.nodes.get_mut(key.name()) else {
            return;
        };
        let facts = state.facts(node);
        let workers = state.pods.iter().filter_map(|pod| self.workers.get(pod));
        let in_use = workers
            .clone()
            .map(|worker| worker.memory_in_use(now))
            .fold(0, i64::saturating_add);
        let changes = workers.flat_map(|worker| {
            worker
                .containers
                .iter()
                .filter_map(|own| own.memory_changes(now))
        });
        let change = changes.min().map(|at| next_look(at - 1));
        // Reserved memory counts as used; the reservation already includes the threshold.
        let usable = facts
            .allocatable
            .memory_bytes
            .saturating_add(THRESHOLD_BYTES);
        let left = facts.memory_bytes.min(usable).saturating_sub(in_use);
        if facts.memory_bytes > 0 && left < THRESHOLD_BYTES {
            state.pressure_seen = Some(now);
            self.looks.set(key, Some(now.saturating_add(LOOK_MS)));
            let met = Event::new(
                node,
                Level::Warning,
                "EvictionThresholdMet",
                "Attempting to reclaim memory",
            );
            api.event(met.at("kubelet", key.name()));
            node_status::set_memory_pressure(key.name(), true, api);
            self.evict_one(key.name(), left, api);
            return;
        }
        let relief = state
            .pressure_seen
            .map(|seen| seen.saturating_add(TRANSITION_MS));
        if relief.is_some_and(|at| at <= now) {
            state.pressure_seen = None;
            node_status::set_memory_pressure(key.name(), false, api);
        }
        let relief = relief.filter(|at| *at > now);
        self.looks.set(key, relief.into_iter().chain(change).min());
    }

    /// Evicts the first Pod by rank: Pods above their requests first, then by lowest priority, then by the largest
    /// usage above the request.
    fn evict_one(&mut self, node: &str, left: i64, api: &mut ApiServer) {
        let now = api.now_ms();
        let Some(state) = self.nodes.get(node) else {
            return;
        };
        let mut candidates = Vec::new();
        for key in &state.pods {
            let (Some(worker), Some(pod)) = (self.workers.get(key), api.store().pods.get(key))
            else {
                continue;
            };
            if worker.stage != Stage::Ending && !is_critical(pod) {
                candidates.push(Candidate {
                    key: key.clone(),
                    priority: priority(pod),
                    excess: worker
                        .memory_in_use(now)
                        .saturating_sub(worker.requests.memory_bytes),
                });
            }
        }
        sort::sort_by(&mut candidates, order);
        let Some(victim) = candidates.first() else {
            return;
        };
        let key = victim.key.clone();
        let Some(worker) = self.workers.get_mut(&key) else {
            return;
        };
        let message = message(worker, left, now);
        let mut notes = Notes::default();
        notes.warning("Evicted", message.clone());
        worker.fail("Evicted", message.clone(), message, now, &mut notes);
        self.work(&key, notes, api);
    }
}

fn priority(pod: &Pod) -> i32 {
    pod.spec
        .as_ref()
        .and_then(|spec| spec.priority)
        .unwrap_or(0)
}

fn order(a: &Candidate, b: &Candidate) -> Ordering {
    (a.excess <= 0)
        .cmp(&(b.excess <= 0))
        .then_with(|| a.priority.cmp(&b.priority))
        .then_with(|| b.excess.cmp(&a.excess))
}

/// The message in the Pod's status.
fn message(worker: &Worker, left: i64, now: i64) -> String {
    let threshold = bytes(THRESHOLD_BYTES);
    let mut message = format!(
        "The node was low on resource: memory. Threshold quantity: {threshold}, available: {}. ",
        bytes(left.max(0))
    );
    for own in &worker.containers {
        let in_use = own.memory_in_use(now);
        if in_use > own.memory_request {
            message += &format!(
                "Container {} was using {}, request is {}, has larger consumption of memory. ",
                own.name,
                bytes(in_use),
                bytes(own.memory_request)
            );
        }
    }
    message
}

/// Formats bytes as the API does.
fn bytes(count: i64) -> String {
    Quantity::from_value(count)
        .with_format(Format::BinarySi)
        .to_string()
}

/// The next check after `now`.
fn next_look(now: i64) -> i64 {
    (now.div_euclid(LOOK_MS) + 1).saturating_mul(LOOK_MS)
}
