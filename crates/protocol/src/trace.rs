//! A run in the format in which the real kube-scheduler's decisions were recorded.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::cycle::{Code, PreFilterReport};

/// Values by name, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named<T>(Vec<(String, T)>);

impl<T> FromIterator<(String, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A run in the format in which the real kube-scheduler's decisions were recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// Such as `v1.34.1`.
    pub kubernetes: String,
    pub scenario: String,
    /// Pods with scheduling gates, sorted.
    pub gated: Vec<String>,
    /// Pods whose `schedulerName` matches no profile, sorted.
    pub unmanaged: Vec<String>,
    pub attempts: Vec<TraceAttempt>,
    /// Pods deleted by preemption, in order.
    pub deleted: Vec<String>,
    /// The node of every Pod that still exists; `None` if it has none.
    #[serde(rename = "final")]
    pub placements: Named<Option<String>>,
    /// Pods that PreEnqueue still refuses at the end; `None` in clusters without dynamic resource allocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_enqueue: Option<Named<TraceRefusal>>,
    /// All ResourceClaims at the end, by `namespace/name`; `None` likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_claims: Option<Named<TraceFinalClaim>>,
}

/// Why PreEnqueue keeps a Pod out of the queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceRefusal {
    pub plugin: String,
    pub message: String,
}

/// A ResourceClaim at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceFinalClaim {
    pub allocated: bool,
    pub devices: Vec<TraceDevice>,
    /// The v1.NodeSelector, or null.
    pub node_selector: Value,
    /// Names of Pods.
    pub reserved_for: Vec<String>,
}

/// What a cycle allocated to a ResourceClaim.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceClaim {
    pub devices: Vec<TraceDevice>,
    /// The v1.NodeSelector, or null.
    pub node_selector: Value,
    /// The DeviceAllocationConfigurations; empty if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config: Vec<Value>,
}

/// A device of an allocation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceDevice {
    /// `REQUEST` or `REQUEST/SUBREQUEST`.
    pub request: String,
    pub driver: String,
    pub pool: String,
    pub device: String,
    /// Absent in JSON if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub admin_access: bool,
}

/// One attempt of a trace: one scheduling cycle, with nodes by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceAttempt {
    pub pod: String,
    pub profile: String,
    pub round: u32,
    pub nominated_node: String,
    #[serde(rename = "prefilter")]
    pub pre_filter: PreFilterReport,
    /// The verdict with nominated Pods on every node that was examined.
    pub filters: Named<TraceVerdict>,
    /// By node and plugin: every Filter plugin that rejects the node on its own, without nominated Pods.
    pub failures: Named<Named<TraceFailure>>,
    /// Nodes that passed, sorted.
    pub feasible: Vec<String>,
    #[serde(rename = "prescoreSkipped")]
    pub pre_score_skipped: Vec<String>,
    /// `None` with fewer than two feasible nodes.
    pub scores: Option<Named<TraceScore>>,
    pub best: Vec<String>,
    pub selected: Option<String>,
    pub message: Option<String>,
    pub preemption: Option<TracePreemption>,
    /// Whether the cycle ended with an error instead of a verdict; absent in JSON if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
    /// Claims that the cycle allocated, also if it failed afterwards; `None` in clusters without dynamic resource
    /// allocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Named<TraceClaim>>,
    /// Claims that it reserved for the Pod, sorted; `None` likewise, as the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Vec<String>>,
    /// Claims that PostFilter deallocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deallocated: Option<Vec<String>>,
    /// By node and claim, what Filter would allocate: `REQUEST=DRIVER/POOL/DEVICE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocations: Option<Named<Named<Vec<String>>>>,
}

/// The Filter plugins' verdict on a node; only `code` if all of them pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceVerdict {
    pub code: Code,
    /// The first plugin that rejected the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<String>>,
}

/// One Filter plugin's own verdict on a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFailure {
    pub code: Code,
    pub reasons: Vec<String>,
}

/// A node's scores, by plugin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceScore {
    pub plugins: Named<TracePluginScore>,
    pub total: i64,
}

/// One plugin's score of one node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TracePluginScore {
    pub raw: i64,
    pub normalized: i64,
    pub weight: i64,
    pub weighted: i64,
}

/// The result of DefaultPreemption.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TracePreemption {
    pub nominated: String,
    /// In order of deletion.
    pub victims: Vec<String>,
    pub candidates: Named<TraceCandidate>,
    /// Whether all rules left a tie among the candidates.
    pub ambiguous: bool,
}

/// A node on which preemption could make room.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceCandidate {
    pub victims: Vec<String>,
    pub pdb_violations: u32,
}
