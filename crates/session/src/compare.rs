//! Two runs side by side: which Pods came out differently, and what made the difference.

use std::collections::HashSet;

use berth_core::api::prepared::ControllerRef;
use berth_protocol::compare::{Cause, Comparison, Place, PodDifference, Summary};
use berth_protocol::cycle::{Code, Cycle, NodeScore};
use berth_protocol::frame::WaitingPods;
use berth_protocol::remark::Remark;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::pod::PodInfo;

use super::workload;
use crate::session::Session;
use crate::{explain, frame};

/// Compares two runs at their ends, where both have to be. `topology`: the key of the node label whose domains
/// workloads are spread over.
pub fn compare(a: &Session, b: &Session, topology: &str) -> Comparison {
    Comparison {
        a: Summary::of(&frame::build(a), topology),
        b: Summary::of(&frame::build(b), topology),
        kept: kept(a, b),
        pods: differences(a, b),
    }
}

/// The number of placed Pods that neither run tried, and that are on the same node in both.
fn kept(a: &Session, b: &Session) -> usize {
    let attempts = a.log().iter().chain(b.log());
    let tried = attempts.filter_map(|entry| entry.attempt());
    let tried: HashSet<&str> = tried.map(|attempt| attempt.key.as_str()).collect();
    let (first, other) = (a.run().cluster(), b.run().cluster());
    let is_kept = |pod: &&PodInfo| {
        let node = pod.object.node_name.as_ref();
        node.is_some()
            && find(other, pod).is_some_and(|now| now.object.node_name.as_ref() == node)
            && !tried.contains(pod.object.key().as_str())
    };
    unfinished(first).filter(is_kept).count()
}

/// The Pods that came out differently, without causes: those of A in document order, then those that only B has.
fn differences(a: &Session, b: &Session) -> Vec<PodDifference> {
    let (first, other) = (a.run().cluster(), b.run().cluster());
    let of_a = differing(first, other).map(|(pod, now)| PodDifference {
        pod: pod.object.key(),
        a: place(a, pod),
        b: match now {
            Some(now) => place(b, now),
            None => gone(b, &pod.object.key()),
        },
        cause: None,
    });
    let of_b = unfinished(other)
        .filter(|pod| find(first, pod).is_none())
        .map(|pod| PodDifference {
            pod: pod.object.key(),
            a: gone(a, &pod.object.key()),
            b: place(b, pod),
            cause: None,
        });
    of_a.chain(of_b).collect()
}

/// The Pods that have neither succeeded nor failed.
pub(crate) fn unfinished(cluster: &Cluster) -> impl Iterator<Item = &PodInfo> {
    cluster
        .pods()
        .iter()
        .filter(|pod| !pod.object.phase.is_terminal())
}

fn find<'c>(cluster: &'c Cluster, pod: &PodInfo) -> Option<&'c PodInfo> {
    let object = &pod.object;
    let found = cluster.pods().find(&object.namespace, &object.name)?;
    (!found.object.phase.is_terminal()).then_some(found)
}

/// Unfinished Pods of a cluster that are on another node, or missing, in the other cluster.
pub(crate) fn differing<'c>(
    first: &'c Cluster,
    other: &'c Cluster,
) -> impl Iterator<Item = (&'c PodInfo, Option<&'c PodInfo>)> {
    unfinished(first)
        .map(move |pod| (pod, find(other, pod)))
        .filter(|(pod, now)| now.is_none_or(|now| now.object.node_name != pod.object.node_name))
}

/// The Pods that wait in the other cluster and not in the first.
fn newly<'c>(first: &'c Cluster, other: &'c Cluster) -> impl Iterator<Item = &'c PodInfo> {
    let waits = |pod: &PodInfo| pod.object.node_name.is_none();
    unfinished(other).filter(move |pod| waits(pod) && !find(first, pod).is_some_and(waits))
}

/// The Pods that wait in the other cluster and not in the first, by workload, the most first.
pub(crate) fn newly_waiting(first: &Cluster, other: &Cluster) -> Vec<WaitingPods> {
    let mut found: Vec<WaitingPods> = Vec::new();
    for pod in newly(first, other) {
        let workload = workload::named(pod);
        match found.iter_mut().find(|known| known.workload == workload) {
            Some(known) => known.pods += 1,
            None => found.push(WaitingPods {
                workload,
                pods: 1,
                first: pod.object.key(),
            }),
        }
    }
    found.sort_by_key(|waiting| std::cmp::Reverse(waiting.pods));
    found
}

/// The highest priority above 0 of the Pods that wait in B and not in A: its class, or its value where it has none, and the
/// number of these Pods.
pub fn most_urgent(a: &Session, b: &Session) -> Option<(String, usize)> {
    let pods: Vec<&PodInfo> = newly(a.run().cluster(), b.run().cluster()).collect();
    let highest = pods.iter().map(|pod| pod.priority()).max()?;
    let of_it: Vec<&&PodInfo> = pods
        .iter()
        .filter(|pod| pod.priority() == highest)
        .collect();
    let class = of_it
        .first()?
        .object
        .template
        .spec
        .priority_class_name
        .clone();
    (highest > 0).then(|| (class.unwrap_or_else(|| highest.to_string()), of_it.len()))
}

/// Pods without a controller (`namespace/name`) whose node B lacks: nothing makes them again.
pub fn lost(a: &Session, b: &Session) -> Vec<String> {
    let other = b.run().cluster();
    let is_lost = |pod: &&PodInfo| {
        let object = &pod.object;
        let node = object.node_name.as_ref();
        object.template.controller.is_none()
            && node.is_some_and(|node| other.find_node(node).is_none())
            && find(other, pod).is_none()
    };
    let pods = unfinished(a.run().cluster()).filter(is_lost);
    pods.map(|pod| pod.object.key()).collect()
}

/// Number of Pods that wait in A and have a place in B.
pub fn relieved(a: &Session, b: &Session) -> usize {
    let (first, other) = (a.run().cluster(), b.run().cluster());
    let is_placed = |pod: &&PodInfo| find(other, pod).is_some();
    newly(other, first).filter(is_placed).count()
}

/// The Pods that wait in B and not in A, by workload, the most first.
pub fn waiting(a: &Session, b: &Session) -> Vec<WaitingPods> {
    newly_waiting(a.run().cluster(), b.run().cluster())
}

/// Whether a Pod stays on its node, and is gone with it.
pub(crate) fn stays(pod: &PodInfo) -> bool {
    let controller = pod.object.template.controller.as_ref();
    controller.is_some_and(ControllerRef::stays_on_its_node)
}

fn place(run: &Session, pod: &PodInfo) -> Place {
    match &pod.object.node_name {
        Some(node) => Place::Node(node.to_string()),
        None if run.run().gated().any(|gated| gated.ix == pod.ix) => Place::Gated,
        None => Place::Pending,
    }
}

/// Why a run has no such Pod.
fn gone(run: &Session, key: &str) -> Place {
    let mut attempts = run.log().iter().rev().filter_map(|entry| entry.attempt());
    let evicts = |it: &&berth_sim::run::Attempt| {
        let mut victims = it.victims.iter();
        victims.any(|victim| victim.object.key() == key)
    };
    match attempts.find(evicts) {
        Some(attempt) => Place::Evicted {
            by: attempt.key.clone(),
        },
        None => Place::Absent,
    }
}

/// What made the difference for a Pod, from its last attempts in both runs; the runs may have moved since.
///
/// # Errors
/// As [`crate::explain::attempt`].
pub fn cause(
    a: &Session,
    b: &Session,
    difference: &PodDifference,
) -> Result<Option<Cause>, Remark> {
    for place in [&difference.a, &difference.b] {
        if let Place::Evicted { by } = place {
            return Ok(Some(Cause::Preempted { by: by.clone() }));
        }
    }
    let (first, other) = (
        last_attempt(a, &difference.pod),
        last_attempt(b, &difference.pod),
    );
    match (first, other) {
        (Some(first), Some(other)) => Ok(of_cycles(
            &explain::attempt(a, first)?,
            &explain::attempt(b, other)?,
        )),
        (None, Some(_)) if difference.a != Place::Absent => {
            Ok(Some(Cause::NotTried { in_a: true }))
        }
        (Some(_), None) if difference.b != Place::Absent => {
            Ok(Some(Cause::NotTried { in_a: false }))
        }
        _ => Ok(None),
    }
}

/// The position of a Pod's last attempt.
fn last_attempt(run: &Session, key: &str) -> Option<usize> {
    run.log().iter().rposition(|entry| {
        let attempt = entry.attempt();
        attempt.is_some_and(|attempt| attempt.key == key)
    })
}

fn of_cycles(a: &Cycle, b: &Cycle) -> Option<Cause> {
    match (&a.selected, &b.selected) {
        (Some(to), Some(node)) if to == node => None,
        (_, Some(node)) => filtered(a, b, node, false)
            .or_else(|| filtered(b, a, a.selected.as_ref()?, true))
            .or_else(|| scored(a, b, a.selected.as_ref()?, node)),
        (Some(node), None) => filtered(b, a, node, true),
        (None, None) => None,
    }
}

/// Why a node that one cycle chose is not feasible in the other. `is_a`: the cycle that chose it is A's.
fn filtered(rejecting: &Cycle, choosing: &Cycle, node: &str, is_a: bool) -> Option<Cause> {
    let counts = (choosing.feasible().count(), rejecting.feasible().count());
    let filter = |plugin: &str| Cause::Filter {
        plugin: plugin.to_owned(),
        node: node.to_owned(),
        feasible_in_a: is_a,
        feasible: if is_a { counts } else { (counts.1, counts.0) },
    };
    let pre_filter = &rejecting.pre_filter;
    if pre_filter.code != Code::Success {
        return Some(filter(&pre_filter.plugin));
    }
    let report = rejecting.nodes.iter().find(|report| report.node == node)?;
    match &report.verdict {
        Some(verdict) if verdict.code == Code::Success => None,
        Some(verdict) => Some(filter(&verdict.plugin)),
        None => Some(Cause::NotExamined {
            node: node.to_owned(),
        }),
    }
}

/// The plugin whose points moved most towards B's node; all nodes are feasible in both.
fn scored(a: &Cycle, b: &Cycle, against: &str, node: &str) -> Option<Cause> {
    let (first, other) = (margins(a, node, against)?, margins(b, node, against)?);
    let mut most: Option<Cause> = None;
    let mut moved_most = 0;
    for (plugin, in_b) in &other {
        let in_a = first.iter().find(|(name, _)| name == plugin);
        let in_a = in_a.map_or(0, |(_, points)| *points);
        if in_b - in_a > moved_most {
            moved_most = in_b - in_a;
            most = Some(Cause::Score {
                plugin: (*plugin).to_owned(),
                node: node.to_owned(),
                against: against.to_owned(),
                points: (in_a, *in_b),
            });
        }
    }
    // A plugin that only A runs took points from B's node.
    for (plugin, in_a) in &first {
        let is_gone = other.iter().all(|(name, _)| name != plugin);
        if is_gone && -in_a > moved_most {
            moved_most = -in_a;
            most = Some(Cause::Score {
                plugin: (*plugin).to_owned(),
                node: node.to_owned(),
                against: against.to_owned(),
                points: (*in_a, 0),
            });
        }
    }
    most.or_else(|| {
        let tie = b.tie_break.as_ref().or(a.tie_break.as_ref())?;
        Some(Cause::Tie { among: tie.among })
    })
}

/// The weighted points of a node minus those of a second node, by plugin. A sole feasible node has no scores.
fn margins<'c>(cycle: &'c Cycle, node: &str, against: &str) -> Option<Vec<(&'c str, i64)>> {
    let scores = cycle.scores.as_ref()?;
    let of = |name: &str| -> Option<&NodeScore> { scores.iter().find(|score| score.node == name) };
    let (node, against) = (of(node)?, of(against)?);
    let pairs = node.plugins.iter().zip(&against.plugins);
    let margin = pairs.map(|(a, b)| (&*a.plugin, a.weighted - b.weighted));
    Some(margin.collect())
}
