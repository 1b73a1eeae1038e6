//! Happenings in a simulated cluster as data. The simulator derives them from its record; the page and the
//! command-line tool each format them.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// One happening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Happening {
    /// Milliseconds since the start of the cluster.
    pub at_ms: i64,
    #[serde(flatten)]
    pub what: What,
}

/// The kind of a happening. Pods are named `namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum What {
    /// A step of a script, with its changes in the notation of the recordings; empty if all of them were refused.
    #[serde(rename_all = "camelCase")]
    Step { changes: Vec<String> },
    /// A scheduling cycle.
    Attempt(Attempted),
    /// The scheduling queue moved or kept a Pod.
    #[serde(rename_all = "camelCase")]
    Queue { pod: String, action: QueueAction },
    /// A write to the API server.
    #[serde(rename_all = "camelCase")]
    Write { write: Write },
    /// An event, as `kubectl describe` shows it. `object_kind` and `object` name the involved object.
    #[serde(rename_all = "camelCase")]
    Event {
        object_kind: String,
        object: String,
        reason: String,
        message: String,
    },
    /// A Pod changed its state on its node.
    #[serde(rename_all = "camelCase")]
    Pod { pod: String, state: PodState },
}

/// A scheduling cycle and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempted {
    pub pod: String,
    /// Number of the Pod's attempts, including this one.
    pub attempt: u32,
    pub ending: Ending,
    /// The outcome of a successful preemption.
    pub preempts: Option<Preempts>,
    /// Where the queue put the Pod afterwards, if it is still pending.
    pub requeued: Option<Requeued>,
    /// kube-scheduler's label of the first event during the cycle that may help the Pod.
    pub meanwhile: Option<String>,
}

impl Attempted {
    /// Whether no node could take the Pod.
    pub fn is_rejected(&self) -> bool {
        matches!(self.ending, Ending::Unschedulable { .. })
    }
}

/// How a cycle ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "result", rename_all = "camelCase")]
pub enum Ending {
    #[serde(rename_all = "camelCase")]
    Bound { node: String },
    /// `message` is kube-scheduler's FitError.
    #[serde(rename_all = "camelCase")]
    Unschedulable { message: String },
    #[serde(rename_all = "camelCase")]
    Error { message: String },
    /// The Pod is being deleted.
    Skipped,
}

/// A preemption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preempts {
    pub node: String,
    /// In the order of deletion.
    pub victims: Vec<String>,
}

/// A place in the scheduling queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// activeQ.
    Active,
    /// backoffQ, or the queue of Pods that failed with an error.
    Backoff,
    /// unschedulablePods, which wait for an event that may help; includes gated Pods.
    Unschedulable,
}

impl Place {
    /// The name in the recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Backoff => "backoff",
            Self::Unschedulable => "unschedulable",
        }
    }
}

/// The queue that a Pod was put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Requeued {
    pub to: Place,
    /// The end of its backoff, in milliseconds since the start of the cluster.
    pub until_ms: Option<i64>,
}

/// An action of the queue on a pending Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum QueueAction {
    /// A PreEnqueue plugin keeps a new Pod out of the queue.
    #[serde(rename_all = "camelCase")]
    Gated { plugin: String },
    /// `by` is kube-scheduler's label of the event.
    #[serde(rename_all = "camelCase")]
    Moved {
        by: String,
        to: Requeued,
        why: WhyMoved,
    },
    /// An event did not move the Pod: according to these plugins, which rejected it, the event does not help.
    #[serde(rename_all = "camelCase")]
    Kept { by: String, plugins: Vec<String> },
}

/// Why an event moved a Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "why", rename_all = "camelCase")]
pub enum WhyMoved {
    /// The Pod waited long enough; no event was needed.
    TimePassed,
    /// No plugin rejected the Pod, so any event moves it.
    NoPluginRejected,
    /// The queueing hint of a plugin that rejected it returned `Queue`.
    #[serde(rename_all = "camelCase")]
    MayHelp { plugin: String },
    /// A plugin that rejected it registered for the event without a hint.
    #[serde(rename_all = "camelCase")]
    NoHint { plugin: String },
}

/// The state of a Pod on its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodState {
    Running,
    Ready,
    NotReady,
    Succeeded,
    Failed,
    Gone,
}

impl PodState {
    /// The name in the recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ready => "ready",
            Self::NotReady => "notReady",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Gone => "gone",
        }
    }
}

/// A write to the API server. Objects are named `namespace/name`, or by their name alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "verb", rename_all = "camelCase")]
pub enum Write {
    #[serde(rename_all = "camelCase")]
    Create {
        object_kind: String,
        object: String,
        with: Option<Initial>,
    },
    #[serde(rename_all = "camelCase")]
    Delete { object_kind: String, object: String },
    /// An update of a ReplicaSet's `spec.replicas`.
    #[serde(rename_all = "camelCase")]
    Scale { object: String, from: i32, to: i32 },
    #[serde(rename_all = "camelCase")]
    Bind { pod: String, node: String },
    /// An update of a ControllerRevision's `revision`: an old revision became the newest again.
    #[serde(rename_all = "camelCase")]
    Renumber { object: String, from: i64, to: i64 },
}

/// The characteristic field of a new object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Initial {
    Replicas(i32),
    Revision(i64),
    Node(String),
}

/// The notation of the recordings: `create ReplicaSet default/web-6d5f replicas=3`.
impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create {
                object_kind,
                object,
                with,
            } => {
                write!(f, "create {object_kind} {object}")?;
                match with {
                    Some(Initial::Replicas(replicas)) => write!(f, " replicas={replicas}"),
                    Some(Initial::Revision(revision)) => write!(f, " revision={revision}"),
                    Some(Initial::Node(node)) => write!(f, " node={node}"),
                    None => Ok(()),
                }
            }
            Self::Delete {
                object_kind,
                object,
            } => write!(f, "delete {object_kind} {object}"),
            Self::Scale { object, from, to } => write!(f, "scale ReplicaSet {object} {from}->{to}"),
            Self::Bind { pod, node } => write!(f, "bind Pod {pod} node={node}"),
            Self::Renumber { object, from, to } => {
                write!(f, "renumber ControllerRevision {object} {from}->{to}")
            }
        }
    }
}

impl Happening {
    /// The queue's action on this Pod, if the queue moved or kept it.
    pub fn move_of(&self, pod: &str) -> Option<&QueueAction> {
        match &self.what {
            What::Queue { pod: moved, action } if moved == pod => match action {
                QueueAction::Moved { .. } | QueueAction::Kept { .. } => Some(action),
                QueueAction::Gated { .. } => None,
            },
            _ => None,
        }
    }

    /// The attempt, if this is an attempt of the Pod.
    pub fn attempt_of(&self, pod: &str) -> Option<&Attempted> {
        match &self.what {
            What::Attempt(attempted) if attempted.pod == pod => Some(attempted),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Happening, Initial, What, Write};

    #[test]
    fn a_happening_survives_borsh_and_json() {
        let happening = Happening {
            at_ms: 1_234,
            what: What::Write {
                write: Write::Create {
                    object_kind: "ReplicaSet".to_owned(),
                    object: "default/web-6d5f".to_owned(),
                    with: Some(Initial::Replicas(3)),
                },
            },
        };
        let bytes = borsh::to_vec(&happening).unwrap();
        assert_eq!(borsh::from_slice::<Happening>(&bytes).unwrap(), happening);
        let json = serde_json::to_string(&happening).unwrap();
        assert_eq!(serde_json::from_str::<Happening>(&json).unwrap(), happening);
    }

    #[test]
    fn writes_are_displayed_as_the_recordings_have_them() {
        let scale = Write::Scale {
            object: "default/web".to_owned(),
            from: 1,
            to: 3,
        };
        assert_eq!(scale.to_string(), "scale ReplicaSet default/web 1->3");
        let bind = Write::Bind {
            pod: "default/web-1".to_owned(),
            node: "n1".to_owned(),
        };
        assert_eq!(bind.to_string(), "bind Pod default/web-1 node=n1");
    }
}
