//! What a cycle of the descheduler evicts.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::{BlockedPod, Workload};

/// What a cycle of the descheduler evicts, and what comes of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evictions {
    /// The plugins in the order in which they ran.
    pub plugins: Vec<PluginRun>,
    /// In the order of the evictions.
    pub pods: Vec<EvictedPod>,
    /// Evictions that the API server refused, as budgets did not allow them.
    pub refused: Vec<Refused>,
    /// All nodes, by name.
    pub nodes: Vec<NodeUse>,
    /// Number of Pods that come again to a node which one of their workload left.
    pub returned: usize,
    /// Evicted Pods whose controllers Berth does not run (`namespace/name`): it cannot say where these make them again.
    pub unmade: Vec<String>,
    /// Time until all that can be placed again is ready, in seconds.
    pub seconds: i64,
    /// Plugins that the policy enables and that were not played.
    pub left_out: Vec<PluginLeftOut>,
}

/// What a plugin did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginRun {
    pub profile: String,
    pub plugin: String,
    pub evicted: usize,
    /// Number of evictions that the policy's limits forbade.
    pub limited: usize,
    /// Why it evicts nothing, if it does not come to asking for evictions.
    pub idle: Option<Idle>,
    /// Of LowNodeUtilization: the number of underutilized nodes, and of overutilized ones.
    pub underutilized: usize,
    pub overutilized: usize,
}

/// Why a plugin evicts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Idle {
    /// Fewer than two nodes are ready and match the policy's `nodeSelector`.
    FewNodes,
    NoneUnderutilized,
    /// No more nodes are underutilized than `numberOfNodes` says.
    FewUnderutilized,
    AllUnderutilized,
    NoneOverutilized,
}

/// A Pod that is evicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvictedPod {
    /// `namespace/name`.
    pub pod: String,
    pub node: String,
    pub profile: String,
    pub plugin: String,
    pub workload: Workload,
}

/// An eviction that the API server refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    pub profile: String,
    pub plugin: String,
    #[serde(flatten)]
    pub blocked: BlockedPod,
}

/// What Pods request of a node, in percent of what is allocatable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    pub cpu: f64,
    pub memory: f64,
    pub pods: f64,
}

/// What LowNodeUtilization says of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Utilization {
    Under,
    Over,
}

/// A node before and after.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeUse {
    pub node: String,
    /// As the first LowNodeUtilization of the policy has it; `None`: neither, or there is no such plugin.
    pub utilization: Option<Utilization>,
    pub before: Use,
    pub after: Use,
    /// Number of Pods that are evicted from it.
    pub evicted: usize,
    /// Number of Pods that come again on it.
    pub came: usize,
}

/// A plugin that was not played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginLeftOut {
    pub profile: String,
    pub plugin: String,
    /// It goes by what Pods use, which files do not tell.
    pub for_metrics: bool,
}
