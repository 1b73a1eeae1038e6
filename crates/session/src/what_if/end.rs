//! The end of a play, as far as answers read it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_protocol::what_if::Workload;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_sim::snapshot::Snapshot;

use super::Begun;
use crate::compare::{stays, unfinished};
use crate::history::Now;
use crate::workload;

/// The kinds of workloads that make Pods which move.
const MAKE_PODS: [&str; 4] = ["Deployment", "Job", "ReplicaSet", "StatefulSet"];

/// The waiting Pods of a workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    pub pods: usize,
    /// Those that have scheduling gates or another scheduler; they are not among `pods`.
    pub held: usize,
    /// The highest priority of `pods`, and its PriorityClass.
    pub priority: i32,
    pub class: Option<String>,
    /// Namespace and name of the first Pod with it.
    pub first: Option<(String, String)>,
}

/// What a play came to.
pub(super) struct End {
    pub waiting: BTreeMap<Workload, Waiting>,
    /// Number of unfinished Pods that have a node, by workload; without those that stay on their node.
    pub running: BTreeMap<Workload, usize>,
    /// Pods that came again and have a node, by workload and node.
    pub placed: BTreeMap<Workload, BTreeMap<String, usize>>,
    /// Number of Pods that came again, by workload.
    pub again: BTreeMap<Workload, usize>,
    pub lost: Vec<String>,
    pub gone: usize,
    /// Number of nodes without Pods but those that stay on their node.
    pub empty: usize,
    /// Number of Pods that are on another node than before, without those whose node is gone.
    pub moved: usize,
    pub preemptions: usize,
    /// The moment of the end, if it is kept.
    pub now: Option<Now>,
}

/// A play that has ended.
pub(super) struct FinishedPlay {
    pub now: Now,
    /// The Pods that an answer follows (`namespace/name`).
    pub again: BTreeSet<String>,
    pub lost: Vec<String>,
    pub gone: usize,
    pub preemptions: usize,
}

impl From<Begun> for FinishedPlay {
    fn from(begun: Begun) -> Self {
        Self {
            now: Now::Rounds(Box::new(begun.run)),
            again: begun.again,
            lost: begun.lost,
            gone: begun.gone,
            preemptions: begun.preemptions,
        }
    }
}

impl End {
    /// `base`: the cluster before the play. `is_shown`: whether the moment is kept.
    pub fn of(ended: impl Into<FinishedPlay>, base: &Cluster, is_shown: bool) -> Self {
        let ended = ended.into();
        let cluster = ended.now.snapshot().cluster();
        let mut end = Self {
            waiting: waiting(ended.now.snapshot()),
            running: running(cluster),
            placed: BTreeMap::new(),
            again: BTreeMap::new(),
            lost: Vec::new(),
            gone: ended.gone,
            empty: cluster
                .nodes()
                .filter(|node| is_empty(cluster, node))
                .count(),
            moved: moved(base, cluster),
            preemptions: ended.preemptions,
            now: None,
        };
        for key in &ended.again {
            let (namespace, name) = berth_protocol::key::split(key);
            let Some(pod) = cluster.pods().find(namespace, name) else {
                continue;
            };
            let workload = workload::of(pod);
            *end.again.entry(workload.clone()).or_default() += 1;
            if let Some(node) = &pod.object.node_name {
                let nodes = end.placed.entry(workload).or_default();
                *nodes.entry(node.to_string()).or_default() += 1;
            }
        }
        end.lost = ended.lost;
        end.now = is_shown.then_some(ended.now);
        end
    }

    /// The Pods that wait and are tried (`namespace/name`), if the moment is kept.
    pub fn waiting_keys(&self) -> BTreeSet<String> {
        let snapshots = self.now.iter().map(Now::snapshot);
        let waiting = snapshots.flat_map(|snapshot| {
            let pending = snapshot.pending();
            pending.filter(|pod| snapshot.held_by(pod).is_none())
        });
        waiting.map(|pod| pod.object.key()).collect()
    }

    /// Number of Pods that wait and are tried.
    pub fn waiting_pods(&self) -> usize {
        self.waiting.values().map(|waiting| waiting.pods).sum()
    }

    /// Number of Pods that wait without being tried.
    pub fn held_pods(&self) -> usize {
        self.waiting.values().map(|waiting| waiting.held).sum()
    }

    /// Number of waiting Pods of a workload.
    pub fn waiting_of(&self, workload: &Workload) -> usize {
        self.waiting.get(workload).map_or(0, |waiting| waiting.pods)
    }

    /// The workloads of which more Pods wait than at another end, with the number.
    pub fn more_than<'e>(
        &'e self,
        other: &'e Self,
    ) -> impl Iterator<Item = (&'e Workload, &'e Waiting, usize)> {
        self.waiting.iter().filter_map(|(workload, waiting)| {
            let more = waiting.pods.checked_sub(other.waiting_of(workload))?;
            (more > 0).then_some((workload, waiting, more))
        })
    }

    /// Number of Pods that wait more than at another end, summed over the workloads of which more wait.
    pub fn more_pods(&self, other: &Self) -> usize {
        self.more_than(other).map(|(_, _, more)| more).sum()
    }

    /// The workloads of which fewer Pods have a node than at another end, with the number.
    pub fn fewer_run_than<'e>(
        &'e self,
        other: &'e Self,
    ) -> impl Iterator<Item = (&'e Workload, usize)> {
        other.running.iter().filter_map(|(workload, pods)| {
            let now = self.running.get(workload).copied().unwrap_or(0);
            let fewer = pods.checked_sub(now)?;
            (fewer > 0).then_some((workload, fewer))
        })
    }

    /// Where controllers run, counts the Pods that they have not made again as waiting: a StatefulSet makes none before the
    /// one before it is ready. `before`: the end without the change.
    #[must_use]
    pub fn with_unmade(mut self, before: &Self) -> Self {
        let fewer: Vec<(Workload, usize)> = self
            .fewer_run_than(before)
            .filter(|(workload, _)| MAKE_PODS.contains(&workload.kind.as_str()))
            .map(|(workload, fewer)| (workload.clone(), fewer))
            .collect();
        for (workload, fewer) in fewer {
            let more = self.waiting_of(&workload);
            let more = more.saturating_sub(before.waiting_of(&workload));
            let unmade = fewer.saturating_sub(more);
            if unmade > 0 {
                self.waiting.entry(workload.clone()).or_default().pods += unmade;
                *self.again.entry(workload).or_default() += unmade;
            }
        }
        self
    }

    /// Number of Pods that came again and have a node.
    pub fn placed_pods(&self) -> usize {
        self.placed.values().flat_map(BTreeMap::values).sum()
    }

    /// The same for a workload.
    pub fn placed_of(&self, workload: &Workload) -> usize {
        let nodes = self.placed.get(workload);
        nodes.map_or(0, |nodes| nodes.values().sum())
    }
}

/// The waiting Pods, by workload.
fn waiting(snapshot: &Snapshot) -> BTreeMap<Workload, Waiting> {
    let mut all: BTreeMap<Workload, Waiting> = BTreeMap::new();
    for pod in snapshot.pending() {
        let of_it = all.entry(workload::of(pod)).or_default();
        if snapshot.held_by(pod).is_some() {
            of_it.held += 1;
            continue;
        }
        let priority = pod.priority();
        if of_it.pods == 0 || priority > of_it.priority {
            let object = &pod.object;
            of_it.priority = priority;
            of_it
                .class
                .clone_from(&object.template.spec.priority_class_name);
            of_it.first = Some((object.namespace.to_string(), object.name.to_string()));
        }
        of_it.pods += 1;
    }
    all
}

fn running(cluster: &Cluster) -> BTreeMap<Workload, usize> {
    let mut all: BTreeMap<Workload, usize> = BTreeMap::new();
    let placed = unfinished(cluster).filter(|pod| pod.node.is_some() && !stays(pod));
    for pod in placed {
        *all.entry(workload::of(pod)).or_default() += 1;
    }
    all
}

fn is_empty(cluster: &Cluster, node: &NodeInfo) -> bool {
    let mut pods = node.pods.iter().filter_map(|pod| cluster.pods().get(*pod));
    pods.all(stays)
}

/// Number of Pods that are on another node than before, without those whose node is gone.
fn moved(base: &Cluster, now: &Cluster) -> usize {
    let has_moved = |pod: &&PodInfo| {
        let object = &pod.object;
        let before = base.pods().find(&object.namespace, &object.name);
        let before = before.and_then(|before| before.object.node_name.as_ref());
        let node = object.node_name.as_ref();
        let is_elsewhere = |before: &Arc<str>| node.is_some_and(|node| node != before);
        before.is_some_and(|before| is_elsewhere(before) && now.find_node(before).is_some())
    };
    unfinished(now).filter(has_moved).count()
}
