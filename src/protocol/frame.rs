//! What a view shows of one moment: self-contained, names instead of ids.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::problem::Problem;

/// The state at one position of the log.
#[derive(
    Clone, Debug, Default, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// From the `Scenario` document, empty if there is none.
    pub title: String,
    #[serde(default, skip_serializing_if = "AboutFrame::is_empty")]
    pub about: AboutFrame,
    /// Entries of the log before this moment: attempts, and edits of the manifests.
    pub position: usize,
    /// Entries in the log; more may follow unless `finished`.
    pub log_length: usize,
    /// The log is complete: no attempt follows its last.
    pub finished: bool,
    /// In document order.
    pub nodes: Vec<NodeFrame>,
    /// In document order; finished Pods (Succeeded, Failed) left out.
    pub pods: Vec<PodFrame>,
    /// How many those are.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub ended: usize,
    pub queue: QueueFrame,
    /// What time it is, in milliseconds since the beginning: only where time passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now_ms: Option<i64>,
    /// One mark for every entry of the log, in order.
    pub timeline: Vec<Mark>,
    /// Present while the run goes on from an edit of the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<ForkFrame>,
    pub problems: Vec<Problem>,
    /// Kinds that mean nothing to scheduling, with how many there are.
    pub ignored: BTreeMap<String, usize>,
    /// Changes whenever anything that the scheduler reads does.
    pub digest: String,
}

/// What the `Scenario` document says besides its title.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase", default)]
pub struct AboutFrame {
    /// Markdown, as it was written.
    pub description: String,
    /// To be shown one after another.
    pub hints: Vec<String>,
}

impl AboutFrame {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.description.trim().is_empty() && self.hints.is_empty()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none_of_them(number: &usize) -> bool {
    *number == 0
}

/// A node.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
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
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct TaintFrame {
    pub key: String,
    pub value: String,
    pub effect: String,
}

/// How much of a resource is asked for, of how much.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct ResourceFrame {
    /// `cpu` counts in milli-CPU, `memory` and `ephemeral-storage` in bytes, others in pieces.
    pub name: String,
    pub requested: i64,
    pub allocatable: i64,
}

/// Where a Pod stands.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PodState {
    Bound,
    #[default]
    Pending,
    Gated,
}

/// A Pod.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
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
    /// Where time passes, what a Pod on a node is if it is not simply running and ready: `Terminating`,
    /// what a container waits for (`CrashLoopBackOff`), or `NotReady`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// Waiting Pods by key, in the order in which the scheduler takes them.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct QueueFrame {
    /// Still to be tried in this round; the first is next.
    pub active: Vec<String>,
    /// Tried in vain a short while ago, in the order in which they may be tried again; only where time
    /// passes.
    pub backoff: Vec<String>,
    /// Tried in vain; tried again when a round follows, or when something happens that may help.
    pub unschedulable: Vec<String>,
    pub gated: Vec<String>,
    /// `schedulerName` names no profile.
    pub unmanaged: Vec<String>,
}

/// How an attempt ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    Bound,
    Failed,
    /// Fits nowhere yet, but room was made.
    Preempted,
    Error,
    /// Not an attempt: the manifests were changed.
    Edited,
    /// Not an attempt: time went on, and things happened.
    Moment,
}

/// One attempt, or edit, on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Mark {
    /// Empty for an edit.
    pub pod: String,
    pub kind: MarkKind,
    /// The node that the Pod was bound or nominated to.
    pub node: Option<String>,
}

impl Mark {
    /// The mark of an edit.
    pub fn edited() -> Self {
        Self::plain(MarkKind::Edited)
    }

    /// A mark of no Pod.
    pub fn plain(kind: MarkKind) -> Self {
        Self {
            pod: String::new(),
            kind,
            node: None,
        }
    }
}

/// A fork at this moment, compared with the end of the run that it branched off from.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct ForkFrame {
    /// Position of the log that it branched off at.
    pub at: usize,
    pub pods_first: usize,
    pub placed_first: usize,
    pub pods_now: usize,
    pub placed_now: usize,
    /// How many Pods of the first run are elsewhere now.
    pub different: usize,
    /// The first of them, in document order.
    pub differences: Vec<Difference>,
}

/// A Pod that is elsewhere than in the first run.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize,
)]
pub struct Difference {
    pub pod: String,
    /// Its node at the end of the first run; `None` if it waited.
    pub first: Option<String>,
    /// Its node now; `None` if it waits, or is not there.
    pub now: Option<String>,
    /// Whether it is there.
    pub exists: bool,
}
