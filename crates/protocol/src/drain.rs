//! What a drain of a node would do, before it is done.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// The Pods of a node by what `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` does to them first.
/// Pods are given as `namespace/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct DrainPlan {
    pub node: String,
    /// Evicted, and replaced by their owners.
    pub replaced: Vec<Evicted>,
    /// Evicted, and replaced by nothing: no controller owns them, or theirs is gone or finished.
    pub lost: Vec<String>,
    /// Pods of DaemonSets and static Pods.
    pub staying: Vec<String>,
    /// Refused for now by a PodDisruptionBudget.
    pub blocked: Vec<Blocked>,
    /// There is no PodDisruptionBudget, as in a dump of nodes and Pods alone.
    #[serde(default)]
    pub unbudgeted: bool,
    /// The line that does it in a terminal.
    pub command: String,
}

/// A Pod that is evicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Evicted {
    pub pod: String,
    /// `kind/name` of its controller.
    pub owner: String,
}

/// A Pod whose eviction is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Blocked {
    pub pod: String,
    /// The API server's words: which budget, and how many healthy Pods it needs.
    pub cause: String,
}

/// A workload that the manifests lack and that was inferred from the Pods that name it as their owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct InferredOwner {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// Its Pods in the manifests.
    pub pods: usize,
}
