//! A run: the pending Pods, tried round by round until nothing changes any more.
//!
//! A round takes the Pods that are still pending, by priority and then document order, and tries
//! each once; Pods whose attempt preempted others are tried once more at its end. Rounds follow as
//! long as the last one bound or preempted something, at most [`MAX_ROUNDS`].

mod attempt;
mod continued;
pub(super) mod effects;
mod snapshot;

use std::collections::VecDeque;

use crate::api::prepared::Prepared;
use crate::base::sort;
use crate::cluster::event::Event;
use crate::cluster::pod::PodInfo;
use crate::cluster::{Cluster, PodIx};
use crate::framework::profile::ProfileError;
use crate::framework::registry::{Registration, build_profiles};
use crate::protocol::cycle::Cycle;
use crate::scheduler::cycle::Outcome;
use crate::scheduler::observer::{Observer, Silent};
use crate::scheduler::{Scheduler, TieBreak};
use crate::trace::recorder::Recorder;

pub use attempt::{Attempt, Ending};
use effects::Effects;
pub use snapshot::RunSnapshot;

/// After so many rounds a run stops, settled or not.
pub const MAX_ROUNDS: u32 = 6;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    pub tie_break: TieBreak,
    /// Decides ties with [`TieBreak::Random`].
    pub seed: u64,
}

/// A cluster with its pending Pods. A copy is a checkpoint.
#[derive(Clone)]
pub struct Run {
    cluster: Cluster,
    scheduler: Scheduler,
    effects: Effects,
    /// Pods still to be tried in this part of the round.
    queue: VecDeque<PodIx>,
    /// Pods that preempted in this round and will be tried once more.
    preempted: Vec<PodIx>,
    round: u32,
    /// The first pass of the round is over: the queue holds preemptors.
    retrying: bool,
    /// Something was bound or preempted in this round.
    progressed: bool,
    gated: Vec<PodIx>,
    unmanaged: Vec<PodIx>,
    /// Pods that back off: only where time passes.
    backoff: Vec<PodIx>,
    attempts: usize,
}

impl Run {
    /// Builds the cluster and lines up the pending Pods. `Err`: kube-scheduler would not start with
    /// this configuration.
    pub fn new(
        prepared: &Prepared,
        registry: &[Registration],
        options: RunOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut cluster = Cluster::new();
        let configuration = &prepared.configuration;
        let profiles = build_profiles(configuration, registry, &mut cluster)?;
        cluster.apply_all(super::load::events(prepared));
        let percentage = configuration.percentage_of_nodes_to_score;
        let scheduler = Scheduler::new(profiles, percentage, options.tie_break, options.seed);
        let mut run = Self {
            effects: Effects::new(&prepared.disruption_budgets, &cluster),
            cluster,
            scheduler,
            progressed: true,
            ..Self::idle()
        };
        run.sort_out();
        run.settle();
        Ok(run)
    }

    /// A run of nothing: no nodes, no Pods, no profiles.
    pub fn idle() -> Self {
        let cluster = Cluster::new();
        Self {
            effects: Effects::new(&[], &cluster),
            scheduler: Scheduler::new(Vec::new(), 0, TieBreak::First, 0),
            cluster,
            queue: VecDeque::new(),
            preempted: Vec::new(),
            round: 0,
            retrying: true,
            progressed: false,
            gated: Vec::new(),
            unmanaged: Vec::new(),
            backoff: Vec::new(),
            attempts: 0,
        }
    }

    fn sort_out(&mut self) {
        for pod in self.cluster.pods().iter().filter(|pod| is_pending(pod)) {
            match self.scheduler.profile_of(pod) {
                None => self.unmanaged.push(pod.ix),
                Some(profile) => {
                    let profile = &self.scheduler.profiles()[profile];
                    if profile.gated_by(pod).is_some() {
                        self.gated.push(pod.ix);
                    }
                }
            }
        }
    }

    /// The cluster as it is now.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Attempts made so far; going on with changed manifests counts as one.
    pub fn attempts(&self) -> usize {
        self.attempts
    }

    /// The Pod that is tried next; `None` at the end of the run.
    pub fn next_pod(&self) -> Option<&PodInfo> {
        self.queue
            .front()
            .and_then(|&pod| self.cluster.pods().get(pod))
    }

    /// Pods still to be tried in this round, in order.
    pub fn queue(&self) -> impl Iterator<Item = &PodInfo> {
        self.queue
            .iter()
            .filter_map(|&pod| self.cluster.pods().get(pod))
    }

    /// Pods with scheduling gates, in document order.
    pub fn gated(&self) -> impl Iterator<Item = &PodInfo> {
        self.gated
            .iter()
            .filter_map(|&pod| self.cluster.pods().get(pod))
    }

    /// Pods whose `schedulerName` has no profile, in document order.
    pub fn unmanaged(&self) -> impl Iterator<Item = &PodInfo> {
        self.unmanaged
            .iter()
            .filter_map(|&pod| self.cluster.pods().get(pod))
    }

    /// Pods that have no node and are not finished, in document order.
    pub fn pending(&self) -> impl Iterator<Item = &PodInfo> {
        self.cluster.pods().iter().filter(|pod| is_pending(pod))
    }

    /// Why the Pod is not tried at all: its gates, or a scheduler that is not there.
    pub fn gate_of(&self, pod: &PodInfo) -> Option<String> {
        if self.unmanaged.contains(&pod.ix) {
            let name = pod.object.template.spec.scheduler_name.as_deref();
            let name = name.unwrap_or("default-scheduler");
            return Some(format!(
                "no profile is named \"{name}\", so no scheduler here takes this Pod"
            ));
        }
        if !self.gated.contains(&pod.ix) {
            return None;
        }
        let profile = self.scheduler.profile_of(pod)?;
        let rejected = self.scheduler.profiles()[profile].gated_by(pod)?;
        Some(rejected.rejection.message())
    }

    /// A copy to come back to: without what the scheduler can find out again.
    pub fn checkpoint(&self) -> Self {
        let mut copy = self.clone();
        copy.scheduler = self.scheduler.without_memory();
        copy
    }

    /// Pods that preemption deleted, in order (`namespace/name`).
    pub fn deleted(&self) -> &[String] {
        self.effects.deleted()
    }

    /// One attempt, on the fast path; `None` at the end of the run.
    pub fn step(&mut self) -> Option<Attempt> {
        let ix = *self.queue.front()?;
        let pod = self.cluster.pods().get(ix)?;
        let key = pod.object.key();
        let profile = self.scheduler.profile_of(pod)?;
        let outcome = self
            .scheduler
            .schedule(&self.cluster, pod, profile, &mut Silent);
        let attempt = Attempt {
            pod: ix,
            key,
            profile: self.scheduler.profiles()[profile].scheduler_name.clone(),
            round: self.round,
            ending: Ending::new(&self.cluster, outcome),
            scheduler: self.scheduler.position(),
        };
        self.replay(&attempt);
        Some(attempt)
    }

    /// A copy in which `events` happened and this Pod (namespace, name) is tried next: good for one
    /// attempt, to see what a change would do. `None` if it is not a Pod that could be tried.
    pub fn what_if(&self, events: Vec<Event>, next: (&str, &str)) -> Option<Self> {
        let mut copy = self.checkpoint();
        copy.cluster.apply_all(events);
        let pod = copy.cluster.pods().find(next.0, next.1)?;
        copy.scheduler.profile_of(pod).filter(|_| is_pending(pod))?;
        copy.queue = VecDeque::from([pod.ix]);
        Some(copy)
    }

    /// Decides about the next Pod while somebody watches. Changes nothing; `None` at the end of the
    /// run.
    pub fn decide_next<O: Observer>(&self, observer: &mut O) -> Option<Outcome> {
        let pod = self.next_pod()?;
        let profile = self.scheduler.profile_of(pod)?;
        let mut scheduler = self.scheduler.without_memory();
        Some(scheduler.schedule(&self.cluster, pod, profile, observer))
    }

    /// Tells the next attempt in full. Changes nothing; `None` at the end of the run.
    pub fn explain_next(&self) -> Option<Cycle> {
        self.explain_next_at(None)
    }

    /// The same, with the facts of the plugins that this node passes.
    pub fn explain_next_at(&self, detailed: Option<&str>) -> Option<Cycle> {
        let pod = self.next_pod()?;
        let profile = self.scheduler.profile_of(pod)?;
        let detailed = detailed.and_then(|name| self.cluster.find_node(name));
        let mut recorder = Recorder::new(&self.cluster).detailing(detailed.map(|node| node.ix));
        let outcome = self.decide_next(&mut recorder)?;
        let active = &self.scheduler.profiles()[profile];
        Some(recorder.finish(pod.ix, active, self.round, &outcome))
    }

    /// Makes an attempt that was decided before true again, without deciding anything. The run must
    /// be where it was when the attempt was made.
    pub fn replay(&mut self, attempt: &Attempt) {
        self.queue.pop_front();
        self.attempts += 1;
        self.scheduler.set_position(&attempt.scheduler);
        let events = self.effects.of(&self.cluster, attempt);
        self.cluster.apply_all(events);
        match &attempt.ending {
            Ending::Bound { .. } => self.progressed = true,
            Ending::Unschedulable(unschedulable) if unschedulable.preemption.is_some() => {
                self.progressed = true;
                if !self.retrying {
                    self.preempted.push(attempt.pod);
                }
            }
            Ending::Unschedulable(_) | Ending::Error { .. } => {}
        }
        self.settle();
    }

    /// Goes on to the next part of the round, or the next round, if the queue is empty.
    fn settle(&mut self) {
        let pods = self.cluster.pods();
        self.queue
            .retain(|&pod| pods.get(pod).is_some_and(is_pending));
        if self.queue.is_empty() && !self.retrying {
            self.retrying = true;
            self.queue = std::mem::take(&mut self.preempted).into();
            self.queue
                .retain(|&pod| pods.get(pod).is_some_and(is_pending));
        }
        if self.queue.is_empty() && self.progressed && self.round < MAX_ROUNDS {
            self.round += 1;
            self.retrying = false;
            self.progressed = false;
            self.queue = self.line_up();
        }
    }

    fn line_up(&self) -> VecDeque<PodIx> {
        let held_back = |pod: &PodIx| self.gated.contains(pod) || self.unmanaged.contains(pod);
        let pending = self.pending().filter(|pod| !held_back(&pod.ix));
        let mut pending: Vec<&PodInfo> = pending.collect();
        sort::sort_by_key(&mut pending, |pod| {
            (std::cmp::Reverse(pod.priority()), pod.ix)
        });
        pending.iter().map(|pod| pod.ix).collect()
    }
}

fn is_pending(pod: &PodInfo) -> bool {
    pod.object.node_name.is_none() && !pod.object.phase.is_terminal()
}

#[cfg(test)]
mod tests;
