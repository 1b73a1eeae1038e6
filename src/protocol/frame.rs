//! What a view shows of one moment: self-contained, names instead of ids.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The state at one position of the log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// From the `Scenario` document, empty if there is none.
    pub title: String,
    /// Attempts made before this moment.
    pub position: usize,
    /// Attempts in the log; more may follow unless `finished`.
    pub log_length: usize,
    /// The log is complete: no attempt follows its last.
    pub finished: bool,
    /// In document order.
    pub nodes: Vec<NodeFrame>,
    /// In document order; finished Pods (Succeeded, Failed) left out.
    pub pods: Vec<PodFrame>,
    pub queue: QueueFrame,
    /// One mark for every attempt of the log, in order.
    pub timeline: Vec<Mark>,
    pub problems: Vec<ProblemFrame>,
    /// Kinds that mean nothing to scheduling, with how many there are.
    pub ignored: BTreeMap<String, usize>,
    /// Changes whenever anything that the scheduler reads does.
    pub digest: String,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFrame {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub taints: Vec<TaintFrame>,
    /// Cordoned.
    pub unschedulable: bool,
    /// CPU, memory, Pods, then whatever else the node offers, by name.
    pub resources: Vec<ResourceFrame>,
    /// Keys of the Pods on it, in order of arrival.
    pub pods: Vec<String>,
    /// Conditions that are not as they should be (`Ready` false, or a pressure true), by type.
    pub bad_conditions: Vec<String>,
}

/// A taint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaintFrame {
    pub key: String,
    pub value: String,
    pub effect: String,
}

/// How much of a resource is asked for, of how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceFrame {
    /// `cpu` counts in milli-CPU, `memory` and `ephemeral-storage` in bytes, others in pieces.
    pub name: String,
    pub requested: i64,
    pub allocatable: i64,
}

/// Where a Pod stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PodState {
    Bound,
    #[default]
    Pending,
    Gated,
}

/// A Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodFrame {
    /// `namespace/name`.
    pub key: String,
    pub state: PodState,
    /// May name a node that does not exist.
    pub node: Option<String>,
    pub nominated_node: Option<String>,
    /// `Kind/name` of the controller; for Pods of a Deployment its ReplicaSet. Empty if none.
    pub owner: String,
    pub priority: i32,
    pub milli_cpu: i64,
    pub memory_bytes: i64,
    pub labels: BTreeMap<String, String>,
    /// Position in the log of its last attempt before this moment.
    pub last_attempt: Option<usize>,
    /// Why it waits, in the words of its last attempt or of its gates.
    pub message: String,
}

/// Waiting Pods by key, in the order in which the scheduler takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueFrame {
    /// Still to be tried in this round; the first is next.
    pub active: Vec<String>,
    /// Tried in vain; tried again when a round follows.
    pub unschedulable: Vec<String>,
    pub gated: Vec<String>,
    /// `schedulerName` names no profile.
    pub unmanaged: Vec<String>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    Bound,
    Failed,
    /// Fits nowhere yet, but room was made.
    Preempted,
    Error,
}

/// One attempt on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub pod: String,
    pub kind: MarkKind,
    /// The node that the Pod was bound or nominated to.
    pub node: Option<String>,
}

/// Something wrong with the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemFrame {
    /// `error` or `warning`.
    pub severity: String,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub path: String,
    pub message: String,
    pub help: String,
}
