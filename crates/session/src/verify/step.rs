//! An attempt as the cluster's files tell it.

use berth_protocol::verify::Room;

/// What became of the Pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    Bound(String),
    /// It fits nowhere, with kube-scheduler's text.
    Refused(String),
    /// The attempt ended with an error, with its text.
    Failed(String),
    /// The log ends before.
    #[default]
    Unknown,
}

/// Where an attempt is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Teller {
    #[default]
    Log,
    /// An event or, of a bound Pod, its condition.
    Event,
    /// The condition of a waiting Pod alone: it says what the last attempt came to, and not when that was.
    Condition,
}

/// A weighted score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Score {
    pub plugin: String,
    pub node: String,
    pub score: i64,
}

/// An attempt of the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// `namespace/name` in the cluster.
    pub pod: String,
    pub teller: Teller,
    pub result: Outcome,
    /// The room that a preemption made. `None`: the files do not tell; `Some(None)`: there was no preemption.
    pub preemption: Option<Option<Room>>,
    pub scores: Vec<Score>,
    /// The total of each scored node.
    pub totals: Vec<(String, i64)>,
    /// The number of nodes that passed all Filter plugins; `None` if the log does not tell, or only a hint was checked.
    pub feasible: Option<usize>,
    /// The result of an equal Pod before was used again (OpportunisticBatching).
    pub is_hinted: bool,
    /// When it was made, at the earliest and at the latest: microseconds since the Unix epoch, or in a log the place of
    /// its first line.
    pub time: (i64, i64),
}

impl Step {
    /// The node it was bound to.
    pub fn node(&self) -> Option<&str> {
        match &self.result {
            Outcome::Bound(node) => Some(node),
            Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Unknown => None,
        }
    }
}
