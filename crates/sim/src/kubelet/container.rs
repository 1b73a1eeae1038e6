//! One container on its node: it is pulled (`image`), runs its hooks (`hooks`), is probed (`probing`), exits and
//! restarts (`restart`).

mod hooks;
mod image;
mod probing;
mod restart;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container as Spec, Pod};

use super::backoff::Backoff;
use super::behavior::{self, Behavior, Hook, Known};
use super::identity::container_id;
use super::images::Images;
use super::memory::{limit_of, request_of};
use super::notes::Notes;
use super::probes::{ProbeRun, Question};

/// The exit code of a container that was killed.
pub(super) const KILLED: i32 = 137;

/// How long the kubelet takes to notice that a container has exited (the PLEG's relist period).
pub(super) const NOTICE_MS: i64 = 1_000;
/// The earliest OOM kill after a process starts.
const OOM_MS: i64 = 1_000;

/// The role of a container in its Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An init container, which must succeed before the next may start.
    Init,
    /// A restartable init container (`restartPolicy: Always`).
    Sidecar,
    Main,
    Ephemeral,
}

/// How a container terminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    pub code: i32,
    pub reason: &'static str,
    pub started_ms: i64,
    pub finished_ms: i64,
    pub id: String,
}

/// What a container is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has not started yet.
    Idle,
    /// Its image is being pulled.
    Pulling {
        until: i64,
    },
    /// It cannot start now (`ErrImagePull`, `ImagePullBackOff`, `CrashLoopBackOff`).
    Held {
        reason: &'static str,
        message: String,
        until: i64,
    },
    Running(Running),
    Ended(Exit),
}

/// A running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Running {
    pub since: i64,
    /// When it exits, its exit code and the reason.
    pub ends: Option<(i64, i32, &'static str)>,
    /// It is being stopped: probes and behavior changes no longer apply.
    pub stopping: bool,
    /// When its `postStart` hook ends. Until then the container counts as being created, and is not probed.
    pub hook_ends: Option<i64>,
    pub id: String,
}

/// A container with the state that the kubelet keeps for it.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub name: String,
    pub image: String,
    images: Arc<Images>,
    pub role: Role,
    pub behavior: Behavior,
    pub state: State,
    pub last: Option<Exit>,
    pub restarts: i32,
    /// The startup probe has succeeded, or there is none.
    pub started: bool,
    pub ready: bool,
    /// It restarts whatever its exit code: a probe failed or its definition changed.
    pub restart_anyway: bool,
    pub probes: Vec<ProbeRun>,
    post_start: Hook,
    pre_stop: Hook,
    /// Its grace period, in milliseconds.
    pub grace_ms: i64,
    pub memory_limit: Option<i64>,
    pub memory_request: i64,
    always_pulls: bool,
    never_pulls: bool,
    starts: usize,
    crash: Backoff,
    pull: Backoff,
}

impl Container {
    pub fn new(
        pod: &Pod,
        spec: &Spec,
        role: Role,
        known: Known,
        (pod_ip, images): (&str, &Arc<Images>),
        problems: &mut Vec<String>,
    ) -> Self {
        let behavior = behavior::of(pod, spec, known, problems);
        let hooks = spec.lifecycle.as_ref();
        let mut probes = Vec::new();
        let all = [
            (Question::Startup, &spec.startup_probe),
            (Question::Liveness, &spec.liveness_probe),
            (Question::Readiness, &spec.readiness_probe),
        ];
        for (question, probe) in all {
            probes.extend(
                probe
                    .as_ref()
                    .map(|probe| ProbeRun::new(question, probe, pod_ip)),
            );
        }
        if behavior.sets_readiness && spec.readiness_probe.is_none() {
            probes.push(ProbeRun::annotated());
        }
        let policy = spec.image_pull_policy.as_deref();
        Container {
            name: spec.name.clone(),
            image: spec.image.clone().unwrap_or_default(),
            images: Arc::clone(images),
            role,
            behavior,
            state: State::Idle,
            last: None,
            restarts: 0,
            started: false,
            ready: false,
            restart_anyway: false,
            probes,
            post_start: behavior::hook_of(hooks.and_then(|own| own.post_start.as_ref())),
            pre_stop: behavior::hook_of(hooks.and_then(|own| own.pre_stop.as_ref())),
            grace_ms: grace_ms(pod),
            memory_limit: limit_of(pod, spec),
            memory_request: request_of(spec),
            always_pulls: policy == Some("Always"),
            never_pulls: policy == Some("Never"),
            starts: 0,
            crash: Backoff::default(),
            pull: Backoff::default(),
        }
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    /// The last exit of a terminated container, also while it waits for its restart.
    pub fn exit(&self) -> Option<&Exit> {
        match &self.state {
            State::Ended(exit) => Some(exit),
            State::Held { .. } | State::Pulling { .. } => self.last.as_ref(),
            _ => None,
        }
    }

    /// Starts the process.
    fn run(&mut self, uid: &str, now: i64, notes: &mut Notes) {
        if let State::Ended(exit) = &self.state {
            self.last = Some(exit.clone());
        }
        if self.starts > 0 {
            self.restarts = self.restarts.saturating_add(1);
        }
        notes.normal("Created", format!("Created container: {}", self.name));
        notes.normal("Started", format!("Started container {}", self.name));
        let id = container_id(uid, &self.name, self.starts);
        self.state = State::Running(Running {
            since: now,
            ends: None,
            stopping: false,
            hook_ends: None,
            id,
        });
        self.starts += 1;
        self.restart_anyway = false;
        self.pull = Backoff::default();
        if self.post_start == Hook::default() {
            self.arm(now, now);
        } else {
            self.begin_hook(now);
        }
    }

    /// Adopts a process that was already running when the Pod appeared.
    pub fn adopt(&mut self, since: i64, id: String, restarts: i32, ready: bool, now: i64) {
        self.restarts = restarts;
        self.starts = usize::try_from(restarts).unwrap_or(0) + 1;
        self.state = State::Running(Running {
            since,
            ends: None,
            stopping: false,
            hook_ends: None,
            id,
        });
        self.arm(now, now);
        self.started = true;
        self.ready = ready;
        for probe in &mut self.probes {
            probe.resume(ready, now);
        }
    }

    /// Sets up the exit and the probes of a process that has run since `since`.
    fn arm(&mut self, since: i64, now: i64) {
        self.set_end(since, now);
        let has = |question| self.probes.iter().any(|probe| probe.question == question);
        self.started = !has(Question::Startup);
        // Plain init containers have no probes.
        self.ready = self.started && !has(Question::Readiness) && self.role != Role::Init;
        for probe in &mut self.probes {
            if self.started || probe.question == Question::Startup {
                probe.arm(since, now);
            } else {
                probe.disarm();
            }
        }
    }

    /// Determines when the process exits on its own or is OOM-killed.
    fn set_end(&mut self, since: i64, now: i64) {
        let start = self.starts.saturating_sub(1);
        let code = self.behavior.exit_code(start);
        let reason = if code == 0 { "Completed" } else { "Error" };
        let own = self.behavior.runs_ms;
        let own = own.map(|ms| (since.saturating_add(ms).max(now), code, reason));
        let oom = self
            .oom_ms()
            .map(|ms| (since.saturating_add(ms).max(now), KILLED, "OOMKilled"));
        if let State::Running(running) = &mut self.state {
            running.ends = own.into_iter().chain(oom).min();
        }
    }

    /// How long after its start it exceeds its memory limit.
    fn oom_ms(&self) -> Option<i64> {
        let (limit, memory) = self.memory_limit.zip(self.behavior.memory.as_ref())?;
        let mut at = 0;
        while memory.at(at).is_none_or(|bytes| *bytes <= limit) {
            at = memory.next_change(at)?;
        }
        Some(at.max(OOM_MS))
    }

    /// Applies changed annotations of the Pod.
    pub fn set_behavior(&mut self, behavior: Behavior, now: i64) {
        if self.behavior == behavior {
            return;
        }
        let adds_readiness = behavior.sets_readiness && !self.behavior.sets_readiness;
        self.behavior = behavior;
        if adds_readiness
            && !self
                .probes
                .iter()
                .any(|probe| probe.question == Question::Readiness)
        {
            let mut probe = ProbeRun::annotated();
            probe.verdict = self.ready;
            self.probes.push(probe);
        }
        let State::Running(running) = &self.state else {
            return;
        };
        if !running.stopping {
            let is_hooked = running.hook_ends.is_some();
            let since = running.since;
            self.set_end(since, now);
            for probe in &mut self.probes {
                if !is_hooked && (self.started || probe.question == Question::Startup) {
                    probe.look_again(since, now);
                }
            }
        }
    }

    /// When the container next needs attention.
    pub fn next_due(&self, restarts: bool) -> Option<i64> {
        match &self.state {
            State::Idle => None,
            State::Pulling { until } => Some(*until),
            State::Held { until, .. } => Some(*until).filter(|until| *until < i64::MAX),
            State::Running(running) => {
                let probes = self
                    .probes
                    .iter()
                    .filter_map(ProbeRun::next_due)
                    .filter(|_| !running.stopping && self.role != Role::Init)
                    .filter(|_| running.hook_ends.is_none());
                let ends = running.ends.map(|(at, ..)| at);
                let hook = running.hook_ends.filter(|at| *at < i64::MAX);
                probes.chain(ends).chain(hook).min()
            }
            State::Ended(exit) => restarts.then(|| exit.finished_ms.saturating_add(NOTICE_MS)),
        }
    }

    /// Performs what is due without the Pod's involvement. `false` if nothing was.
    pub fn tick(&mut self, uid: &str, now: i64, restarts: bool, notes: &mut Notes) -> bool {
        match &self.state {
            State::Pulling { until } if *until <= now => {
                self.finish_pull(uid, now, notes);
                true
            }
            State::Running(running) => match running.ends {
                Some((at, code, reason)) if at <= now => {
                    self.end(at, code, reason);
                    true
                }
                _ if running.hook_ends.is_some_and(|at| at <= now) => {
                    self.end_hook(now, restarts, notes);
                    true
                }
                _ => {
                    !running.stopping
                        && running.hook_ends.is_none()
                        && self.role != Role::Init
                        && self.ask_probes(now, restarts, notes)
                }
            },
            _ => false,
        }
    }

    /// Records that the process has exited.
    pub fn end(&mut self, at: i64, code: i32, reason: &'static str) {
        if let State::Running(running) = &self.state {
            self.state = State::Ended(Exit {
                code,
                reason,
                started_ms: running.since,
                finished_ms: at,
                id: running.id.clone(),
            });
            self.ready = false;
            self.started = false;
        }
    }

    /// Stops the process; returns when it will have exited, on its own or killed.
    pub fn stop(&mut self, now: i64, grace_ms: i64, notes: &mut Notes) -> i64 {
        let State::Running(running) = &mut self.state else {
            return now;
        };
        if self.pre_stop.fails {
            notes.warning("FailedPreStopHook", "PreStopHook failed");
        }
        running.hook_ends = None;
        // A `preStop` hook that uses up the grace period leaves the process two seconds.
        let hook = self.pre_stop.takes_ms.min(grace_ms);
        let deadline = if hook > 0 && hook == grace_ms {
            hook.saturating_add(2_000)
        } else {
            grace_ms
        };
        let heeds = self.behavior.stop_ms.map(|ms| hook.saturating_add(ms));
        let (after, code, reason) = match heeds.filter(|after| *after < deadline) {
            Some(after) => (after, 0, "Completed"),
            None => (deadline, KILLED, "Error"),
        };
        let end = (now.saturating_add(after), code, reason);
        let end = running.ends.map_or(end, |own| own.min(end));
        running.ends = Some(end);
        running.stopping = true;
        end.0
    }
}

/// The grace period of a Pod's containers in milliseconds.
fn grace_ms(pod: &Pod) -> i64 {
    let spec = pod.spec.as_ref();
    let seconds = spec.and_then(|spec| spec.termination_grace_period_seconds);
    seconds.unwrap_or(30).max(1).saturating_mul(1_000)
}
