//! Pods that are scripted as a whole: all containers start together, the Pod becomes ready at a given time, and ends
//! when all containers exit.
//!
//! Events, probes and restarts exist only for Pods that are simulated by container (`worker`).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStatus, Pod,
    PodCondition, PodStatus,
};

use super::container::KILLED;
use super::deadlines::Deadlines;
use super::nodes::Nodes;
use crate::pod_util;
use crate::server::ApiServer;
use crate::store::{Key, uid_of};
use berth_base::sort;

/// The life of a Pod, in milliseconds after its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptedLife {
    /// When it is ready; never if `None`.
    pub ready_after_ms: Option<i64>,
    /// When its containers exit, and their exit code; never if `None`.
    pub ends: Option<(i64, i32)>,
}

/// Provides the scripted lives of Pods.
pub trait ScriptedLives {
    /// The life of a Pod that arrives at its node; called once for each Pod. `None` simulates the Pod by container,
    /// from commands and annotations.
    fn of(&mut self, pod: &Pod) -> Option<ScriptedLife>;
}

/// No Pod is scripted: every Pod is simulated by container.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByContainers;

impl ScriptedLives for ByContainers {
    fn of(&mut self, _: &Pod) -> Option<ScriptedLife> {
        None
    }
}

/// The remaining life of a running Pod.
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

/// The scripted Pods.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    plans: BTreeMap<Key, Plan>,
    due: Deadlines,
}

impl Plans {
    /// Starts a Pod with this life and sets its status.
    pub fn start(&mut self, pod: &mut Pod, life: ScriptedLife, api: &ApiServer) {
        let now = api.now_ms();
        let ready = life.ready_after_ms.is_some_and(|after| after <= 0);
        pod.status = Some(running(pod, ready, api));
        let plan = Plan {
            uid: uid_of(&pod.metadata).to_owned(),
            ready_at: life
                .ready_after_ms
                .filter(|_| !ready)
                .map(|after| now.saturating_add(after)),
            ends: life
                .ends
                .map(|(after, code)| (now.saturating_add(after), code)),
        };
        let key = Key::of(&pod.metadata);
        self.due.set(&key, plan.next());
        self.plans.insert(key, plan);
    }

    /// Whether the Pod with this UID has a life.
    pub fn has(&self, key: &Key, uid: &str) -> bool {
        self.plans.get(key).is_some_and(|plan| plan.uid == uid)
    }

    /// Freezes the Pod until its grace period is over.
    pub fn hold(&mut self, key: &Key) {
        self.due.set(key, None);
    }

    /// Reschedules the Pod's overdue change to now. `false` if it has no life.
    pub fn wake(&mut self, key: &Key, now_ms: i64) -> bool {
        let next = self.plans.get(key).and_then(Plan::next);
        if next.is_some() {
            self.due.set(key, Some(now_ms));
        }
        next.is_some()
    }

    /// Forgets a deleted Pod.
    pub fn forget(&mut self, key: &Key, uid: &str) {
        if self.has(key, uid) {
            self.drop_plan(key);
        }
    }

    fn drop_plan(&mut self, key: &Key) {
        self.plans.remove(key);
        self.due.set(key, None);
    }

    pub fn next_due(&self) -> Option<i64> {
        self.due.next()
    }

    /// Makes Pods ready or ends them when they are due; those on nodes with a stopped kubelet are parked.
    pub fn act(&mut self, nodes: &mut Nodes, api: &mut ApiServer) {
        let now = api.now_ms();
        let due = self.due.take_due(now);
        for (key, pod) in in_order(due, api) {
            let Some(plan) = self.plans.get_mut(&key) else {
                continue;
            };
            if nodes.park(pod_util::node_of(&pod), &key) {
                continue;
            }
            if let Some((_, code)) = plan.ends.filter(|(at, _)| *at <= now) {
                self.drop_plan(&key);
                end(&pod, code, api);
            } else {
                plan.ready_at = None;
                let next = plan.next();
                self.due.set(&key, next);
                set_ready(&pod, true, api);
            }
        }
    }

    /// Kills a Pod at the end of its grace period.
    pub fn kill(&mut self, pod: &Arc<Pod>, api: &mut ApiServer) {
        self.drop_plan(&Key::of(&pod.metadata));
        if !pod_util::is_finished(pod) {
            end(pod, KILLED, api);
        }
    }
}

/// The Pods of these keys, oldest first.
pub(super) fn in_order(keys: Vec<Key>, api: &ApiServer) -> Vec<(Key, Arc<Pod>)> {
    let pods = keys.into_iter().filter_map(|key| {
        let pod = api.store().pods.get(&key).cloned()?;
        Some((key, pod))
    });
    let mut pods: Vec<(Key, Arc<Pod>)> = pods.collect();
    sort::sort_by(&mut pods, |(_, one), (_, other)| {
        pod_util::by_creation(one).cmp(&pod_util::by_creation(other))
    });
    pods
}

/// Sets the readiness of a Pod. No-op if it is unchanged or the Pod has finished.
pub fn set_ready(pod: &Arc<Pod>, ready: bool, api: &mut ApiServer) {
    if pod_util::is_ready(pod) == ready || pod_util::is_finished(pod) {
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
    // The Pod was just read, so the update cannot conflict.
    let _ = api.update_status(&pod);
}

/// Terminates the containers with this exit code.
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
