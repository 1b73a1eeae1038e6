//! The Pod status that the kubelet writes.
//!
//! Mirrors `generateAPIPodStatus` and `getPhase` (`pkg/kubelet/kubelet_pods.go`) and `pkg/kubelet/status` v1.34.

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, HostIP, Pod, PodIP, PodStatus,
};

use super::conditions;
use super::container::{Container, Exit, Role, State};
use super::identity::{image_id, normalized};
use super::worker::{Policy, Stage, Worker};
use crate::server::time_at;

/// The status of a Pod according to its worker. Conditions of other writers are kept.
pub(super) fn of(worker: &Worker, pod: &Pod, now_ms: i64) -> PodStatus {
    let empty = PodStatus::default();
    let before = pod.status.as_ref().unwrap_or(&empty);
    let (pod_ip, pod_ips) = if matches!(worker.stage, Stage::Starting { .. }) {
        (before.pod_ip.clone(), before.pod_ips.clone())
    } else {
        let ip = worker.pod_ip.clone();
        (Some(ip.clone()), Some(vec![PodIP { ip }]))
    };
    let (reason, message) = match &worker.failure {
        Some((reason, message)) => (Some((*reason).to_owned()), Some(message.clone())),
        None => (before.reason.clone(), before.message.clone()),
    };
    let of_roles = |roles: &[Role]| {
        let own = worker
            .containers
            .iter()
            .filter(|own| roles.contains(&own.role));
        let granted = own.map(|own| with_resources(container(own, worker), before));
        let all: Vec<ContainerStatus> = granted.collect();
        (!all.is_empty()).then_some(all)
    };
    let phase = phase(worker);
    PodStatus {
        phase: Some(phase.to_owned()),
        qos_class: Some(worker.qos_class.to_owned()),
        start_time: Some(time_at(worker.start_ms)),
        observed_generation: pod.metadata.generation,
        host_ip: Some(worker.host_ip.clone()),
        host_ips: Some(vec![HostIP {
            ip: worker.host_ip.clone(),
        }]),
        pod_ip,
        pod_ips,
        reason,
        message,
        init_container_statuses: of_roles(&[Role::Init, Role::Sidecar]),
        container_statuses: of_roles(&[Role::Main]),
        ephemeral_container_statuses: of_roles(&[Role::Ephemeral]),
        conditions: Some(conditions::of(worker, pod, phase, now_ms)),
        nominated_node_name: before.nominated_node_name.clone(),
        extended_resource_claim_status: before.extended_resource_claim_status.clone(),
        resize: before.resize.clone(),
        allocated_resources: before.allocated_resources.clone(),
        resources: before.resources.clone(),
        node_allocatable_resource_claim_statuses: before
            .node_allocatable_resource_claim_statuses
            .clone(),
        resource_claim_statuses: before.resource_claim_statuses.clone(),
    }
}

/// Numbers of containers by state.
#[derive(Default)]
struct Counts {
    running: usize,
    stopped: usize,
    succeeded: usize,
    waiting: usize,
}

/// The phase of a Pod (`getPhase`).
pub(super) fn phase(worker: &Worker) -> &'static str {
    let has_ended = worker.stage == Stage::Ended;
    if has_ended && worker.failure.is_some() {
        return "Failed";
    }
    let failed_init = worker.containers.iter().any(|own| {
        own.role == Role::Init && own.exit().is_some_and(|exit| exit.code != 0) && !own.is_running()
    });
    if failed_init && worker.policy == Policy::Never {
        return if has_ended { "Failed" } else { "Pending" };
    }
    if !worker.initialized {
        return if has_ended { "Failed" } else { "Pending" };
    }
    let mut counts = Counts::default();
    for own in worker
        .containers
        .iter()
        .filter(|own| own.role == Role::Main)
    {
        match (&own.state, own.exit()) {
            (State::Running(_), _) if !own.is_hooked() => counts.running += 1,
            (State::Running(_), _) if own.last.is_some() => counts.stopped += 1,
            // It is about to restart and counts as running: a finished Pod never runs again.
            (State::Ended(_), _) if worker.restarts(own) && own.restart_anyway => {
                counts.running += 1;
            }
            (State::Ended(exit), _) => {
                counts.stopped += 1;
                counts.succeeded += usize::from(exit.code == 0);
            }
            (_, Some(_)) => counts.stopped += 1,
            (_, None) => counts.waiting += 1,
        }
    }
    // Running sidecars keep the Pod running; their exit codes do not count.
    let sidecars = worker
        .containers
        .iter()
        .filter(|own| own.role == Role::Sidecar);
    counts.running += sidecars.filter(|own| own.is_running()).count();
    match counts {
        Counts { waiting, .. } if waiting > 0 => {
            if has_ended {
                "Failed"
            } else {
                "Pending"
            }
        }
        Counts { running, .. } if running > 0 => "Running",
        Counts {
            stopped, succeeded, ..
        } if has_ended => {
            if stopped == succeeded {
                "Succeeded"
            } else {
                "Failed"
            }
        }
        // All containers are about to restart.
        _ if worker.policy == Policy::Always => "Running",
        Counts {
            stopped, succeeded, ..
        } if stopped == succeeded => "Succeeded",
        _ if worker.policy == Policy::Never => "Failed",
        _ => "Running",
    }
}

/// The status of one container.
fn container(own: &Container, worker: &Worker) -> ContainerStatus {
    let state = state_of(own, worker);
    let has_run = own.is_running() || own.exit().is_some();
    let id = match &own.state {
        State::Running(running) if !own.is_hooked() => Some(running.id.clone()),
        _ => own.exit().map(|exit| exit.id.clone()),
    };
    let is_done = matches!(&own.state, State::Ended(exit) if exit.code == 0);
    ContainerStatus {
        name: own.name.clone(),
        image: if has_run {
            normalized(&own.image)
        } else {
            own.image.clone()
        },
        image_id: if has_run {
            image_id(&own.image)
        } else {
            String::new()
        },
        container_id: id,
        last_state: own.last.as_ref().map(terminated),
        ready: if own.role == Role::Init {
            is_done
        } else {
            own.is_running() && own.ready
        },
        restart_count: own.restarts,
        started: Some(own.role != Role::Init && own.is_running() && own.started),
        state: Some(state),
        ..ContainerStatus::default()
    }
}

/// Keeps what a dump says about the container's resources: resizes are not simulated.
fn with_resources(status: ContainerStatus, before: &PodStatus) -> ContainerStatus {
    let lists = [&before.container_statuses, &before.init_container_statuses];
    let mut known = lists.into_iter().flatten().flatten();
    let Some(known) = known.find(|known| known.name == status.name) else {
        return status;
    };
    ContainerStatus {
        resources: known.resources.clone(),
        allocated_resources: known.allocated_resources.clone(),
        ..status
    }
}

fn state_of(own: &Container, worker: &Worker) -> ContainerState {
    let waiting = |reason: &str, message: Option<&String>| ContainerState {
        waiting: Some(ContainerStateWaiting {
            reason: Some(reason.to_owned()),
            message: message.cloned(),
        }),
        ..ContainerState::default()
    };
    match &own.state {
        State::Running(running) if !own.is_hooked() => ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(time_at(running.since)),
            }),
            ..ContainerState::default()
        },
        State::Ended(exit) => terminated(exit),
        State::Held {
            reason, message, ..
        } => waiting(reason, Some(message)),
        State::Idle | State::Pulling { .. } | State::Running(_) => {
            let has_init = worker
                .containers
                .iter()
                .any(|own| matches!(own.role, Role::Init | Role::Sidecar));
            let reason = if has_init {
                "PodInitializing"
            } else {
                "ContainerCreating"
            };
            waiting(reason, None)
        }
    }
}

fn terminated(exit: &Exit) -> ContainerState {
    ContainerState {
        terminated: Some(ContainerStateTerminated {
            exit_code: exit.code,
            reason: Some(exit.reason.to_owned()),
            started_at: Some(time_at(exit.started_ms)),
            finished_at: Some(time_at(exit.finished_ms)),
            container_id: Some(exit.id.clone()),
            ..ContainerStateTerminated::default()
        }),
        ..ContainerState::default()
    }
}
