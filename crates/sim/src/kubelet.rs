//! The kubelets of all nodes (kubelet v1.34). Pods bound to a node are admitted; their containers start, are probed,
//! exit and restart; deleted Pods are removed at the end of their grace period.
//!
//! A simulation cannot observe the processes in containers: `behavior` derives them from annotations and commands. If
//! a script defines the life of a whole Pod, [`ScriptedLives`] returns it, and `scripted` plays it.

mod admission;
mod arrival;
mod backoff;
pub(crate) mod behavior;
mod conditions;
mod container;
mod deadlines;
mod eviction;
mod identity;
mod images;
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
pub use behavior::logs_of;
use berth_core::api::script::Processes;
use berth_protocol::due::DueKind;
use deadlines::Deadlines;
use nodes::Nodes;
use notes::Notes;
pub use scripted::{ByContainers, ScriptedLife, ScriptedLives, set_ready};
use scripted::{Plans, in_order};
pub use usage::{Usage, usages};
use worker::{Stage, Worker};

/// All kubelets.
#[derive(Clone, Debug, Default)]
pub struct Kubelet {
    /// Pods that are scripted as a whole.
    plans: Plans,
    /// Pods that are simulated by container.
    workers: HashMap<Key, Worker>,
    /// When each worker next needs attention.
    due: Deadlines,
    /// Ends of the grace periods of Pods without a worker.
    ending: Deadlines,
    /// Pods that were bound to a node, or whose node appeared, and are not yet handled.
    arrived: Vec<Key>,
    /// Pods whose admission is deferred.
    later: Deadlines,
    /// UIDs of Pods that were bound and are not scripted, so that [`ScriptedLives`] is asked only once.
    bound: HashSet<String>,
    /// Pods with a worker that other components have changed.
    touched: BTreeSet<Key>,
    /// Pods whose node does not exist yet.
    homeless: BTreeMap<String, Vec<Key>>,
    nodes: Nodes,
    /// When each node's memory is checked next.
    looks: Deadlines,
    /// Whether kubelets write the conditions of their nodes.
    reports_nodes: bool,
    /// What processes without annotations do.
    processes: Processes,
    /// Nodes that have appeared since the last report.
    fresh_nodes: Vec<String>,
    /// The contents of the nodes' manifest folders by the key of the mirror Pod, with its name and annotations.
    manifests: BTreeMap<Key, Pod>,
    /// Deleted mirror Pods whose manifest still exists.
    lost_mirrors: BTreeSet<Key>,
}

impl Kubelet {
    pub fn new() -> Self {
        Kubelet::default()
    }

    /// When anything is due next: a Pod becomes ready, a container starts or exits, a grace period ends, or a node's
    /// memory is checked.
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

    /// What is due at [`Kubelet::next_due`], and the Pod that it concerns, if it is one for which the clock waits.
    pub fn next_kind(&self) -> (DueKind, Option<&Key>) {
        let now = self.next_due();
        let first = self.due.first().filter(|_| self.due.next() == now);
        let kinds = first.filter_map(|key| {
            let kind = self.workers.get(key)?.due_kind(now?);
            kind.is_awaited().then_some((kind, Some(key)))
        });
        kinds.max_by_key(|(kind, _)| *kind).unwrap_or_default()
    }

    /// Sets the status of a Pod that is bound now; `pod` already has its node name. A scripted Pod starts at once;
    /// others start when the kubelet has observed them.
    pub fn start(&mut self, pod: &mut Pod, lives: &mut dyn ScriptedLives, api: &ApiServer) {
        match lives.of(pod) {
            Some(life) => self.plans.start(pod, life, api),
            None => {
                self.bound.insert(uid_of(&pod.metadata).to_owned());
                set_scheduled(pod, api);
            }
        }
    }

    /// Handles Pods that have arrived at a node, and changes to Pods with a worker.
    pub fn start_arrived(&mut self, lives: &mut dyn ScriptedLives, api: &mut ApiServer) {
        self.report_nodes(api);
        self.renew_mirrors(api);
        for key in std::mem::take(&mut self.arrived) {
            if let Some(pod) = api.store().pods.get(&key).cloned() {
                self.arrive(&key, &pod, lives, api);
            }
        }
        for key in std::mem::take(&mut self.touched) {
            self.look_at(&key, api);
        }
    }

    fn arrive(
        &mut self,
        key: &Key,
        pod: &Arc<Pod>,
        lives: &mut dyn ScriptedLives,
        api: &mut ApiServer,
    ) {
        let uid = uid_of(&pod.metadata);
        let worker = self.workers.get(key);
        let has_worker = worker.is_some_and(|worker| worker.uid == uid);
        if has_worker || self.plans.has(key, uid) || pod_util::is_finished(pod) {
            return;
        }
        let is_new = !self.bound.remove(uid) && pod_util::phase_of(pod) == "Pending";
        if let Some(life) = is_new.then(|| lives.of(pod)).flatten() {
            let mut pod = (**pod).clone();
            self.plans.start(&mut pod, life, api);
            // The Pod was just read, so the update cannot conflict.
            let _ = api.update_status(&pod);
            return;
        }
        let node = pod_util::node_of(pod);
        let found = api.store().nodes.get(&Key::new("", node)).cloned();
        match found {
            Some(found) => self.admit_and_start(key, pod, &found, api),
            None => self
                .homeless
                .entry(node.to_owned())
                .or_default()
                .push(key.clone()),
        }
    }

    /// Handles a change that another component made to a Pod.
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
            // A mirror Pod is created again as soon as it is gone.
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

    /// Handles what is due now: Pods become ready, containers start and exit, and nodes short of memory evict Pods.
    pub fn act(&mut self, api: &mut ApiServer) {
        self.plans.act(&mut self.nodes, api);
        self.arrived.extend(self.later.take_due(api.now_ms()));
        let due = self.due.take_due(api.now_ms());
        for (key, _) in in_order(due, api) {
            self.work(&key, Notes::default(), api);
        }
        self.check_memory(api);
    }

    /// Advances a Pod and writes its status.
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
            if worker.reports_memory() {
                let node = worker.node.clone();
                self.note_memory(&node, now);
            }
        }
    }

    /// Removes the Pods whose grace period is over; those with finalizers fail, and stay until these are removed.
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
                // The status update has set the deadline again: the grace period ends only once.
                self.ending.set(&key, None);
            }
        }
    }
}

/// Sets the condition `PodScheduled`, as the API server does when a Pod is bound.
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
