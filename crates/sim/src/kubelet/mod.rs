//! The kubelets of all nodes (kubelet v1.34): Pods that have come to a node are admitted, their containers start,
//! are probed, end and start again; Pods that are deleted are gone at the end of their grace.
//!
//! What the processes in containers do is not known to a simulation: `behavior` reads it from annotations
//! and commands. Where a script has the life of a whole Pod, [`Fates`] returns it, and `scripted` plays it.

mod admission;
mod arrival;
mod backoff;
pub(crate) mod behavior;
mod conditions;
mod container;
mod deadlines;
mod eviction;
mod identity;
mod memory;
mod node_status;
mod nodes;
mod notes;
mod observing;
mod preemption;
mod probes;
pub mod qos;
mod scripted;
pub mod static_pods;
mod status;
mod usage;
mod worker;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodCondition};

use super::pod_util;
use super::server::{ApiServer, finalizers};
use super::store::{Key, uid_of};
use deadlines::Deadlines;
use nodes::Nodes;
use notes::Notes;
pub use scripted::{ByContainers, Fate, Fates, set_ready};
use scripted::{Plans, in_order};
pub use usage::{Usage, usage};
use worker::{Stage, Worker};

/// All kubelets.
#[derive(Clone, Debug, Default)]
pub struct Kubelet {
    /// Pods whose lives are scripted as a whole.
    plans: Plans,
    /// Pods that are simulated by container.
    workers: HashMap<Key, Worker>,
    /// When workers have something to do.
    due: Deadlines,
    /// Ends of grace of Pods without a worker.
    ending: Deadlines,
    /// Pods that have come with a node or to one.
    arrived: Vec<Key>,
    /// Pods that are taken in, or refused, later.
    later: Deadlines,
    /// Pods that were bound here and are not scripted, so that [`Fates`] need not be asked again.
    bound: HashSet<String>,
    /// Pods with a worker that others have changed.
    touched: BTreeSet<Key>,
    /// Pods whose node does not exist yet.
    homeless: BTreeMap<String, Vec<Key>>,
    nodes: Nodes,
    /// When kubelets look at the memory of their nodes.
    looks: Deadlines,
    /// Whether conditions of nodes are written.
    reports_nodes: bool,
    /// Nodes that have come since they were last reported.
    fresh_nodes: Vec<String>,
    /// What is in the manifest folders of nodes, by the key of the mirror Pod, named and marked like it.
    manifests: BTreeMap<Key, Pod>,
    /// Mirror Pods that are gone, but not by the will of their kubelet.
    lost_mirrors: BTreeSet<Key>,
}

impl Kubelet {
    pub fn new() -> Self {
        Kubelet::default()
    }

    /// When something is due next for a Pod: it gets ready, a container starts or ends, its grace is over.
    pub fn next_due(&self) -> Option<i64> {
        let all = [
            self.plans.next_due(),
            self.due.next(),
            self.ending.next(),
            self.looks.next(),
            self.later.next(),
        ];
        all.into_iter().flatten().min()
    }

    /// The status of a Pod that is bound to its node now; `pod` has the node already. One whose life is told
    /// starts at once; others start when the kubelet has seen them.
    pub fn start(&mut self, pod: &mut Pod, fates: &mut dyn Fates, api: &ApiServer) {
        match fates.of(pod) {
            Some(fate) => self.plans.start(pod, fate, api),
            None => {
                self.bound.insert(uid_of(&pod.metadata).to_owned());
                set_scheduled(pod, api);
            }
        }
    }

    /// Takes in the Pods that have come to a node, and what has changed of others.
    pub fn start_arrived(&mut self, fates: &mut dyn Fates, api: &mut ApiServer) {
        self.report_nodes(api);
        self.renew_mirrors(api);
        for key in std::mem::take(&mut self.arrived) {
            if let Some(pod) = api.store().pods.get(&key).cloned() {
                self.arrive(&key, &pod, fates, api);
            }
        }
        for key in std::mem::take(&mut self.touched) {
            self.look_at(&key, api);
        }
    }

    fn arrive(&mut self, key: &Key, pod: &Arc<Pod>, fates: &mut dyn Fates, api: &mut ApiServer) {
        let uid = uid_of(&pod.metadata);
        let worker = self.workers.get(key);
        let has_worker = worker.is_some_and(|worker| worker.uid == uid);
        if has_worker || self.plans.has(key, uid) || pod_util::is_finished(pod) {
            return;
        }
        let is_new = !self.bound.remove(uid) && pod_util::phase_of(pod) == "Pending";
        if let Some(fate) = is_new.then(|| fates.of(pod)).flatten() {
            let mut pod = (**pod).clone();
            self.plans.start(&mut pod, fate, api);
            // It was read a moment ago.
            let _ = api.update_status(&pod);
            return;
        }
        let node = pod_util::node_of(pod);
        let found = api.store().nodes.get(&Key::new("", node)).cloned();
        match found {
            Some(found) => self.take_in(key, pod, &found, api),
            None => self
                .homeless
                .entry(node.to_owned())
                .or_default()
                .push(key.clone()),
        }
    }

    /// Sees what others have done to a Pod.
    fn look_at(&mut self, key: &Key, api: &mut ApiServer) {
        let Some(pod) = api.store().pods.get(key).cloned() else {
            return;
        };
        let Some(worker) = self.workers.get_mut(key) else {
            return;
        };
        if self.nodes.park(&worker.node, key) {
            return;
        }
        let now = api.now_ms();
        let mut notes = Notes::default();
        match &pod.metadata.deletion_timestamp {
            // Created again as soon as it is gone.
            Some(_) if self.manifests.contains_key(key) => {
                api.erase::<Pod>(key);
                return;
            }
            Some(_) => {
                let seconds = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
                let by = now.saturating_add(seconds.saturating_mul(1_000));
                if worker.deleted_by.is_none_or(|before| by < before) {
                    worker.deleted_by = Some(by);
                    worker.stop_all(now, by.saturating_sub(now), &mut notes);
                }
            }
            None => worker.update(&pod, now, &mut notes),
        }
        self.work(key, notes, api);
    }

    /// Does what is due for Pods: they become ready, start and end.
    pub fn act(&mut self, api: &mut ApiServer) {
        self.plans.act(&mut self.nodes, api);
        self.arrived.extend(self.later.take_due(api.now_ms()));
        let due = self.due.take_due(api.now_ms());
        for (key, _) in in_order(due, api) {
            self.work(&key, Notes::default(), api);
        }
        self.check_memory(api);
    }

    /// Does what is due for a Pod, and writes what came of it.
    fn work(&mut self, key: &Key, mut notes: Notes, api: &mut ApiServer) {
        let Some(pod) = api.store().pods.get(key).cloned() else {
            return;
        };
        let Some(worker) = self.workers.get_mut(key) else {
            return;
        };
        if self.nodes.park(&worker.node, key) {
            self.due.set(key, None);
            return;
        }
        let now = api.now_ms();
        worker.advance(now, &mut notes);
        notes.record(&pod, &worker.node, api);
        let status = status::of(worker, &pod, now);
        if pod.status.as_ref() != Some(&status)
            && let Ok(written) = api.set_pod_status(&pod, status)
        {
            worker.written = written
                .metadata
                .resource_version
                .clone()
                .unwrap_or_default();
        }
        if worker.stage == Stage::Ended {
            let deleted = pod.metadata.deletion_timestamp.is_some();
            self.drop_worker(key);
            if deleted && finalizers(&pod.metadata).is_empty() {
                api.erase::<Pod>(key);
            }
        } else {
            let next = worker.next_due();
            self.due.set(key, next);
            if worker.tells_memory() {
                let node = worker.node.clone();
                self.note_memory(&node, now);
            }
        }
    }

    /// Ends the Pods whose grace period is over; those with finalizers fail, and stay until these are removed.
    pub fn end_graces(&mut self, api: &mut ApiServer) {
        let over = self.ending.take_due(api.now_ms());
        for (key, pod) in in_order(over, api) {
            if self.nodes.park(pod_util::node_of(&pod), &key) {
                continue;
            }
            if finalizers(&pod.metadata).is_empty() {
                self.plans.forget(&key, uid_of(&pod.metadata));
                api.erase::<Pod>(&key);
            } else {
                self.plans.kill(&pod, api);
                // Noted again by its own change: the grace is over for good.
                self.ending.set(&key, None);
            }
        }
    }
}

/// The API server notes that a Pod has found its node.
fn set_scheduled(pod: &mut Pod, api: &ApiServer) {
    let now = api.now();
    let generation = pod.metadata.generation;
    let status = pod.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    let conditions = status.conditions.get_or_insert_default();
    conditions.retain(|own| own.type_ != "PodScheduled");
    conditions.push(PodCondition {
        type_: "PodScheduled".to_owned(),
        status: "True".to_owned(),
        last_transition_time: Some(now),
        observed_generation: generation,
        ..PodCondition::default()
    });
}

#[cfg(test)]
mod tests;
