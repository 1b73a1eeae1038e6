//! A run: the pending Pods, tried round by round until nothing changes any more.
//!
//! A round takes the Pods that are still pending, by priority and then age, and tries each once; Pods whose attempt
//! preempted others are tried once more at its end. Rounds follow as long as the last one bound or preempted
//! something, at most [`MAX_ROUNDS`]. Then the controllers of a dump make its victims again, and rounds begin again.

pub(super) mod attempt;
mod continued;
pub(super) mod effects;
mod made_again;
mod moved;

use berth_core::api::prepared::{PodObject, Prepared};
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::{Registration, build_profiles};
use berth_scheduler::observer::Silent;
use berth_scheduler::{Scheduler, TieBreak};

use super::snapshot::Snapshot;

pub use attempt::{Attempt, Ending, Victim};
use effects::Effects;
pub use made_again::made_again;
pub use moved::{Displaced, Order};

/// The number of rounds after which a run stops, settled or not, or makes its victims again.
pub const MAX_ROUNDS: u32 = 6;

/// Options of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    pub tie_break: TieBreak,
    /// Decides ties with [`TieBreak::Random`].
    pub seed: u64,
    /// Whether controllers make victims of preemption again, in rounds.
    pub remakes_victims: bool,
}

/// A cluster with its pending Pods. A copy is a checkpoint.
#[derive(Clone)]
pub struct Run {
    /// The cluster and its queue: the Pods still to be tried in this part of the round.
    snapshot: Snapshot,
    effects: Effects,
    /// Pods that preempted in this round and will be tried once more.
    preempted: Vec<PodIx>,
    /// Whether the first pass of the round is over: the queue holds preemptors then.
    retrying: bool,
    /// Whether something was bound or preempted in this round.
    progressed: bool,
    attempts: usize,
    /// The round after which the run stops.
    last_round: u32,
    remakes_victims: bool,
    /// Victims that their controllers make again.
    victims: Vec<PodObject>,
}

impl Run {
    /// Builds the cluster and queues the pending Pods.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub fn new(
        prepared: &Prepared,
        registry: &[Registration],
        options: RunOptions,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut cluster = Cluster::new(prepared.release);
        let configuration = &prepared.configuration;
        let profiles = build_profiles(configuration, registry, &mut cluster)?;
        cluster.apply_all(super::load::events(prepared));
        let percentage = configuration.percentage_of_nodes_to_score;
        let scheduler = Scheduler::new(profiles, percentage, options.tie_break, options.seed);
        let mut effects = Effects::new(&cluster);
        cluster.apply_all(effects.settle_budgets());
        let remakes_victims = options.remakes_victims;
        Ok(Self::of_cluster(
            cluster,
            scheduler,
            effects,
            remakes_victims,
        ))
    }

    /// The run that begins with this cluster.
    fn of_cluster(
        cluster: Cluster,
        scheduler: Scheduler,
        effects: Effects,
        remakes_victims: bool,
    ) -> Self {
        let mut run = Self {
            effects,
            snapshot: Snapshot::of_cluster(cluster, scheduler),
            progressed: true,
            remakes_victims,
            ..Self::idle()
        };
        run.settle();
        run
    }

    /// An empty run: no nodes, no Pods, no profiles.
    pub fn idle() -> Self {
        let snapshot = Snapshot::empty();
        Self {
            effects: Effects::new(snapshot.cluster()),
            snapshot,
            preempted: Vec::new(),
            retrying: true,
            progressed: false,
            attempts: 0,
            last_round: MAX_ROUNDS,
            remakes_victims: false,
            victims: Vec::new(),
        }
    }

    /// A copy to return to, without the scheduler's memory.
    pub fn checkpoint(&self) -> Self {
        Self {
            snapshot: self.snapshot.checkpoint(),
            effects: self.effects.clone(),
            preempted: self.preempted.clone(),
            victims: self.victims.clone(),
            ..*self
        }
    }

    /// The cluster and its queue as they are now.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Attempts made so far; continuing with changed manifests counts as one.
    pub fn attempts(&self) -> usize {
        self.attempts
    }

    /// One attempt, on the fast path; `None` at the end of the run.
    pub fn step(&mut self) -> Option<Attempt> {
        let Snapshot {
            cluster,
            scheduler,
            queue,
            round,
            ..
        } = &mut self.snapshot;
        let ix = *queue.front()?;
        let pod = cluster.pods().get(ix)?;
        let key = pod.object.key();
        let profile = scheduler.profile_of(pod)?;
        let outcome = scheduler.schedule(cluster, pod, profile, &mut Silent);
        let attempt = Attempt {
            pod: ix,
            key,
            profile: scheduler.profiles()[profile].scheduler_name.clone(),
            round: *round,
            victims: attempt::victims(cluster, &outcome),
            ending: Ending::new(cluster, outcome),
            scheduler: scheduler.position(),
        };
        self.replay(&attempt);
        Some(attempt)
    }

    /// Applies an attempt that was decided before. The run must be in the state in which the attempt was made.
    pub fn replay(&mut self, attempt: &Attempt) {
        let snapshot = &mut self.snapshot;
        snapshot.queue.pop_front();
        self.attempts += 1;
        snapshot.scheduler.set_position(&attempt.scheduler);
        let events = self.effects.of(&snapshot.cluster, attempt);
        snapshot.deleted.extend(deleted(&snapshot.cluster, &events));
        // Only preemption can take waiting Pods away; the whole queue is checked no more often than that.
        let takes_pods = events.iter().any(|it| matches!(it, Event::PodDeleted(_)));
        snapshot.cluster.apply_all(events);
        if takes_pods {
            snapshot.drop_settled();
            self.note_victims(attempt);
        }
        match &attempt.ending {
            Ending::Bound { .. } => self.progressed = true,
            Ending::Unschedulable(unschedulable)
                if unschedulable.preemption.is_some() || unschedulable.deallocated.is_some() =>
            {
                self.progressed = true;
                if !self.retrying {
                    self.preempted.push(attempt.pod);
                }
            }
            Ending::Unschedulable(_) | Ending::Error { .. } => {}
        }
        self.settle();
    }

    /// Moves on to the next part of the round, or to the next round, if the queue is empty.
    fn settle(&mut self) {
        self.snapshot.drop_refused();
        if self.snapshot.queue.is_empty() && !self.retrying {
            self.retrying = true;
            self.snapshot.queue = std::mem::take(&mut self.preempted).into();
            self.snapshot.drop_settled();
        }
        self.begin_round();
        if self.snapshot.queue.is_empty() && !self.victims.is_empty() {
            self.make_victims_again();
            self.begin_round();
        }
    }

    fn begin_round(&mut self) {
        let snapshot = &mut self.snapshot;
        if snapshot.queue.is_empty() && self.progressed && snapshot.round < self.last_round {
            snapshot.round += 1;
            self.retrying = false;
            self.progressed = false;
            snapshot.line_up();
            snapshot.drop_refused();
        }
    }
}

/// The Pods that these events delete, by `namespace/name`.
fn deleted<'a>(cluster: &'a Cluster, events: &'a [Event]) -> impl Iterator<Item = String> + 'a {
    events.iter().filter_map(|event| match event {
        Event::PodDeleted(pod) => Some(cluster.pods().get(*pod)?.object.key()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
