//! What the cluster of a dump said about its waiting Pods (`status.conditions[PodScheduled].message`), beside what
//! Berth says of them.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// The waiting Pods of a dump, compared by reasons and counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterWord {
    /// Number of Pods of which Berth says what the cluster said.
    pub same: usize,
    /// The others, in document order.
    pub different: Vec<OtherWord>,
}

impl ClusterWord {
    /// Number of Pods of which the cluster said something.
    pub fn pods(&self) -> usize {
        self.same + self.different.len()
    }
}

/// A Pod of which Berth says something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherWord {
    /// `namespace/name`.
    pub pod: String,
    /// The message in the dump.
    pub cluster: String,
    pub berth: BerthWord,
    pub likely: LikelyReason,
}

/// What Berth says of a Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum BerthWord {
    /// The message with which it waits.
    Message(String),
    /// The node that it goes to.
    Node(String),
}

/// Why the two probably differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum LikelyReason {
    /// The same counts under other names: the cluster is of another release.
    Wording,
    /// The verdict hangs on kinds that the files lack.
    MissingKinds(Vec<String>),
    /// The message is older than a change of the cluster that the dump has.
    OlderMessage,
}
