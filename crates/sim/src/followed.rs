//! A cluster that follows a real one: each attempt is decided on the state that the real cluster's earlier attempts left,
//! and what came of it there happens here.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};

use berth_core::api::prepared::{PodObject, Prepared};
use berth_protocol::cycle::Cycle;
use berth_protocol::key::split;
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cluster::{Cluster, PodIx, object_key};
use berth_scheduler::cycle::{Outcome, Unschedulable};
use berth_scheduler::framework::plugin::VolumeDecisions;
use berth_scheduler::framework::preemption::Preemption;
use berth_scheduler::framework::profile::ProfileError;
use berth_scheduler::framework::registry::{Registration, build_profiles};
use berth_scheduler::trace::recorder::Recorder;
use berth_scheduler::{Position, Scheduler, TieBreak};

use super::run::effects::{Effects, FIRST_START_MS, claims_released};
use super::run::{Attempt, Ending, made_again};
use super::snapshot::{Snapshot, is_pending};

/// The status of budgets that no controller counts, by namespace and name.
pub type KeptStatus = BTreeMap<(String, String), PodDisruptionBudgetStatus>;

/// The cluster and its scheduler, without a queue: the caller says which Pod is tried. A copy is a trial.
#[derive(Clone)]
pub struct Followed {
    snapshot: Snapshot,
    effects: Effects,
    /// When the Pod that started last did so, in milliseconds since the Unix epoch.
    last_start_ms: i64,
    /// Pods that are gone, which their controllers may make again.
    gone: Vec<PodObject>,
}

/// What the scheduler decides about a Pod on a state, which has not changed by it.
#[derive(Clone, Debug)]
pub struct Decision {
    pub cycle: Cycle,
    pod: PodIx,
    outcome: Outcome,
    /// The scheduler's position after it.
    position: Position,
}

/// Room that a preemption makes on a node. Its victims (`namespace/name`) are terminating from then on, until
/// [`Followed::delete`].
#[derive(Clone, Copy, Debug)]
pub struct Room<'a> {
    pub node: &'a str,
    pub victims: &'a [String],
}

impl Followed {
    /// The cluster before the first attempt. The budgets of `kept` have that status to the end; those of the others is
    /// counted.
    ///
    /// # Errors
    /// Why kube-scheduler would not start with this configuration.
    pub fn new(
        prepared: &Prepared,
        registry: &[Registration],
        kept: &KeptStatus,
    ) -> Result<Self, Vec<ProfileError>> {
        let mut cluster = Cluster::new(prepared.release);
        let configuration = &prepared.configuration;
        let profiles = build_profiles(configuration, registry, &mut cluster)?;
        cluster.apply_all(super::load::events(prepared));
        let given = prepared.disruption_budgets.iter().filter_map(|budget| {
            let mut budget = budget.clone();
            budget.status = Some(kept.get(&object_key(&budget.metadata))?.clone());
            Some(Event::BudgetSet(Arc::new(budget)))
        });
        cluster.apply_all(given);
        let is_counted =
            |budget: &PodDisruptionBudget| !kept.contains_key(&object_key(&budget.metadata));
        let mut effects = Effects::counting(&cluster, is_counted);
        cluster.apply_all(effects.settle_budgets());
        let percentage = configuration.percentage_of_nodes_to_score;
        let scheduler = Scheduler::new(profiles, percentage, TieBreak::First, 0);
        let started = cluster.pods().iter().filter_map(|pod| pod.object.start_ms);
        Ok(Self {
            last_start_ms: started.max().unwrap_or(FIRST_START_MS),
            snapshot: Snapshot::of_cluster(cluster, scheduler),
            effects,
            gone: Vec::new(),
        })
    }

    /// The cluster as it is now.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Decides about a Pod (`namespace/name`); `None` if it does not wait, or no profile is its scheduler's. Of several
    /// best nodes, `toward` is taken.
    pub fn decide(&self, pod: &str, toward: Option<&str>) -> Option<Decision> {
        let (namespace, name) = split(pod);
        let cluster = &self.snapshot.cluster;
        let pod = cluster.pods().find(namespace, name)?;
        let mut scheduler = self.snapshot.scheduler.without_memory();
        let profile = scheduler.profile_of(pod).filter(|_| is_pending(pod))?;
        let toward = toward.and_then(|node| cluster.find_node(node));
        scheduler.prefer(toward.map(|node| node.ix));
        let mut recorder = Recorder::new(cluster);
        let outcome = scheduler.schedule(cluster, pod, profile, &mut recorder);
        let active = scheduler.profiles().get(profile)?;
        Some(Decision {
            cycle: recorder.finish(pod.ix, active, 1, &outcome),
            pod: pod.ix,
            outcome,
            position: scheduler.position(),
        })
    }

    /// The Pod is bound to a node. `start_ms`: its `status.startTime`; if it has none, it starts after all others, as
    /// kube-scheduler takes the present for it. Claims are bound if the decision was for this node.
    pub fn bind(&mut self, decision: Decision, node: &str, start_ms: Option<i64>) {
        let start_ms = start_ms.unwrap_or(self.last_start_ms.saturating_add(1_000));
        self.last_start_ms = self.last_start_ms.max(start_ms);
        let cluster = &self.snapshot.cluster;
        let volumes = match &decision.outcome {
            Outcome::Scheduled {
                node: chosen,
                volumes,
            } if *cluster.node(*chosen).name == *node => volumes.clone(),
            _ => VolumeDecisions::default(),
        };
        let ending = Ending::Bound {
            node: Arc::from(node),
            volumes,
        };
        self.happen(&decision, ending, start_ms);
    }

    /// The Pod is not bound, and a preemption may make room for it.
    pub fn refuse(&mut self, decision: Decision, room: Option<Room<'_>>) {
        let mut unschedulable = match &decision.outcome {
            Outcome::Unschedulable(unschedulable) => unschedulable.clone(),
            Outcome::Scheduled { .. } | Outcome::Error { .. } => Unschedulable::default(),
        };
        let preemption = room.and_then(|room| self.preemption(decision.pod, room.node));
        unschedulable.preemption = preemption.map(Box::new);
        let ending = Ending::Unschedulable(Box::new(unschedulable));
        self.happen(&decision, ending, self.last_start_ms);
        for victim in room.map_or(&[][..], |room| room.victims) {
            self.terminate(victim);
        }
    }

    /// The attempt ended with an error.
    pub fn fail(&mut self, decision: &Decision) {
        let ending = Ending::Error {
            message: String::new(),
            chosen: None,
        };
        self.happen(decision, ending, self.last_start_ms);
    }

    /// A Pod (`namespace/name`) is gone.
    pub fn delete(&mut self, pod: &str) {
        let (namespace, name) = split(pod);
        let cluster = &mut self.snapshot.cluster;
        let Some(pod) = cluster.pods().find(namespace, name) else {
            return;
        };
        self.gone.push(pod.object.clone());
        let mut events = claims_released(cluster, &[pod.ix], &[]);
        events.push(Event::PodDeleted(pod.ix));
        self.effects.note(cluster, &events);
        cluster.apply_all(events);
        cluster.apply_all(self.effects.settle_budgets());
    }

    /// The Pods that are gone, in order.
    pub fn gone(&self) -> &[PodObject] {
        &self.gone
    }

    /// The controller of a Pod that is gone makes another, which here has its name; `false` if there is none.
    pub fn make_again(&mut self, pod: &str) -> bool {
        let Some(position) = self.gone.iter().position(|gone| gone.key() == pod) else {
            return false;
        };
        let gone = self.gone.remove(position);
        let cluster = &mut self.snapshot.cluster;
        let again = made_again(&gone, cluster.release());
        cluster.apply(Event::PodAdded(Box::new(again)));
        true
    }

    /// A victim is being deleted.
    fn terminate(&mut self, pod: &str) {
        let (namespace, name) = split(pod);
        let cluster = &mut self.snapshot.cluster;
        let Some(pod) = cluster.pods().find(namespace, name) else {
            return;
        };
        let object = PodObject {
            terminating: true,
            preempted_by_scheduler: true,
            ..pod.object.clone()
        };
        let ix = pod.ix;
        // It no longer counts as healthy.
        self.effects.note(cluster, &[Event::PodDeleted(ix)]);
        cluster.apply(Event::PodUpdated {
            pod: ix,
            object: Box::new(object),
        });
        cluster.apply_all(self.effects.settle_budgets());
    }

    /// The nomination of a Pod to a node, without victims; `None` if there is no such node here.
    fn preemption(&self, pod: PodIx, node: &str) -> Option<Preemption> {
        let cluster = &self.snapshot.cluster;
        let priority = cluster.pods().get(pod)?.priority();
        let nominated = cluster.nominations().on(node).iter().copied();
        let is_lower = |other: &PodIx| {
            let other = cluster.pods().get(*other);
            other.is_some_and(|other| other.priority() < priority)
        };
        Some(Preemption {
            node: cluster.find_node(node)?.ix,
            victims: Vec::new(),
            candidates: Vec::new(),
            displaced: nominated.filter(is_lower).collect(),
            ambiguous: false,
            decided_by: "",
        })
    }

    fn happen(&mut self, decision: &Decision, ending: Ending, start_ms: i64) {
        let snapshot = &mut self.snapshot;
        let attempt = Attempt {
            pod: decision.pod,
            key: decision.cycle.pod.clone(),
            profile: decision.cycle.profile.clone(),
            round: 1,
            ending,
            victims: Box::default(),
            scheduler: decision.position.clone(),
        };
        snapshot.scheduler.set_position(&attempt.scheduler);
        let mut events = self.effects.of(&snapshot.cluster, &attempt);
        for event in &mut events {
            if let Event::PodBound {
                start_ms: start, ..
            } = event
            {
                *start = start_ms;
            }
        }
        snapshot.cluster.apply_all(events);
    }
}
