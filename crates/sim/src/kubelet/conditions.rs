//! The Pod conditions that the kubelet writes (`pkg/kubelet/status/generate.go` v1.34).

use k8s_openapi::api::core::v1::{Pod, PodCondition};

use super::container::{Container, Role, State};
use super::worker::{Stage, Worker};
use crate::server::time_at;

/// The content of a condition.
struct Content {
    kind: &'static str,
    holds: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}

impl Content {
    fn new(kind: &'static str, holds: bool) -> Self {
        Content {
            kind,
            holds,
            reason: None,
            message: None,
        }
    }

    fn because(kind: &'static str, reason: &'static str, message: Option<String>) -> Self {
        Content {
            kind,
            holds: false,
            reason: Some(reason),
            message,
        }
    }
}

/// The kubelet's conditions of a Pod in this phase, followed by the unchanged conditions of other writers.
pub(super) fn of(worker: &Worker, pod: &Pod, phase: &str, now_ms: i64) -> Vec<PodCondition> {
    let before = pod.status.as_ref();
    let before = before.and_then(|status| status.conditions.as_deref());
    let before = before.unwrap_or_default();
    let containers_ready = containers_ready(worker, phase);
    let ready = ready(&containers_ready, pod, before, phase);
    let mut own = vec![
        Content::new(
            "PodReadyToStartContainers",
            !matches!(worker.stage, Stage::Starting { .. } | Stage::Ended),
        ),
        initialized(worker, phase),
        ready,
        containers_ready,
        Content::new("PodScheduled", true),
    ];
    if let Some(why) = &worker.disruption {
        own.push(Content {
            kind: "DisruptionTarget",
            holds: true,
            reason: Some("TerminationByKubelet"),
            message: Some(why.clone()),
        });
    }
    let generation = pod.metadata.generation;
    let mut all: Vec<PodCondition> = own
        .into_iter()
        .map(|content| written(content, before, generation, now_ms))
        .collect();
    let own = all.len();
    for old in before {
        let is_own = |new: &PodCondition| new.type_ == old.type_;
        if !all.iter().take(own).any(is_own) {
            all.push(old.clone());
        }
    }
    all
}

fn written(
    content: Content,
    before: &[PodCondition],
    generation: Option<i64>,
    now_ms: i64,
) -> PodCondition {
    let status = if content.holds { "True" } else { "False" };
    let old = before
        .iter()
        .find(|old| old.type_ == content.kind && old.status == status);
    let since = old.and_then(|old| old.last_transition_time.clone());
    PodCondition {
        type_: content.kind.to_owned(),
        status: status.to_owned(),
        reason: content.reason.map(str::to_owned),
        message: content.message,
        last_transition_time: since.or_else(|| Some(time_at(now_ms))),
        observed_generation: generation,
        ..PodCondition::default()
    }
}

fn listed<'a>(own: impl Iterator<Item = &'a Container>) -> Option<String> {
    let names: Vec<&str> = own.map(|own| own.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("[{}]", names.join(" ")))
}

fn initialized(worker: &Worker, phase: &str) -> Content {
    const KIND: &str = "Initialized";
    if phase == "Succeeded" {
        return Content {
            reason: Some("PodCompleted"),
            ..Content::new(KIND, true)
        };
    }
    if worker.initialized {
        return Content::new(KIND, true);
    }
    let incomplete = worker.containers.iter().filter(|own| match own.role {
        Role::Init => !matches!(&own.state, State::Ended(exit) if exit.code == 0),
        Role::Sidecar => !own.started,
        _ => false,
    });
    match listed(incomplete) {
        Some(names) => {
            let message = format!("containers with incomplete status: {names}");
            Content::because(KIND, "ContainersNotInitialized", Some(message))
        }
        None => Content::new(KIND, true),
    }
}

fn containers_ready(worker: &Worker, phase: &str) -> Content {
    const KIND: &str = "ContainersReady";
    if let Some(reason) = of_finished(phase) {
        return Content::because(KIND, reason, None);
    }
    let unready = worker.containers.iter().filter(|own| match own.role {
        Role::Main | Role::Sidecar => !(own.is_running() && own.ready),
        Role::Init | Role::Ephemeral => false,
    });
    match listed(unready) {
        Some(names) => {
            let message = format!("containers with unready status: {names}");
            Content::because(KIND, "ContainersNotReady", Some(message))
        }
        None => Content::new(KIND, true),
    }
}

/// A Pod is ready if its containers are and the conditions of its readiness gates are true.
fn ready(containers: &Content, pod: &Pod, before: &[PodCondition], phase: &str) -> Content {
    const KIND: &str = "Ready";
    if let Some(reason) = of_finished(phase) {
        return Content::because(KIND, reason, None);
    }
    if !containers.holds {
        return Content::because(KIND, "ContainersNotReady", containers.message.clone());
    }
    let gates = pod
        .spec
        .iter()
        .flat_map(|spec| spec.readiness_gates.iter().flatten());
    let closed: Vec<String> = gates
        .filter_map(|gate| {
            let kind = &gate.condition_type;
            match before.iter().find(|own| own.type_ == *kind) {
                None => Some(format!(
                    "corresponding condition of pod readiness gate {kind:?} does not exist."
                )),
                Some(own) if own.status != "True" => Some(format!(
                    "the status of pod readiness gate {kind:?} is not \"True\", but {}",
                    own.status
                )),
                Some(_) => None,
            }
        })
        .collect();
    if closed.is_empty() {
        Content::new(KIND, true)
    } else {
        Content::because(KIND, "ReadinessGatesNotReady", Some(closed.join(", ")))
    }
}

fn of_finished(phase: &str) -> Option<&'static str> {
    match phase {
        "Succeeded" => Some("PodCompleted"),
        "Failed" => Some("PodFailed"),
        _ => None,
    }
}
