//! A snapshot of one moment for views, self-contained: names instead of indices.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::device::NodeDevices;
use super::drain::DrainPlan;
use super::edit::ObjectRef;
use super::gesture::Label;
use super::problem::Problem;

/// The state at one position of the log.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// From the `Scenario` document; empty without one.
    pub title: String,
    /// The rest of that document, if it says more than a title.
    #[serde(default, skip_serializing_if = "AboutFrame::is_empty")]
    pub about: AboutFrame,
    /// Number of log entries before this moment: attempts, and edits of the manifests.
    pub position: usize,
    /// Entries in the log; more may follow unless `finished`.
    pub log_length: usize,
    /// Whether the log is complete: no attempt follows.
    pub finished: bool,
    /// In document order.
    pub nodes: Vec<NodeFrame>,
    /// In document order, without finished Pods (Succeeded, Failed).
    pub pods: Vec<PodFrame>,
    /// Number of finished Pods; absent in JSON if there are none.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub ended: usize,
    /// Pods evicted for Pods that are still nominated, whether they are gone or terminating, in order of eviction;
    /// empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<PodFrame>,
    pub queue: QueueFrame,
    /// The current time in milliseconds since the start, if time passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now_ms: Option<i64>,
    /// One mark for every entry of the log, in order.
    pub timeline: Vec<Mark>,
    /// Present after an edit of the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<ForkFrame>,
    pub problems: Vec<Problem>,
    /// Number of objects of each kind that scheduling ignores.
    pub ignored: BTreeMap<String, usize>,
    /// Changes whenever the state that the scheduler reads changes.
    pub digest: String,
}

/// The `Scenario` document without its title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AboutFrame {
    /// Markdown source.
    pub description: String,
    /// Shown one after another.
    pub hints: Vec<String>,
    /// It says what to compare.
    #[serde(skip_serializing_if = "is_false")]
    pub compares: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl AboutFrame {
    /// Whether both fields are empty.
    pub fn is_empty(&self) -> bool {
        self.description.trim().is_empty() && self.hints.is_empty()
    }
}

fn is_none_of_them(number: &usize) -> bool {
    *number == 0
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFrame {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub taints: Vec<TaintFrame>,
    /// Cordoned.
    pub unschedulable: bool,
    /// CPU, memory, Pods, then the node's other resources by name.
    pub resources: Vec<ResourceFrame>,
    /// Keys of the Pods on the node, in order of arrival.
    pub pods: Vec<String>,
    /// Keys of the pending Pods nominated to the node, in order of nomination; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nominated: Vec<String>,
    /// The sums of what these Pods request, by resource; `pods` counts them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nominated_requests: BTreeMap<String, i64>,
    /// Unhealthy conditions (`Ready` false, or a pressure true), by type.
    pub bad_conditions: Vec<String>,
    /// The devices that it sees; `None` if no ResourceSlice publishes any for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[borsh(serialize_with = "super::device::write", deserialize_with = "super::device::read")]
    pub devices: Option<Box<NodeDevices>>,
}

impl NodeFrame {
    /// Allocatable CPU.
    pub fn milli_cpu(&self) -> i64 {
        self.resources.first().map_or(0, |cpu| cpu.allocatable)
    }

    /// What the nominated Pods request of a resource.
    pub fn nominated_request(&self, resource: &str) -> i64 {
        self.nominated_requests.get(resource).copied().unwrap_or(0)
    }
}

/// A taint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct TaintFrame {
    pub key: String,
    /// Empty if there is none.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

/// The requested and allocatable amounts of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct ResourceFrame {
    /// `cpu` counts in milli-CPU, `memory` and `ephemeral-storage` in bytes, others in pieces.
    pub name: String,
    pub requested: i64,
    pub allocatable: i64,
}

/// The state of a Pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum PodState {
    Bound,
    #[default]
    Pending,
    Gated,
}

/// A Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodFrame {
    /// `namespace/name`.
    pub key: String,
    pub state: PodState,
    /// May name a node that does not exist.
    pub node: Option<String>,
    pub nominated_node: Option<String>,
    /// `Kind/name` of the controller; the ReplicaSet for Pods of a Deployment. Empty if none.
    pub owner: String,
    pub priority: i32,
    pub milli_cpu: i64,
    pub memory_bytes: i64,
    /// Requests besides CPU and memory, in each resource's own unit; empty if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other_requests: BTreeMap<String, i64>,
    /// Keys of the node labels that its rules read: node selector, node affinity and topology keys, sorted;
    /// empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_keys: Vec<String>,
    pub labels: BTreeMap<String, String>,
    /// Log position of its last attempt before this moment.
    pub last_attempt: Option<usize>,
    /// Why it is pending: the message of its last attempt or of its scheduling gates.
    pub message: String,
    /// Why the scheduler never tries it; `None` if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<HeldBy>,
    /// If time passes, the state of an assigned Pod that is not simply running and ready: `Terminating`,
    /// a container's waiting reason (`CrashLoopBackOff`), or `NotReady`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl PodFrame {
    /// The workload's name, without the ReplicaSet's hash for Pods of a Deployment. A Pod without an owner is its own
    /// workload.
    pub fn workload_name(&self) -> &str {
        match self.owner.split_once('/') {
            Some(("ReplicaSet", name)) => {
                match (name.rsplit_once('-'), self.labels.get("pod-template-hash")) {
                    (Some((deployment, hash)), Some(label)) if hash == label => deployment,
                    _ => name,
                }
            }
            Some((_, name)) => name,
            None => self.key.rsplit('/').next().unwrap_or_default(),
        }
    }
}

/// Why a pending Pod is not in the scheduler's queue: one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum HeldBy {
    /// Its scheduling gates.
    Gates(Vec<String>),
    /// Its `schedulerName`, which no profile has.
    Scheduler(String),
}

/// Keys of pending Pods, in the order in which the scheduler tries them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct QueueFrame {
    /// Still to be tried in this round; the first is next.
    pub active: Vec<String>,
    /// Failed recently, in the order in which their backoff ends; only if time passes.
    pub backoff: Vec<String>,
    /// Failed; retried in the next round, or when an event may help.
    pub unschedulable: Vec<String>,
    pub gated: Vec<String>,
    /// `schedulerName` matches no profile.
    pub unmanaged: Vec<String>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    Bound,
    Failed,
    /// Unschedulable, but preemption made room.
    Preempted,
    Error,
    /// Not an attempt: the manifests were edited.
    Edited,
    /// Not an attempt: time passed and the cluster changed.
    Moment,
}

/// An attempt, edit or moment on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Mark {
    /// Empty if the entry is not an attempt.
    pub pod: String,
    pub kind: MarkKind,
    /// The node that the Pod was bound or nominated to.
    pub node: Option<String>,
    /// Milliseconds since the start, if time passes.
    #[serde(rename = "atMs", default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<i64>,
    /// What an edit changed, if it was one thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Box<ForkChange>>,
}

impl Mark {
    /// The mark of an edit.
    pub fn edited() -> Self {
        Self::plain(MarkKind::Edited)
    }

    /// A mark without a Pod.
    pub fn plain(kind: MarkKind) -> Self {
        Self {
            pod: String::new(),
            kind,
            node: None,
            at_ms: None,
            change: None,
        }
    }
}

/// A fork at this moment, compared with the end of the run that it branched off from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkFrame {
    /// Log position where it branched off.
    pub at: usize,
    /// What was changed, in the order in which it takes effect.
    pub changes: Vec<ForkChange>,
    /// Number of first changes that cannot be undone alone: a line of the terminal follows them.
    pub settled: usize,
    /// Number of entries of the first run.
    pub first_length: usize,
    /// The first run's entries after `at`; only some of a long run, but those of failed attempts first.
    pub first: Vec<FirstMark>,
    /// Both runs were tried to their ends; in a simulated cluster, to the same time. Until then, what follows is not
    /// known, and empty.
    pub tried: bool,
    pub pods_first: usize,
    pub placed_first: usize,
    pub pods_now: usize,
    pub placed_now: usize,
    /// Number of Pods whose node differs from the first run, without those that are gone with their nodes.
    pub different: usize,
    /// The first of these Pods: those that wait now, then those on another node, then those that are gone.
    pub differences: Vec<Difference>,
    /// The Pods that wait only in the fork, by workload, the most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingPods>,
    /// Number of Pods of DaemonSets and static Pods that are gone with their nodes; absent in JSON if there are none.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub gone: usize,
}

/// Pods of one workload that wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct WaitingPods {
    /// `Deployment shop/web`.
    pub workload: String,
    pub pods: usize,
    /// The first of them (`namespace/name`).
    pub first: String,
}

/// A change of an object, of the seed, or of the release, that a fork differs by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum ForkChange {
    /// An object was created.
    Created { object: ObjectRef },
    /// An object was deleted.
    Deleted { object: ObjectRef },
    /// A field, as kubectl names it: `spec.taints[0].effect`. Its values are JSON; `None` if it is absent.
    Field {
        object: ObjectRef,
        path: String,
        before: Option<String>,
        after: Option<String>,
    },
    /// The seed that breaks ties.
    Seed { before: u64, after: u64 },
    /// The Kubernetes release: `1.36`.
    Release { before: String, after: String },
    /// A line of the terminal that changed the simulated cluster.
    Command { line: String },
    /// A node was drained. The plan is that of the moment before.
    Drained { plan: DrainPlan },
    /// All nodes with a label were deleted; `pods` unfinished Pods were on them.
    ZoneLost {
        zone: Label,
        nodes: Vec<String>,
        pods: usize,
    },
    /// Copies of a node were added.
    NodesAdded { like: String, nodes: Vec<String> },
}

impl ForkChange {
    /// The node that it changes, or the first one that it adds; `None` if there is none, or it is gone.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Created { object } | Self::Field { object, .. } if object.kind == "Node" => {
                Some(&object.name)
            }
            Self::Drained { plan } => Some(&plan.node),
            Self::NodesAdded { nodes, .. } => nodes.first().map(String::as_str),
            Self::Created { .. }
            | Self::Deleted { .. }
            | Self::Field { .. }
            | Self::Seed { .. }
            | Self::Release { .. }
            | Self::Command { .. }
            | Self::ZoneLost { .. } => None,
        }
    }

    /// The line of the terminal that makes it, if there is one.
    pub fn line(&self) -> Option<&str> {
        match self {
            Self::Command { line } => Some(line),
            Self::Drained { plan } => Some(&plan.command),
            Self::Created { .. }
            | Self::Deleted { .. }
            | Self::Field { .. }
            | Self::Seed { .. }
            | Self::Release { .. }
            | Self::ZoneLost { .. }
            | Self::NodesAdded { .. } => None,
        }
    }
}

/// An entry of the run that a fork branched off from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct FirstMark {
    /// The simulated time in milliseconds; `None` without a clock.
    pub at_ms: Option<i64>,
    /// Position in the first run's log.
    pub position: usize,
    pub kind: MarkKind,
}

/// A Pod whose node differs from the first run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Difference {
    pub pod: String,
    /// Its node at the end of the first run; `None` if it was pending.
    pub first: Option<String>,
    /// Its node at the end of the fork; `None` if it is pending or does not exist.
    pub now: Option<String>,
    /// Whether the Pod exists at the end of the fork.
    pub exists: bool,
}
