//! The kubelets of all nodes: Pods that have a node start, become ready, end, and are gone at the end of
//! their grace.
//!
//! What becomes of a Pod is not decided here: [`Fates`] tells it when the Pod starts. Containers are not
//! told apart yet: all of a Pod's start together, and the Pod ends when they do.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStatus, Pod,
    PodCondition, PodStatus,
};

use super::controllers::pods::{self, sort_by_creation};
use super::server::{ApiServer, finalizers, ms_of};
use super::store::{Change, Key, uid_of};

/// What becomes of a Pod from its start on, in milliseconds after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// When it is ready; never if `None`.
    pub ready_after_ms: Option<i64>,
    /// When its containers end, and their exit code; never if `None`.
    pub ends: Option<(i64, i32)>,
}

/// Whoever knows what becomes of Pods.
pub trait Fates {
    /// The fate of a Pod that starts now; asked once for each Pod.
    fn of(&mut self, pod: &Pod) -> Fate;
}

/// What is going to happen to a Pod that runs.
#[derive(Clone, Debug)]
struct Plan {
    uid: String,
    ready_at: Option<i64>,
    ends: Option<(i64, i32)>,
}

impl Plan {
    fn next(&self) -> Option<i64> {
        let ends = self.ends.map(|(at, _)| at);
        self.ready_at.into_iter().chain(ends).min()
    }
}

/// All kubelets.
#[derive(Clone, Debug)]
pub struct Kubelet {
    plans: BTreeMap<Key, Plan>,
    /// Ends of grace.
    ending: BTreeMap<Key, i64>,
    /// Pods that came with a node.
    arrived: Vec<Key>,
}

impl Kubelet {
    pub fn new() -> Self {
        Kubelet {
            plans: BTreeMap::new(),
            ending: BTreeMap::new(),
            arrived: Vec::new(),
        }
    }

    /// Notes Pods that come with a node, are to end, or are gone.
    pub fn observe(&mut self, change: &Change) {
        let Some((before, after)) = change.of::<Pod>() else {
            return;
        };
        match (before, after) {
            (None, Some(pod)) if !pods::node_of(pod).is_empty() => {
                self.arrived.push(Key::of(&pod.metadata));
            }
            (_, Some(pod)) => {
                if let Some(deletion) = &pod.metadata.deletion_timestamp {
                    self.ending.insert(Key::of(&pod.metadata), ms_of(deletion));
                }
            }
            (Some(pod), None) => {
                let key = Key::of(&pod.metadata);
                self.ending.remove(&key);
                let uid = uid_of(&pod.metadata);
                if self.plans.get(&key).is_some_and(|plan| plan.uid == uid) {
                    self.plans.remove(&key);
                }
            }
            (None, None) => {}
        }
    }

    /// When something is due next: a Pod gets ready, ends, or its grace is over.
    pub fn next_due(&self) -> Option<i64> {
        let plans = self.plans.iter();
        let plans = plans.filter(|(key, _)| !self.ending.contains_key(key));
        let plans = plans.filter_map(|(_, plan)| plan.next());
        plans.chain(self.ending.values().copied()).min()
    }

    /// The status of a Pod that starts now on its node; `pod` has the node already.
    pub fn start(&mut self, pod: &mut Pod, fates: &mut dyn Fates, api: &ApiServer) {
        let now = api.now_ms();
        let fate = fates.of(pod);
        let ready = fate.ready_after_ms.is_some_and(|after| after <= 0);
        pod.status = Some(running(pod, ready, api));
        let plan = Plan {
            uid: uid_of(&pod.metadata).to_owned(),
            ready_at: fate
                .ready_after_ms
                .filter(|_| !ready)
                .map(|after| now + after),
            ends: fate.ends.map(|(after, code)| (now + after, code)),
        };
        self.plans.insert(Key::of(&pod.metadata), plan);
    }

    /// Starts the Pods that came with a node.
    pub fn start_arrived(&mut self, fates: &mut dyn Fates, api: &mut ApiServer) {
        for key in std::mem::take(&mut self.arrived) {
            let Some(pod) = api.store().pods.get(&key).cloned() else {
                continue;
            };
            if pods::phase_of(&pod) == "Pending" {
                let mut pod = (*pod).clone();
                self.start(&mut pod, fates, api);
                // It was read a moment ago.
                let _ = api.update_status(&pod);
            }
        }
    }

    /// Lets Pods get ready or end whose time has come. Pods that are to be deleted stay as they are.
    pub fn act(&mut self, api: &mut ApiServer) {
        let now = api.now_ms();
        let due = self.plans.iter().filter(|(key, plan)| {
            !self.ending.contains_key(key) && plan.next().is_some_and(|at| at <= now)
        });
        for pod in in_order(due.map(|(key, _)| key), api) {
            let key = Key::of(&pod.metadata);
            let Some(plan) = self.plans.get_mut(&key) else {
                continue;
            };
            if let Some((_, code)) = plan.ends.filter(|(at, _)| *at <= now) {
                self.plans.remove(&key);
                end(&pod, code, api);
            } else {
                plan.ready_at = None;
                set_ready(&pod, true, api);
            }
        }
    }

    /// Ends the Pods whose grace is over; those with finalizers have failed, and wait for these.
    pub fn end_graces(&mut self, api: &mut ApiServer) {
        let now = api.now_ms();
        let over = self.ending.iter().filter(|(_, at)| **at <= now);
        for pod in in_order(over.map(|(key, _)| key), api) {
            let key = Key::of(&pod.metadata);
            self.ending.remove(&key);
            self.plans.remove(&key);
            if finalizers(&pod.metadata).is_empty() {
                api.erase::<Pod>(&key);
            } else if !pods::is_finished(&pod) {
                end(&pod, KILLED, api);
                // Noted again by its own change: the grace is over for good.
                self.ending.remove(&key);
            }
        }
    }
}

/// The Pods of these keys, oldest first.
fn in_order<'a>(keys: impl Iterator<Item = &'a Key>, api: &ApiServer) -> Vec<Arc<Pod>> {
    let pods = keys.filter_map(|key| api.store().pods.get(key).cloned());
    let mut pods: Vec<Arc<Pod>> = pods.collect();
    sort_by_creation(&mut pods);
    pods
}

impl Default for Kubelet {
    fn default() -> Self {
        Kubelet::new()
    }
}

/// The exit code of a container that was killed.
const KILLED: i32 = 137;

/// Changes whether a Pod is ready. Nothing happens if it is so already.
pub fn set_ready(pod: &Arc<Pod>, ready: bool, api: &mut ApiServer) {
    if pods::is_ready(pod) == ready || pods::is_finished(pod) {
        return;
    }
    let mut pod = (**pod).clone();
    let now = api.now();
    if let Some(status) = &mut pod.status {
        for container in status.container_statuses.iter_mut().flatten() {
            container.ready = ready;
        }
        for condition in status.conditions.iter_mut().flatten() {
            if matches!(condition.type_.as_str(), "Ready" | "ContainersReady") {
                condition.status = if ready { "True" } else { "False" }.to_owned();
                condition.last_transition_time = Some(now.clone());
            }
        }
    }
    // It was read a moment ago.
    let _ = api.update_status(&pod);
}

/// The containers end with this exit code.
fn end(pod: &Arc<Pod>, code: i32, api: &mut ApiServer) {
    let mut pod = (**pod).clone();
    let now = api.now();
    let status = pod.status.get_or_insert_default();
    let phase = if code == 0 { "Succeeded" } else { "Failed" };
    status.phase = Some(phase.to_owned());
    let reason = if code == 0 { "Completed" } else { "Error" };
    for container in status.container_statuses.iter_mut().flatten() {
        let started = container
            .state
            .as_ref()
            .and_then(|state| state.running.as_ref());
        let started = started.and_then(|running| running.started_at.clone());
        container.ready = false;
        container.state = Some(ContainerState {
            terminated: Some(ContainerStateTerminated {
                exit_code: code,
                reason: Some(reason.to_owned()),
                started_at: started,
                finished_at: Some(now.clone()),
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        });
    }
    for condition in status.conditions.iter_mut().flatten() {
        if matches!(condition.type_.as_str(), "Ready" | "ContainersReady")
            && condition.status != "False"
        {
            condition.status = "False".to_owned();
            condition.last_transition_time = Some(now.clone());
        }
    }
    let _ = api.update_status(&pod);
}

fn running(pod: &Pod, ready: bool, api: &ApiServer) -> PodStatus {
    let now = api.now();
    let condition = |kind: &str, is_so: bool| PodCondition {
        type_: kind.to_owned(),
        status: if is_so { "True" } else { "False" }.to_owned(),
        last_transition_time: Some(now.clone()),
        ..PodCondition::default()
    };
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let statuses = containers.map(|container| ContainerStatus {
        name: container.name.clone(),
        image: container.image.clone().unwrap_or_default(),
        ready,
        started: Some(true),
        state: Some(ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(now.clone()),
            }),
            ..ContainerState::default()
        }),
        ..ContainerStatus::default()
    });
    PodStatus {
        phase: Some("Running".to_owned()),
        conditions: Some(vec![
            condition("Initialized", true),
            condition("Ready", ready),
            condition("ContainersReady", ready),
            condition("PodScheduled", true),
        ]),
        start_time: Some(now.clone()),
        container_statuses: Some(statuses.collect()),
        ..PodStatus::default()
    }
}
