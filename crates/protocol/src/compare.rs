//! Two runs side by side: what each came to, and what made the difference for each Pod.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::frame::{Frame, MarkKind, NodeFrame, PodFrame};
use super::key::stays_on_its_node;

mod pairing;

pub use pairing::{Compared, Comparing, Origin, Pairing, Side, Which, ZONE};

/// The ends of two runs.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub a: Summary,
    pub b: Summary,
    /// Pods that both runs kept where they were, without an attempt.
    #[serde(default)]
    pub kept: usize,
    /// Pods that are elsewhere in B, or exist in one run only: those of A in document order, then those of B.
    pub pods: Vec<PodDifference>,
}

/// Figures of the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Unfinished Pods.
    pub pods: usize,
    /// Pods on a node that exists.
    pub placed: usize,
    /// Pods without a node, gated ones included.
    pub pending: usize,
    pub nodes: usize,
    /// Nodes with Pods other than those of DaemonSets and static ones.
    pub nodes_in_use: usize,
    pub cpu: Utilization,
    pub memory: Utilization,
    /// The widest spread of a workload over the topology; `None` if no workload of several Pods has one there.
    pub spread: Option<Spread>,
    /// Attempts that evicted Pods.
    pub preemptions: usize,
}

/// What is requested of a resource, in percent of each node's allocatable amount.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Utilization {
    pub mean: f64,
    /// The standard deviation over all nodes.
    pub deviation: f64,
    pub highest: f64,
}

/// A workload's Pods by domain of a topology.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// `namespace/Kind/name`; the ReplicaSet for Pods of a Deployment.
    pub workload: String,
    /// As [`PodFrame::workload_name`].
    pub name: String,
    /// Domains without any of its Pods included, if they have nodes.
    pub domains: BTreeMap<String, usize>,
}

impl Spread {
    /// The difference between the domain with most Pods and the one with fewest.
    pub fn skew(&self) -> usize {
        let most = self.domains.values().max().copied().unwrap_or_default();
        most - self.domains.values().min().copied().unwrap_or_default()
    }
}

/// Where a Pod is at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    Node(String),
    Pending,
    Gated,
    /// It was evicted for this Pod.
    Evicted {
        by: String,
    },
    /// The run has no such Pod.
    #[default]
    Absent,
}

/// A Pod that came out differently.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodDifference {
    /// `namespace/name`.
    pub pod: String,
    pub a: Place,
    pub b: Place,
    /// `None` if no attempt of both runs can be compared.
    pub cause: Option<Cause>,
}

/// The first thing that made the difference in a Pod's last attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Cause {
    /// A Filter or PreFilter plugin rejects the node in one run only.
    Filter {
        plugin: String,
        node: String,
        /// Whether the node is feasible in A; in B, it is the other way round.
        feasible_in_a: bool,
        /// How many nodes are feasible in A and in B.
        feasible: (usize, usize),
    },
    /// In A, the nodes' scores differ by so much from those in B. The plugin is the one whose weighted points moved
    /// most towards the node of B.
    Score {
        plugin: String,
        /// B's node.
        node: String,
        /// A's node.
        against: String,
        /// The weighted points of `node` minus those of `against`, in A and in B.
        points: (i64, i64),
    },
    /// All scores are equal: a tie was broken otherwise.
    Tie {
        /// Number of nodes with the highest total.
        among: u32,
    },
    /// It was evicted in one run.
    Preempted { by: String },
    /// It is gated, or of another scheduler, in one run.
    NotTried { in_a: bool },
    /// The search stopped before it came to the node in one run.
    NotExamined { node: String },
}

impl Summary {
    /// The figures of a frame, which must have its whole timeline. `topology`: a node label's key.
    pub fn of(frame: &Frame, topology: &str) -> Self {
        let placed = |pod: &&PodFrame| pod.node.is_some();
        let pods: BTreeMap<&str, &PodFrame> =
            frame.pods.iter().map(|pod| (&*pod.key, pod)).collect();
        let is_used = |node: &&NodeFrame| {
            let own = node.pods.iter().filter_map(|key| pods.get(key.as_str()));
            own.into_iter().any(|pod| !stays(&pod.owner))
        };
        let marks = frame.timeline.iter();
        Self {
            pods: frame.pods.len(),
            placed: frame.pods.iter().filter(placed).count(),
            pending: frame.pods.iter().filter(|pod| pod.node.is_none()).count(),
            nodes: frame.nodes.len(),
            nodes_in_use: frame.nodes.iter().filter(is_used).count(),
            cpu: Utilization::of(frame, 0),
            memory: Utilization::of(frame, 1),
            spread: widest(frame, topology),
            preemptions: marks
                .filter(|mark| mark.kind == MarkKind::Preempted)
                .count(),
        }
    }
}

impl Utilization {
    /// `resource`: its place in [`NodeFrame::resources`].
    fn of(frame: &Frame, resource: usize) -> Self {
        let of_node = |node: &NodeFrame| {
            let amounts = node.resources.get(resource)?;
            (amounts.allocatable > 0)
                .then(|| amounts.requested as f64 * 100.0 / amounts.allocatable as f64)
        };
        let all: Vec<f64> = frame.nodes.iter().filter_map(of_node).collect();
        if all.is_empty() {
            return Self::default();
        }
        let count = all.len() as f64;
        let mean = all.iter().sum::<f64>() / count;
        let squares = all.iter().map(|percent| (percent - mean).powi(2));
        Self {
            mean,
            deviation: (squares.sum::<f64>() / count).sqrt(),
            highest: all.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// Whether Pods of this owner (`Kind/name`) stay on their node.
fn stays(owner: &str) -> bool {
    owner
        .split_once('/')
        .is_some_and(|(kind, _)| stays_on_its_node(kind))
}

/// The workload with the largest skew; the first by name among equals.
fn widest(frame: &Frame, topology: &str) -> Option<Spread> {
    let domains = frame.nodes.iter().filter_map(|node| {
        let domain = node.labels.get(topology)?;
        Some((node.name.as_str(), domain.as_str()))
    });
    let domains: BTreeMap<&str, &str> = domains.collect();
    let empty: BTreeMap<String, usize> = domains
        .values()
        .map(|domain| ((*domain).to_owned(), 0))
        .collect();
    let mut workloads: BTreeMap<String, (usize, Spread)> = BTreeMap::new();
    for pod in &frame.pods {
        if pod.owner.is_empty() || stays(&pod.owner) {
            continue;
        }
        let namespace = pod.key.split('/').next().unwrap_or_default();
        let workload = format!("{namespace}/{}", pod.owner);
        let (size, spread) = workloads.entry(workload.clone()).or_insert_with(|| {
            let spread = Spread {
                workload,
                name: pod.workload_name().to_owned(),
                domains: empty.clone(),
            };
            (0, spread)
        });
        *size += 1;
        let domain = pod.node.as_deref().and_then(|node| domains.get(node));
        if let Some(count) = domain.and_then(|domain| spread.domains.get_mut(*domain)) {
            *count += 1;
        }
    }
    let spreads = workloads
        .into_values()
        .filter(|(size, spread)| *size > 1 && spread.domains.len() > 1);
    let mut widest: Option<Spread> = None;
    for (_, spread) in spreads {
        if widest
            .as_ref()
            .is_none_or(|widest| widest.skew() < spread.skew())
        {
            widest = Some(spread);
        }
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::{Spread, Summary};
    use crate::frame::{Frame, NodeFrame, PodFrame};

    /// The widest spread of two Pods of this owner, which share a zone.
    fn spread(owner: &str, hash: Option<&str>) -> Option<Spread> {
        let zone = |name: &str| NodeFrame {
            name: name.to_owned(),
            labels: [("zone".to_owned(), name.to_owned())].into(),
            ..NodeFrame::default()
        };
        let pod = |name: &str| PodFrame {
            key: format!("default/{name}"),
            owner: owner.to_owned(),
            node: Some("a".to_owned()),
            labels: hash
                .map(|hash| ("pod-template-hash".to_owned(), hash.to_owned()))
                .into_iter()
                .collect(),
            ..PodFrame::default()
        };
        let frame = Frame {
            nodes: ["a", "b"].map(zone).into(),
            pods: ["x", "y"].map(pod).into(),
            ..Frame::default()
        };
        Summary::of(&frame, "zone").spread
    }

    #[test]
    fn only_a_deployments_replica_set_loses_its_hash() {
        let spread_of = |owner, hash| {
            let spread = spread(owner, hash).expect("two Pods in two zones");
            assert_eq!(spread.skew(), 2);
            (spread.workload, spread.name)
        };
        assert_eq!(
            spread_of("ReplicaSet/front-end", None),
            ("default/ReplicaSet/front-end".into(), "front-end".into())
        );
        assert_eq!(
            spread_of("ReplicaSet/front-end-5d9c", Some("5d9c")).1,
            "front-end"
        );
        assert_eq!(spread_of("StatefulSet/web-db", None).1, "web-db");
    }
}
