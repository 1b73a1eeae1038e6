//! What-ifs: questions about a cluster, and their answers.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::compare::Summary;
use super::key::short;

mod evictions;

pub use evictions::{
    EvictedPod, Evictions, Idle, NodeUse, PluginLeftOut, PluginRun, Refused, Use, Utilization,
};

/// What happens to the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "what")]
pub enum Question {
    /// Nodes vanish with their Pods. `labels`: the selectors by which they were named.
    Lose {
        nodes: Vec<String>,
        labels: Vec<String>,
    },
    /// Nodes like this one come, with these names.
    Add { like: String, nodes: Vec<String> },
    /// More replicas like the newest Pod of a workload come.
    Fit { workload: Workload, at_most: usize },
    /// Every Pod that can move is placed again.
    Anew,
    /// Nodes are drained as by `kubectl drain`, one after the other. `labels`: the selectors by which they were named.
    Drain {
        nodes: Vec<String>,
        labels: Vec<String>,
    },
    /// The nodes of a pool are replaced by new ones, in batches.
    Upgrade {
        pool: String,
        nodes: Vec<String>,
        max_unavailable: usize,
        max_surge: usize,
    },
    /// Nodes go, as long as their Pods are placed again. `pool`: if only those of a pool may go.
    Shrink { pool: Option<String>, nodes: usize },
    /// A cycle of the descheduler. `plugins`: those of its policy that are played, in the order in which they run.
    Evict { plugins: Vec<String> },
}

/// A question as a user asks it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Asking {
    /// `what`: a node, or all nodes with a label (`LABEL=VALUE`).
    Lose {
        what: String,
    },
    /// Each node in turn, or the nodes of each value of a label.
    LoseEach {
        label: Option<String>,
    },
    /// Nodes like this one, or like the first by name with a label.
    Add {
        like: String,
        count: u32,
    },
    Need,
    /// `NAMESPACE/NAME`, or a name in namespace `default`.
    Fit {
        workload: String,
    },
    Anew,
    /// `what`: as for a loss.
    Drain {
        what: String,
    },
    /// Each node in turn, or the nodes of each value of a label.
    DrainEach {
        label: Option<String>,
    },
    /// `pool`: whose nodes are replaced; a pool, or nodes with a label.
    Upgrade {
        pool: String,
        max_unavailable: u32,
        max_surge: u32,
    },
    /// `pool`: whose nodes may go, as for an upgrade; those of all if it is empty.
    Shrink {
        pool: String,
    },
}

/// A workload, or a Pod without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workload {
    pub namespace: String,
    /// A Deployment in place of its ReplicaSets.
    pub kind: String,
    pub name: String,
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            namespace,
            kind,
            name,
        } = self;
        let key = format!("{namespace}/{name}");
        write!(f, "{kind} {}", short(&key))
    }
}

/// A number that may depend on the order in which controllers make Pods again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// In the order of namespaces and names.
    pub by_name: usize,
    /// The least of all orders that were played.
    pub least: usize,
    /// The most of them.
    pub most: usize,
}

impl Count {
    /// The count of numbers, that of the order of names first.
    pub fn of(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut numbers = numbers.into_iter();
        let first = numbers.next().unwrap_or_default();
        let all = Self {
            by_name: first,
            least: first,
            most: first,
        };
        numbers.fold(all, |all, number| Self {
            least: all.least.min(number),
            most: all.most.max(number),
            ..all
        })
    }

    /// Whether all orders agree.
    pub fn is_one(&self) -> bool {
        self.least == self.most
    }
}

/// Pods on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct OnNode {
    pub node: String,
    pub pods: usize,
}

/// Pods on the nodes of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct InPool {
    /// Empty for nodes without a label that names a pool.
    pub pool: String,
    pub pods: usize,
}

/// Pods of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodsOf {
    #[serde(flatten)]
    pub workload: Workload,
    pub pods: usize,
}

/// What an answer says of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfWorkload {
    #[serde(flatten)]
    pub workload: Workload,
    /// Number of its Pods that lose their place and come again, that are asked for, or, where nodes come, that wait without
    /// them.
    pub again: usize,
    /// Those of them that have a node at the end.
    pub placed: Count,
    /// The nodes of those, in the order of names.
    pub nodes: Vec<OnNode>,
    /// Number of its Pods that wait without the change.
    pub waiting_before: usize,
    /// Number of its Pods that wait with it.
    pub waiting: Count,
    /// Number of its Pods that have scheduling gates or another scheduler, and wait without being tried.
    pub held: usize,
    /// The highest priority of those that wait, in the order of names.
    pub priority: i32,
    /// kube-scheduler's message for the first of them.
    pub message: String,
    /// Why it waits, as a sentence.
    pub reason: String,
}

impl OfWorkload {
    /// How many more of its Pods wait.
    pub fn more(&self) -> Count {
        let more = |waiting: usize| waiting.saturating_sub(self.waiting_before);
        Count {
            by_name: more(self.waiting.by_name),
            least: more(self.waiting.least),
            most: more(self.waiting.most),
        }
    }
}

/// The Pods of highest priority among those that wait more than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Urgent {
    /// The PriorityClass, or the priority where there is none.
    pub priority: String,
    pub value: i32,
    pub pods: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub question: Option<Question>,
    /// The Kubernetes release that was followed.
    pub release: String,
    /// Seed of the ties in the order of names.
    pub seed: u64,
    /// Number of further orders that were played, by the seeds from 1.
    pub orders: usize,
    /// Number of workloads that were inferred from their Pods.
    pub inferred: usize,
    /// Pods without a controller whose node is gone (`namespace/name`): nothing makes them again.
    pub lost: Vec<String>,
    /// Number of Pods of DaemonSets and of static Pods that are gone with their nodes.
    pub gone: usize,
    /// Number of Pods that lose their place and come again, that are asked for, or, where nodes come, that wait without
    /// them.
    pub again: usize,
    /// Those of them that have a node at the end.
    pub placed: Count,
    /// Number of Pods that wait without the change. Those that are held are not among them.
    pub waiting_before: usize,
    /// Number of Pods that wait with it.
    pub waiting: Count,
    /// How many more Pods wait, summed over the workloads of which more wait.
    pub more: Count,
    /// How many fewer, summed over the others.
    pub fewer: Count,
    /// Number of Pods with scheduling gates or another scheduler; they wait without being tried.
    pub held: usize,
    /// Of those that wait more than before, in the order of names; `None` if their priority is 0 or less.
    pub urgent: Option<Urgent>,
    /// Number of Pods that are on another node than before, without those whose node is gone.
    pub moved: Count,
    /// Nodes without Pods but those of DaemonSets and static ones.
    pub empty_before: usize,
    pub empty: Count,
    /// The workloads that the change concerns, and those of which Pods wait: first those of which more wait, the most
    /// first.
    pub workloads: Vec<OfWorkload>,
    /// More replicas that were asked for and have a node, by pool of nodes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pools: Vec<InPool>,
    /// The figures without the change, and with it in the order of names.
    pub figures_before: Summary,
    pub figures: Summary,
    /// Of questions in which nodes are drained: how that went, in the order of names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drains: Option<Box<Drains>>,
    /// Of a cycle of the descheduler: what it evicts, in the order of names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evictions: Option<Box<Evictions>>,
}

/// What the loss of some nodes comes to, in the order of names.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Loss {
    /// The node, or the value of the label that the nodes share.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of Pods that come again.
    pub again: usize,
    pub gone: usize,
    pub lost: Vec<String>,
    /// Number of Pods that wait.
    pub waiting: usize,
    /// How many more Pods wait, summed over the workloads of which more wait.
    pub more: usize,
    pub urgent: Option<Urgent>,
    /// The workloads of which more Pods wait, the most first.
    pub workloads: Vec<PodsOf>,
    /// If the nodes are drained instead of lost: how that went.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drains: Option<Box<Drains>>,
}

impl Loss {
    /// Whether nothing is worse with it, and no drain blocks.
    pub fn is_harmless(&self) -> bool {
        let drains = self.drains.as_ref();
        let is_blocked = drains.is_some_and(|it| !it.blocked.is_empty());
        self.more == 0 && self.lost.is_empty() && !is_blocked
    }
}

/// What each loss comes to, the worst first.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Losses {
    pub release: String,
    pub seed: u64,
    pub inferred: usize,
    /// The node label that tells the groups apart; `None`: each node is one.
    pub label: Option<String>,
    pub waiting_before: usize,
    pub held: usize,
    pub losses: Vec<Loss>,
}

/// New nodes like one of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodesLike {
    /// Empty for nodes without a label that names a pool.
    pub pool: String,
    /// Empty for nodes without a zone.
    pub zone: String,
    pub like: String,
    pub nodes: usize,
    /// Number of waiting Pods that are placed with them.
    pub placed: usize,
    /// Number of Pods that wait with them.
    pub leaves: usize,
}

/// Waiting Pods that no node like an existing one helps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unhelped {
    #[serde(flatten)]
    pub workload: Workload,
    pub pods: usize,
    /// kube-scheduler's message for the first of them.
    pub message: String,
    /// Why it waits, as a sentence.
    pub reason: String,
}

/// How many nodes the waiting Pods need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    pub release: String,
    pub seed: u64,
    pub inferred: usize,
    pub waiting_before: usize,
    pub held: usize,
    /// For each pool and zone whose nodes help a Pod, the fewest that help all that they can; those that leave the fewest
    /// waiting first.
    pub pools: Vec<NodesLike>,
    /// Where no pool helps all that can be helped: a mix that does, found node by node. It leaves `leaves` Pods waiting as
    /// a whole.
    pub mix: Vec<NodesLike>,
    pub unhelped: Vec<Unhelped>,
}

/// How nodes were drained, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Drains {
    /// In the order in which it was done.
    pub nodes: Vec<NodeDrain>,
    pub blocked: Vec<BlockedPod>,
    /// Evicted Pods whose controllers Berth does not run (`namespace/name`): it cannot say where these make them again.
    pub unmade: Vec<String>,
    /// Time until all that can be placed again is ready, in seconds.
    pub seconds: i64,
    /// Nodes that came.
    pub came: Vec<String>,
    /// Nodes that may not go, in the order in which they were tried.
    pub kept: Vec<Kept>,
    /// The sum of the prices of the nodes that go; `None` without prices.
    pub saved: Option<f64>,
    /// Nodes that go and have no price, if there are prices.
    pub unpriced: Vec<String>,
    /// The same as lines of a terminal.
    pub lines: Vec<String>,
}

/// The drain of a node. Times are in seconds since the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDrain {
    pub node: String,
    /// The number of its batch, from 1; of a drain or of nodes that go, its place.
    pub batch: usize,
    pub from: i64,
    pub until: i64,
    /// Whether it came to its end; otherwise Pods of the node are [`Drains::blocked`].
    pub is_drained: bool,
    /// Number of Pods that were evicted.
    pub evicted: usize,
    /// The same by workload, the most first.
    pub workloads: Vec<PodsOf>,
    /// Budgets that refused evictions for some time.
    pub held: Vec<HeldUp>,
}

/// A budget that refused evictions for some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldUp {
    /// `namespace/name`.
    pub budget: String,
    pub seconds: i64,
}

/// A Pod that cannot be evicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockedPod {
    /// `namespace/name`.
    pub pod: String,
    pub node: String,
    /// The budgets that it belongs to (`namespace/name`). None: it is being deleted, and its kubelet does not answer.
    pub budgets: Vec<String>,
    /// Number of ready Pods that the budget needs, that it has, and of its Pods.
    pub needs: i32,
    pub healthy: i32,
    pub pods: i32,
    /// Since when, in seconds since the beginning.
    pub since: i64,
    /// The API server's words.
    pub cause: String,
}

/// A node that may not go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub node: String,
    #[serde(flatten)]
    pub why: WhyKept,
}

/// Why a node may not go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "why")]
pub enum WhyKept {
    /// Its label says that it is of the control plane.
    #[default]
    ControlPlane,
    /// This Pod would be lost for good, or its controller is none that Berth runs.
    Lost { pod: String },
    /// The Pod cannot be evicted.
    Blocked { pod: String, budgets: Vec<String> },
    /// The Pod tolerates that the node is cordoned, and comes again to it.
    Returns { pod: String },
    /// So many more Pods of this workload, among others, would wait; `reason`: kube-scheduler's message.
    Waits {
        workload: Workload,
        pods: usize,
        reason: String,
    },
}

/// An answer of any kind.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum Answered {
    Answer(Box<Answer>),
    Losses(Losses),
    Need(Need),
}

impl Answer {
    /// Whether a table has a row for the workload: the change concerns it. Of new nodes it says why they do not help; placed
    /// again, most workloads are concerned.
    pub fn lists(&self, row: &OfWorkload) -> bool {
        let changes = row.waiting.most != row.waiting_before || !row.waiting.is_one();
        match self.question {
            Some(Question::Add { .. }) => changes || row.waiting.most > 0,
            Some(Question::Anew) => changes,
            Some(
                Question::Lose { .. }
                | Question::Fit { .. }
                | Question::Drain { .. }
                | Question::Upgrade { .. }
                | Question::Shrink { .. }
                | Question::Evict { .. },
            )
            | None => changes || row.again > 0,
        }
    }
}

impl Answered {
    /// The workloads whose Pods may wait and that a table lists.
    pub fn listed(&self) -> Vec<&Workload> {
        match self {
            Self::Answer(answer) => {
                let rows = answer.workloads.iter().filter(|row| answer.lists(row));
                rows.map(|row| &row.workload).collect()
            }
            Self::Need(need) => need.unhelped.iter().map(|row| &row.workload).collect(),
            Self::Losses(_) => Vec::new(),
        }
    }

    /// Fills in why workloads wait, where `why` knows it: kube-scheduler's message, and a sentence.
    pub fn explain(&mut self, mut why: impl FnMut(&Workload) -> Option<(String, String)>) {
        match self {
            Self::Answer(answer) => {
                for row in &mut answer.workloads {
                    if let Some(told) = why(&row.workload) {
                        (row.message, row.reason) = told;
                    }
                }
            }
            Self::Need(need) => {
                for row in &mut need.unhelped {
                    if let Some(told) = why(&row.workload) {
                        (row.message, row.reason) = told;
                    }
                }
            }
            Self::Losses(_) => {}
        }
    }
}
