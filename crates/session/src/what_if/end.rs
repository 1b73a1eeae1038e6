//! The end of a play, as far as answers read it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_protocol::what_if::Workload;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_sim::run::Run;

use super::Begun;
use crate::compare::{stays, unfinished};
use crate::workload;

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
    /// The run at its end, if it is kept.
    pub run: Option<Run>,
}

impl End {
    /// `base`: the cluster before the play. `is_shown`: whether the run is kept.
    pub fn of(ended: Begun, base: &Cluster, is_shown: bool) -> Self {
        let cluster = ended.run.snapshot().cluster();
        let mut end = Self {
            waiting: waiting(&ended.run),
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
            run: None,
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
        end.run = is_shown.then_some(ended.run);
        end
    }

    /// The Pods that wait and are tried (`namespace/name`), if the run is kept.
    pub fn waiting_keys(&self) -> BTreeSet<String> {
        let snapshots = self.run.iter().map(Run::snapshot);
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

/// The waiting Pods at the end of a run, by workload.
fn waiting(run: &Run) -> BTreeMap<Workload, Waiting> {
    let mut all: BTreeMap<Workload, Waiting> = BTreeMap::new();
    for pod in run.snapshot().pending() {
        let of_it = all.entry(workload::of(pod)).or_default();
        if run.snapshot().held_by(pod).is_some() {
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
