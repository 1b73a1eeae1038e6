//! One scheduling attempt, self-contained: names instead of indices.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::fact::{Fact, FactKind};
use super::meant::Meant;
use super::remark::Remark;
use super::score::Arithmetic;

/// The status of a plugin, or of all plugins together. kube-scheduler's `fwk.Code`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub enum Code {
    #[default]
    Success,
    Error,
    /// Preempting other Pods may help.
    Unschedulable,
    /// Preempting other Pods cannot help.
    UnschedulableAndUnresolvable,
}

/// One scheduling cycle of one Pod.
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cycle {
    /// `namespace/name`.
    pub pod: String,
    pub priority: i32,
    /// The `schedulerName` of the profile.
    pub profile: String,
    /// Round of the run, from 1.
    pub round: u32,
    /// `status.nominatedNodeName` before the attempt, empty if none.
    pub nominated_node: String,
    pub pre_filter: PreFilterReport,
    /// Enabled Filter plugins in their order, skipped ones included: the matrix's columns.
    pub filter_plugins: Vec<String>,
    /// Enabled Score plugins in their order, with their weights.
    pub score_plugins: Vec<WeightedPlugin>,
    pub search: SearchReport,
    /// Every node of the cluster, in document order.
    pub nodes: Vec<NodeReport>,
    /// Plugins whose PreScore returned Skip, sorted; empty when nothing was scored.
    pub pre_score_skipped: Vec<String>,
    /// `None` with fewer than two feasible nodes; else the feasible nodes in document order.
    pub scores: Option<Vec<NodeScore>>,
    /// Feasible nodes with the highest total, sorted by name.
    pub best: Vec<String>,
    pub selected: Option<String>,
    /// How a tie between several `best` was broken.
    pub tie_break: Option<TieBreak>,
    /// The FitError message with PostFilter's part, or the error message.
    pub message: Option<String>,
    /// The clauses of `message` that count nodes, in order. The JSON form omits them.
    #[serde(skip)]
    pub clauses: Vec<Clause>,
    /// Whether the cycle ended with an error instead of a verdict.
    pub error: bool,
    pub preemption: Option<PreemptionReport>,
    /// What became of ResourceClaims; `None` in clusters without dynamic resource allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<DeviceReport>,
    /// Why preemption was not tried. `message` contains its text, so the JSON form omits it.
    #[serde(skip)]
    pub not_eligible: Option<NotEligible>,
    /// The nodes that the Pod was meant for, if nodes were examined and none passed. Neither the recorder nor the JSON form
    /// has it: sessions add it.
    #[serde(skip)]
    pub meant: Option<Box<Meant>>,
    /// Which of the Pod's claims keep it from all nodes, and why. Likewise.
    #[serde(skip)]
    pub claims: Option<Box<Remark>>,
}

/// A clause of the FitError message, such as `2 Insufficient cpu`.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Clause {
    /// Its place in the message, in bytes.
    pub start: u32,
    pub end: u32,
    /// Positions of the nodes that it counts, in document order.
    pub nodes: Vec<u32>,
}

/// What a cycle did to ResourceClaims (`namespace/name`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceReport {
    /// Claims that the cycle allocated, also if it failed afterwards.
    pub claims: Vec<ClaimReport>,
    /// Claims that it reserved for the Pod, sorted.
    pub reserved: Vec<String>,
    /// Claims that PostFilter deallocated.
    pub deallocated: Vec<String>,
    /// What Filter would allocate on the nodes that it accepted.
    pub allocations: Vec<NodeAllocations>,
}

/// The allocation of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimReport {
    pub claim: String,
    pub devices: Vec<AllocatedDevice>,
    /// The v1.NodeSelector as JSON; `null` if there is none.
    pub node_selector: String,
    /// The configurations as JSON; empty if there are none.
    pub config: String,
}

/// A device of an allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct AllocatedDevice {
    /// `REQUEST` or `REQUEST/SUBREQUEST`.
    pub request: String,
    pub driver: String,
    pub pool: String,
    pub device: String,
    pub admin_access: bool,
}

/// What the open claims of a Pod would get on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct NodeAllocations {
    pub node: String,
    pub claims: Vec<ClaimDevices>,
}

/// The devices that a claim would get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct ClaimDevices {
    /// `namespace/name`.
    pub claim: String,
    /// `REQUEST=DRIVER/POOL/DEVICE`.
    pub devices: Vec<String>,
}

/// Why a Pod may not preempt others (`PodEligibleToPreemptOthers`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum NotEligible {
    /// Its `preemptionPolicy` is Never.
    PolicyNever,
    /// A Pod that it preempted is still terminating on its nominated node.
    VictimTerminating,
}

/// The combined result of the PreFilter plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreFilterReport {
    pub code: Code,
    /// The plugin that rejected the Pod; empty if no single plugin did.
    pub plugin: String,
    pub message: String,
    /// The nodes that PreFilter plugins narrow the search to, sorted; they need not exist.
    pub nodes: Option<Vec<String>>,
    /// Plugins whose PreFilter returned Skip, sorted.
    pub skipped: Vec<String>,
}

/// A Score plugin and its weight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct WeightedPlugin {
    pub plugin: String,
    pub weight: i64,
}

/// The extent of the search for feasible nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchReport {
    /// Nodes in the cluster.
    pub nodes: u32,
    /// Nodes that the Filter plugins judged.
    pub examined: u32,
    /// Number of feasible nodes after which the search stops.
    pub wanted: u32,
    /// Index into the node list (zone order) where the search started.
    pub start: u32,
    /// Whether only the nominated node was searched.
    pub nominated_only: bool,
}

/// One node in one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    pub node: String,
    /// The verdict with nominated Pods; `None`: not examined (not the same as rejected). It has facts if the plugin
    /// rejects the node only because of nominated Pods.
    pub verdict: Option<Verdict>,
    /// The rejections of each enabled, unskipped Filter plugin, run alone, without nominated Pods.
    pub failures: Vec<Verdict>,
    /// The same plugins' passes, with their facts; recorded on request for one node only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Verdict>,
}

impl NodeReport {
    /// The fact behind a plugin's reason. Only verdicts of plugins run separately have facts.
    pub fn fact_behind(&self, plugin: &str, reason: &str) -> Option<&FactKind> {
        let verdicts = self.failures.iter().chain(&self.verdict);
        let facts = verdicts
            .filter(|verdict| verdict.plugin == plugin)
            .flat_map(|verdict| &verdict.facts);
        facts
            .map(|fact| &fact.kind)
            .find(|kind| kind.is_behind(reason) && kind.is_violated())
    }
}

/// A plugin's rejection of a node, or the pass of all plugins (empty plugin).
#[derive(Clone, Debug, Default, PartialEq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    pub code: Code,
    pub plugin: String,
    pub reasons: Vec<String>,
    /// The numbers behind the reasons; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// One feasible node's scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct NodeScore {
    pub node: String,
    pub plugins: Vec<PluginScore>,
    pub total: i64,
}

/// One plugin's score of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct PluginScore {
    pub plugin: String,
    pub raw: i64,
    pub normalized: i64,
    pub weight: i64,
    /// `normalized` times `weight`.
    pub weighted: i64,
    /// How the raw and the normalized score come about; recorded on request for one node only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<Box<Arithmetic>>,
}

/// A tie and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct TieBreak {
    /// Number of nodes with the highest total.
    pub among: u32,
    /// The seed that broke the tie; `None` if the alphabetically first node was taken.
    pub seed: Option<u64>,
}

/// The result of DefaultPreemption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreemptionReport {
    pub nominated: String,
    /// `namespace/name`, in order of deletion.
    pub victims: Vec<String>,
    /// Every node on which the dry run found victims, sorted by name.
    pub candidates: Vec<Candidate>,
    /// Whether all rules left a tie among the candidates.
    pub ambiguous: bool,
    /// The rule that decided among the candidates.
    pub decided_by: String,
}

/// The largest number in [`Candidate::ranks`]: the largest integer that JavaScript represents exactly.
pub const MAX_RANK: i64 = (1 << 53) - 1;

/// A node on which preemption could make room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    pub node: String,
    pub victims: Vec<String>,
    pub pdb_violations: u32,
    /// The rank under each rule of the choice, in order; the highest wins. PDB violations, the first
    /// victim's priority, the sum of the victims' priorities (each plus 2³¹) and the number of victims,
    /// all negated; then the latest start of the most important victims, in ms since 1970, or
    /// 2⁵³ − 1 if one of them has not started.
    pub ranks: Vec<i64>,
}

impl Cycle {
    /// Names of the nodes that passed, in the order of `nodes`.
    pub fn feasible(&self) -> impl Iterator<Item = &str> {
        self.nodes
            .iter()
            .filter(|report| {
                report
                    .verdict
                    .as_ref()
                    .is_some_and(|verdict| verdict.code == Code::Success)
            })
            .map(|report| report.node.as_str())
    }
}
