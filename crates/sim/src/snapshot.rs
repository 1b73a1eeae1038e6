//! What a scheduler sees at one moment: the cluster and the waiting Pods. Attempts and changes can be tried on it.

use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};

use berth_base::sort;
use berth_core::api::prepared::{DocumentIndex, PodObject};
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::HeldBy;
use berth_scheduler::cluster::event::Event;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::{Cluster, PodIx};
use berth_scheduler::cycle::Outcome;
use berth_scheduler::framework::status::Rejected;
use berth_scheduler::observer::Observer;
use berth_scheduler::queue::Places;
use berth_scheduler::trace::recorder::Recorder;
use berth_scheduler::{Scheduler, TieBreak};

/// One moment of a run of rounds ([`Run`](super::run::Run)) or of a whole cluster
/// ([`SimulatedCluster`](super::simulated_cluster::SimulatedCluster)).
#[derive(Clone)]
pub struct Snapshot {
    pub(super) cluster: Cluster,
    pub(super) scheduler: Scheduler,
    /// Pods to try, in order.
    pub(super) queue: VecDeque<PodIx>,
    pub(super) gated: Vec<PodIx>,
    unmanaged: Vec<PodIx>,
    /// In the order in which their backoff ends; empty in rounds.
    backoff: Vec<PodIx>,
    /// Pods that preemption deleted, in order (`namespace/name`).
    pub(super) deleted: Vec<String>,
    /// The number of the round; always 1 without rounds.
    pub(super) round: u32,
}

impl Snapshot {
    /// An empty snapshot: no nodes, no Pods, no profiles.
    pub fn empty() -> Self {
        Self {
            cluster: Cluster::default(),
            scheduler: Scheduler::new(Vec::new(), 0, TieBreak::First, 0),
            queue: VecDeque::new(),
            gated: Vec::new(),
            unmanaged: Vec::new(),
            backoff: Vec::new(),
            deleted: Vec::new(),
            round: 0,
        }
    }

    /// A cluster whose pending Pods are not queued yet.
    pub(super) fn of_cluster(cluster: Cluster, scheduler: Scheduler) -> Self {
        let mut snapshot = Self {
            cluster,
            scheduler,
            ..Self::empty()
        };
        snapshot.find_held_back();
        snapshot
    }

    /// A cluster whose queue tries the Pods of activeQ next.
    pub(super) fn of_queue(
        cluster: Cluster,
        scheduler: Scheduler,
        places: Places,
        deleted: Vec<String>,
    ) -> Self {
        Self {
            queue: VecDeque::from(places.active),
            backoff: places.backoff,
            // The queue decides which Pods are gated.
            gated: places.gated,
            deleted,
            round: 1,
            ..Self::of_cluster(cluster, scheduler)
        }
    }

    /// Queues the pending Pods by priority, then in the order in which they entered a queue: those of a dump by their
    /// creation, then the new ones in document order. Mirrors PrioritySort of v1.34.
    pub(super) fn line_up(&mut self) {
        let held_back: HashSet<PodIx> = self.gated.iter().chain(&self.unmanaged).copied().collect();
        let pending = self.pending().filter(|pod| !held_back.contains(&pod.ix));
        let mut pending: Vec<&PodInfo> = pending.collect();
        sort::sort_by_key(&mut pending, |pod| {
            (Reverse(pod.priority()), pod.object.origin.order(), pod.ix)
        });
        self.queue = pending.iter().map(|pod| pod.ix).collect();
    }

    /// Finds the Pods that are never tried.
    fn find_held_back(&mut self) {
        for pod in self.cluster.pods().iter().filter(|pod| is_pending(pod)) {
            match self.scheduler.profile_of(pod) {
                None => self.unmanaged.push(pod.ix),
                Some(profile) => {
                    let profile = &self.scheduler.profiles()[profile];
                    let gates = &pod.object.template.spec.scheduling_gates;
                    if gates.is_some() && profile.gated_by(&self.cluster, pod).is_some() {
                        self.gated.push(pod.ix);
                    }
                }
            }
        }
        self.withhold_nominations();
    }

    /// The nominator has only Pods that are queued: the others keep no room.
    fn withhold_nominations(&mut self) {
        let held_back = self.gated.iter().chain(&self.unmanaged).copied();
        let nominated: Vec<PodIx> = held_back
            .filter(|&pod| self.cluster.nominations().of(pod).is_some())
            .collect();
        let withheld = true;
        let events = nominated
            .into_iter()
            .map(|pod| Event::Withheld { pod, withheld });
        self.cluster.apply_all(events);
    }

    /// The cluster as it is now.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The Pod that is tried next; `None` at the end.
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

    /// The gates or the `schedulerName` that keep the Pod out of the queue.
    pub fn held_by(&self, pod: &PodInfo) -> Option<HeldBy> {
        let spec = &pod.object.template.spec;
        if self.unmanaged.contains(&pod.ix) {
            let name = spec.scheduler_name.as_deref();
            let name = name.unwrap_or("default-scheduler");
            return Some(HeldBy::Scheduler(name.to_owned()));
        }
        let gates = || {
            let gates = spec.scheduling_gates.iter().flatten();
            HeldBy::Gates(gates.map(|gate| gate.name.clone()).collect())
        };
        self.gated.contains(&pod.ix).then(gates)
    }

    /// Why the Pod is not tried: its gates, a claim that does not exist yet, or a `schedulerName` without a profile.
    pub fn gate_of(&self, pod: &PodInfo) -> Option<String> {
        if !is_pending(pod) {
            return None;
        }
        if self.scheduler.profile_of(pod).is_none() {
            let name = pod.object.template.spec.scheduler_name.as_deref();
            let name = name.unwrap_or("default-scheduler");
            return Some(format!(
                "no profile is named \"{name}\", so no scheduler here takes this Pod"
            ));
        }
        Some(self.refused_by(pod)?.rejection.message())
    }

    /// The PreEnqueue plugin that keeps the Pod out of the queue now.
    fn refused_by(&self, pod: &PodInfo) -> Option<Rejected> {
        let profile = self.scheduler.profile_of(pod)?;
        self.scheduler.profiles()[profile].gated_by(&self.cluster, pod)
    }

    /// Pending Pods without scheduling gates that a PreEnqueue plugin keeps out of the queue, in document order.
    pub fn refused(&self) -> impl Iterator<Item = (&PodInfo, Rejected)> {
        let pending = self.pending().filter(|pod| !self.gated.contains(&pod.ix));
        pending.filter_map(|pod| Some((pod, self.refused_by(pod)?)))
    }

    /// Drops Pods from the queue that wait no longer, and those of [`Snapshot::drop_refused`].
    pub(super) fn drop_settled(&mut self) {
        let pods = self.cluster.pods();
        self.queue
            .retain(|pod| pods.get(*pod).is_some_and(is_pending));
        self.drop_refused();
    }

    /// Drops Pods from the front of the queue that PreEnqueue refuses.
    pub(super) fn drop_refused(&mut self) {
        if !self.cluster.has_devices() {
            return;
        }
        while let Some(pod) = self.next_pod()
            && self.refused_by(pod).is_some()
        {
            self.queue.pop_front();
        }
    }

    /// Pods in backoff, in the order in which it ends; none in rounds.
    pub fn backoff(&self) -> impl Iterator<Item = &PodInfo> {
        self.backoff
            .iter()
            .filter_map(|&pod| self.cluster.pods().get(pod))
    }

    /// Pods that preemption deleted, in order (`namespace/name`).
    pub fn deleted(&self) -> &[String] {
        &self.deleted
    }

    /// A copy without the data that the scheduler can recompute.
    pub fn checkpoint(&self) -> Self {
        let mut copy = self.clone();
        copy.scheduler = self.scheduler.without_memory();
        copy
    }

    /// A copy in which every Pod belongs to the document that `of` returns for it.
    pub fn with_documents(&self, of: &mut dyn FnMut(&PodObject) -> DocumentIndex) -> Self {
        let mut copy = self.checkpoint();
        copy.cluster.set_documents(of);
        copy
    }

    /// A copy with `events` applied and this Pod (namespace, name) next, to see what a change would do. It is valid for
    /// one attempt. `None` if the Pod cannot be tried.
    pub fn what_if(&self, events: Vec<Event>, next: (&str, &str)) -> Option<Self> {
        let mut copy = self.checkpoint();
        copy.cluster.apply_all(events);
        let pod = copy.cluster.pods().find(next.0, next.1)?;
        copy.scheduler.profile_of(pod).filter(|_| is_pending(pod))?;
        copy.queue = VecDeque::from([pod.ix]);
        Some(copy)
    }

    /// Decides about the next Pod with an observer. Changes nothing; `None` at the end.
    pub fn decide_next<O: Observer>(&self, observer: &mut O) -> Option<Outcome> {
        let pod = self.next_pod()?;
        let profile = self.scheduler.profile_of(pod)?;
        let mut scheduler = self.scheduler.without_memory();
        Some(scheduler.schedule(&self.cluster, pod, profile, observer))
    }

    /// Explains the next attempt in full. Changes nothing; `None` at the end.
    pub fn explain_next(&self) -> Option<Cycle> {
        self.explain_next_at(None)
    }

    /// The same, with the facts of the plugins whose filters this node passes.
    pub fn explain_next_at(&self, detailed: Option<&str>) -> Option<Cycle> {
        let pod = self.next_pod()?;
        let profile = self.scheduler.profile_of(pod)?;
        let detailed = detailed.and_then(|name| self.cluster.find_node(name));
        let mut recorder = Recorder::new(&self.cluster).detailing(detailed.map(|node| node.ix));
        let outcome = self.decide_next(&mut recorder)?;
        let active = &self.scheduler.profiles()[profile];
        Some(recorder.finish(pod.ix, active, self.round, &outcome))
    }
}

pub(super) fn is_pending(pod: &PodInfo) -> bool {
    pod.object.node_name.is_none() && !pod.object.phase.is_terminal()
}
