//! A Pod on its node: the state that its kubelet keeps, and its actions.
//!
//! Mirrors the order of `computePodActions` (`pkg/kubelet/kuberuntime` v1.34): init containers start one after the
//! other, with a sidecar counting as done once it has started, then all main containers. When these are done,
//! sidecars stop in reverse order.

mod ending;
mod ports;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container as Spec, Pod, PodSpec};

use super::behavior::Known;
use super::container::{Container, Role, State};
use super::images::Images;
use super::notes::Notes;
use crate::store::{name_of, namespace_of, uid_of};
use berth_protocol::due::DueKind;
use berth_scheduler::cluster::resources::{Resources, SumOptions, pod_requests};
use berth_scheduler::cluster::spec::HostPort;

/// How long it takes to set up a Pod's sandbox: network and volumes.
const SANDBOX_MS: i64 = 1_000;
/// The maximum number of steps at one instant; each container changes only a few times.
const MAX_STEPS: usize = 10_000;

/// The Pod's restart policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Always,
    OnFailure,
    Never,
}

/// The stage of a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its sandbox is being set up.
    Starting { until: i64 },
    /// Its containers start, exit and restart.
    Up,
    /// Its containers are being stopped for good.
    Ending,
    /// No container runs, and none will.
    Ended,
}

/// The Pod with its containers.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub uid: String,
    pub node: String,
    /// `name_namespace(uid)`, as in messages.
    pub title: String,
    pub stage: Stage,
    /// Init containers in order, then main ones, then ephemeral ones.
    pub containers: Vec<Container>,
    pub policy: Policy,
    pub start_ms: i64,
    pub pod_ip: String,
    images: Arc<Images>,
    pub host_ip: String,
    pub requests: Resources,
    pub ports: Vec<HostPort>,
    pub qos_class: &'static str,
    /// All init containers have completed, and all sidecars have started.
    pub initialized: bool,
    /// Reason and message of a Pod that is made to fail.
    pub failure: Option<(&'static str, String)>,
    /// The message of the condition `DisruptionTarget`, if it is evicted or preempted.
    pub disruption: Option<String>,
    /// When `activeDeadlineSeconds` is exceeded.
    pub deadline: Option<i64>,
    /// When its grace period is over, if it is being deleted.
    pub deleted_by: Option<i64>,
    /// The resource version that the kubelet wrote last.
    pub written: String,
    known: Known,
}

impl Worker {
    /// A Pod that has just arrived at its node.
    pub fn new(
        pod: &Pod,
        known: Known,
        (pod_ip, host_ip): (String, String),
        images: Images,
        now: i64,
        notes: &mut Notes,
    ) -> Self {
        let images = Arc::new(images);
        let empty = PodSpec::default();
        let spec = pod.spec.as_ref().unwrap_or(&empty);
        let mut problems = Vec::new();
        let mut containers = Vec::new();
        for own in spec.init_containers.iter().flatten() {
            let stays = own.restart_policy.as_deref() == Some("Always");
            let role = if stays { Role::Sidecar } else { Role::Init };
            containers.push(Container::new(
                pod,
                own,
                role,
                known,
                (&pod_ip, &images),
                &mut problems,
            ));
        }
        for own in &spec.containers {
            containers.push(Container::new(
                pod,
                own,
                Role::Main,
                known,
                (&pod_ip, &images),
                &mut problems,
            ));
        }
        problems.dedup();
        for problem in problems {
            notes.warning("InvalidAnnotation", problem);
        }
        let meta = &pod.metadata;
        let uid = uid_of(meta).to_owned();
        let mut worker = Worker {
            title: format!("{}_{}({uid})", name_of(meta), namespace_of(meta)),
            uid,
            node: spec.node_name.clone().unwrap_or_default(),
            stage: Stage::Starting {
                until: now.saturating_add(SANDBOX_MS),
            },
            containers,
            policy: match spec.restart_policy.as_deref() {
                Some("Never") => Policy::Never,
                Some("OnFailure") => Policy::OnFailure,
                _ => Policy::Always,
            },
            start_ms: now,
            pod_ip,
            images,
            host_ip,
            requests: pod_requests(spec, SumOptions::default()),
            ports: ports::host_ports(spec),
            qos_class: super::qos::class_of(spec),
            initialized: false,
            failure: None,
            disruption: None,
            deadline: deadline(spec, now),
            deleted_by: None,
            written: String::new(),
            known,
        };
        worker.add_ephemeral(pod);
        worker
    }

    /// Adds new ephemeral containers of the Pod.
    fn add_ephemeral(&mut self, pod: &Pod) {
        let ephemeral = pod
            .spec
            .iter()
            .flat_map(|spec| spec.ephemeral_containers.iter().flatten());
        for own in ephemeral {
            if self.containers.iter().any(|known| known.name == own.name) {
                continue;
            }
            let spec = Spec {
                name: own.name.clone(),
                image: own.image.clone(),
                image_pull_policy: own.image_pull_policy.clone(),
                command: own.command.clone(),
                args: own.args.clone(),
                stdin: own.stdin,
                tty: own.tty,
                ..Spec::default()
            };
            let made = Container::new(
                pod,
                &spec,
                Role::Ephemeral,
                self.known,
                (&self.pod_ip, &self.images),
                &mut Vec::new(),
            );
            self.containers.push(made);
        }
    }

    /// Applies changes to the Pod: annotations, images, ephemeral containers.
    pub fn update(&mut self, pod: &Pod, now: i64, notes: &mut Notes) {
        let mut problems = Vec::new();
        let spec = pod.spec.iter();
        let specs = spec.flat_map(|spec| {
            spec.init_containers
                .iter()
                .flatten()
                .chain(&spec.containers)
        });
        for spec in specs {
            let Some(own) = self.containers.iter_mut().find(|own| own.name == spec.name) else {
                continue;
            };
            let image = spec.image.as_deref().unwrap_or_default();
            own.set_behavior(
                super::behavior::of(pod, spec, self.known, &mut problems),
                now,
            );
            if own.image != image {
                image.clone_into(&mut own.image);
                if own.is_running() && own.role != Role::Init {
                    let name = &own.name;
                    notes.normal(
                        "Killing",
                        format!("Container {name} definition changed, will be restarted"),
                    );
                    own.restart_anyway = true;
                    own.stop(now, own.grace_ms, notes);
                    own.ready = false;
                }
            }
        }
        for problem in problems {
            notes.warning("InvalidAnnotation", problem);
        }
        self.add_ephemeral(pod);
        // The deadline may be set or shortened later.
        let spec = pod.spec.as_ref();
        self.deadline = spec.and_then(|spec| deadline(spec, self.start_ms));
    }

    /// Whether the container restarts once it has terminated.
    pub fn restarts(&self, container: &Container) -> bool {
        if !matches!(self.stage, Stage::Up) {
            return false;
        }
        let failed = container.exit().is_some_and(|exit| exit.code != 0);
        match container.role {
            Role::Ephemeral => false,
            Role::Sidecar => true,
            // A container that has never terminated is not done.
            _ if container.exit().is_none() => true,
            Role::Init => failed && self.policy != Policy::Never,
            Role::Main => match self.policy {
                Policy::Always => true,
                Policy::OnFailure => failed || container.restart_anyway,
                // A changed definition restarts the container under any restart policy.
                Policy::Never => container.restart_anyway,
            },
        }
    }

    /// Performs all that is due, in order.
    pub fn advance(&mut self, now: i64, notes: &mut Notes) {
        for _ in 0..MAX_STEPS {
            if !self.step(now, notes) {
                return;
            }
        }
    }

    fn step(&mut self, now: i64, notes: &mut Notes) -> bool {
        match self.stage {
            Stage::Ended => return false,
            Stage::Starting { until } if until <= now => {
                self.stage = Stage::Up;
                return true;
            }
            Stage::Starting { .. } => return false,
            Stage::Up | Stage::Ending => {}
        }
        if self.deadline.is_some_and(|at| at <= now) && self.stage == Stage::Up {
            self.exceed_deadline(now, notes);
            return true;
        }
        let mut worked = false;
        for index in 0..self.containers.len() {
            let Some(container) = self.containers.get(index) else {
                continue;
            };
            let restarts = container.role == Role::Sidecar || self.policy != Policy::Never;
            if let Some(container) = self.containers.get_mut(index) {
                worked |= container.tick(&self.uid, now, restarts, notes);
            }
        }
        if self.stage == Stage::Up {
            worked |= self.start_what_is_next(now, notes);
            worked |= self.finish(now, notes);
        }
        let runs = self.containers.iter().any(Container::is_running);
        if self.stage == Stage::Ending && !runs {
            self.stage = Stage::Ended;
            worked = true;
        }
        worked
    }

    /// Starts the containers that are due to start or restart.
    fn start_what_is_next(&mut self, now: i64, notes: &mut Notes) -> bool {
        let mut worked = false;
        for index in 0..self.containers.len() {
            let Some(role) = self.containers.get(index).map(|own| own.role) else {
                continue;
            };
            if matches!(role, Role::Main) && !self.initialized {
                self.initialized = true;
                worked = true;
            }
            if role == Role::Init && self.initialized {
                continue;
            }
            worked |= self.start(index, now, notes);
            let done = self
                .containers
                .get(index)
                .is_some_and(|own| self.is_done(own));
            if !done {
                return worked;
            }
        }
        worked
    }

    /// Starts a container if it has not started yet, or restarts it if it is due.
    fn start(&mut self, index: usize, now: i64, notes: &mut Notes) -> bool {
        let Some(container) = self.containers.get(index) else {
            return false;
        };
        let restarts = self.restarts(container);
        let Some(container) = self.containers.get_mut(index) else {
            return false;
        };
        if container.state == State::Idle {
            container.begin(&self.uid, now, notes);
            return true;
        }
        restarts && container.start_again(&self.uid, &self.title, now, notes)
    }

    /// When the worker next needs attention.
    pub fn next_due(&self) -> Option<i64> {
        match self.stage {
            Stage::Ended => return None,
            Stage::Starting { until } => return Some(until),
            Stage::Up | Stage::Ending => {}
        }
        let mut next = self.deadline.filter(|_| self.stage == Stage::Up);
        // Containers after one that is not done cannot start, whatever their own deadlines.
        let mut blocked = self.stage == Stage::Ending;
        for own in &self.containers {
            let moves = matches!(own.state, State::Running(_) | State::Pulling { .. });
            let past = own.role == Role::Init && self.initialized;
            if moves || !(blocked || past) {
                let due = own.next_due(self.restarts(own));
                next = next.into_iter().chain(due).min();
            }
            blocked |= !self.is_done(own);
        }
        next
    }

    /// What is due at the time of [`Worker::next_due`].
    pub fn due_kind(&self, at_ms: i64) -> DueKind {
        if self.stage == Stage::Up && self.deadline == Some(at_ms) {
            return DueKind::Deadline;
        }
        let backs_off = |own: &Container| match &own.state {
            State::Held { reason, until, .. } => *until == at_ms && *reason != "ErrImagePull",
            _ => false,
        };
        match self.stage == Stage::Up && self.containers.iter().any(backs_off) {
            true => DueKind::Backoff,
            false => DueKind::Work,
        }
    }

    /// Whether the containers after this one may start.
    fn is_done(&self, own: &Container) -> bool {
        match own.role {
            Role::Init => {
                let exit = own.exit().filter(|_| matches!(own.state, State::Ended(_)));
                self.initialized || exit.is_some_and(|exit| exit.code == 0)
            }
            Role::Sidecar => self.initialized || own.started,
            // The kubelet starts the next container when the hook of this one has ended.
            Role::Main | Role::Ephemeral => !own.holds_up_others(),
        }
    }
}

/// When a Pod exceeds `activeDeadlineSeconds`.
fn deadline(spec: &PodSpec, start_ms: i64) -> Option<i64> {
    let seconds = spec.active_deadline_seconds?;
    Some(start_ms.saturating_add(seconds.saturating_mul(1_000)))
}
