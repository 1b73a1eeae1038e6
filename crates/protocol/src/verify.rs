//! What a comparison of a case with the answers of a real cluster came to.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// A case, compared with what a real cluster said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The release that Berth followed: `v1.36.3`.
    pub release: String,
    pub counts: Counts,
    /// In the order in which the cluster made them.
    pub attempts: Vec<VerifiedAttempt>,
    /// First those of attempts, in their order, then those of the cluster's files.
    pub differences: Vec<Difference>,
}

impl Verification {
    /// Whether nothing differs.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// By Score plugin, sorted: how many of its scores differ.
    pub fn differing_scores(&self) -> Vec<(&str, usize)> {
        let mut all: Vec<(&str, usize)> = Vec::new();
        for difference in &self.differences {
            let What::Score { plugin, .. } = &difference.what else {
                continue;
            };
            match all.iter_mut().find(|(known, _)| known == plugin) {
                Some((_, count)) => *count += 1,
                None => all.push((plugin, 1)),
            }
        }
        all.sort_unstable();
        all
    }
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Attempts: the node is among the best, or none is, as in the cluster.
    pub attempts: Count,
    /// Weighted scores of a plugin on a node.
    pub scores: Count,
    /// Total scores of a node.
    pub totals: Count,
    /// Texts of refused attempts: reasons and counts.
    pub messages: Count,
    /// Preemptions: the nominated node and the victims.
    pub preemptions: Count,
    /// `FailedScheduling` events of attempts that the log has.
    pub events: Count,
    /// Conditions `PodScheduled` with a reason against the last attempt, or gates.
    pub conditions: Count,
    /// Pods at the end: node, nomination, presence.
    pub pods: Count,
}

/// How many were compared, and how many are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    pub compared: usize,
    pub equal: usize,
}

impl Count {
    /// Counts one comparison.
    pub fn add(&mut self, is_equal: bool) {
        self.compared += 1;
        self.equal += usize::from(is_equal);
    }
}

/// An attempt of the cluster, beside Berth's on the same state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedAttempt {
    /// The Pod's name in the cluster: `namespace/name`.
    pub pod: String,
    /// Its name in the case, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case_pod: Option<String>,
    /// Its number among the attempts of the Pod, from 1.
    pub number: usize,
    pub cluster: Answer,
    pub berth: Answer,
    /// Number of scores that were compared.
    pub scores: usize,
    /// Number of its differences.
    pub differences: usize,
}

/// What an attempt came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The node, or of Berth's answer the best ones by name; empty if the Pod waits.
    pub nodes: Vec<String>,
    /// Why it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The room that preemption makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption: Option<Room>,
}

/// A node that preemption nominates, and its victims (`namespace/name`), sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Room {
    pub node: String,
    pub victims: Vec<String>,
}

/// Something that the cluster and Berth say differently, or that the cluster's files say in two ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The Pod's name in the cluster: `namespace/name`.
    pub pod: String,
    /// The number of the attempt among those of the Pod, from 1; `None`: it is about the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<usize>,
    #[serde(flatten)]
    pub what: What,
}

/// What differs. `cluster`: what the cluster said; `berth`: what Berth says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "what", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum What {
    /// The cluster placed the Pod on a node that Berth does not take.
    Node {
        cluster: String,
        /// The best nodes by name; none if the Pod waits.
        berth: Vec<String>,
        verdict: NodeVerdict,
        /// Why Berth lets it wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The Pod waits in the cluster, and Berth has nodes for it.
    Waits { cluster: String, berth: Vec<String> },
    /// It waits in both, for different reasons or with different counts.
    Message { cluster: String, berth: String },
    /// The number of nodes that pass all Filter plugins.
    Feasible { cluster: usize, berth: usize },
    /// A weighted score; `None`: there is none.
    Score {
        plugin: String,
        node: String,
        cluster: Option<i64>,
        berth: Option<i64>,
    },
    /// The total of a node; `None`: Berth does not score it.
    Total {
        node: String,
        cluster: i64,
        berth: Option<i64>,
    },
    /// The log does not add up: the scores of a node, and the total that stands there.
    Sum { node: String, sum: i64, total: i64 },
    /// Where preemption makes room, and which Pods go; `None`: there is no preemption.
    Preemption {
        cluster: Option<Room>,
        berth: Option<Room>,
    },
    /// The text of a `FailedScheduling` event is that of no attempt of the Pod.
    Event {
        cluster: String,
        /// What Berth says in the attempts, each once.
        berth: Vec<String>,
    },
    /// The condition `PodScheduled` against Berth's last attempt, or gate; `None`: Berth would schedule the Pod.
    Condition {
        cluster: String,
        berth: Option<String>,
    },
    /// `status.nominatedNodeName` at the end.
    Nomination {
        cluster: Option<String>,
        berth: Option<String>,
    },
    /// The cluster's files name different nodes; `None`: the Pod waits.
    Sources {
        file: File,
        /// What this file says.
        node: Option<String>,
        /// What the attempts say: the log, or else the events.
        attempts: Option<String>,
        /// What Berth said in the last attempt of the node that the Pods name.
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<NodeVerdict>,
    },
    /// The node that the case gives the Pod, and the one in the cluster.
    Given {
        case: String,
        cluster: Option<String>,
    },
    /// The cluster never tried the Pod, and nothing in the case holds it back.
    NeverTried,
    /// Berth does not try the Pod for this reason, but the cluster did.
    HeldBack { berth: String },
    /// The cluster tried a Pod that is not waiting in the case.
    NotWaiting,
    /// The Pod is not in the case.
    NotInCase,
    /// The Pod is not in the cluster, and no preemption says why.
    NotInCluster,
}

/// A file of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum File {
    Pods,
    Events,
}

/// What Berth says of the node that the cluster took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeVerdict {
    /// A plugin rejects it, with this reason.
    Rejected { plugin: String, reason: String },
    /// It passes, with a total below the highest.
    Behind { total: i64, highest: i64 },
    /// It was not examined, or is not in the case.
    Unknown,
}
