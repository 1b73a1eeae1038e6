//! Single changes that would let a Pod schedule.

mod rank;
mod remark;

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use super::edit::{Edit, ObjectRef};
use super::fact::AffinityTermKind;

/// A change that may help, before it is tried.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Candidate {
    pub what: Change,
    /// Edits of the manifests, in order. In a simulated cluster, [`Edit::Replace`] is the last one if existing
    /// Pods would not change otherwise; verifying the change adds it for objects that cannot be updated.
    pub edits: Vec<Edit>,
    /// Candidates of one group are the same change in several sizes, smallest first. Once one is verified,
    /// the rest are not tried.
    pub group: String,
    /// The workload in whose template the rule or request is, if the edits are of its Pods, as the manifests lack it:
    /// `StatefulSet data/db`. All its Pods change.
    pub template: Option<String>,
}

/// A verified change: with it, the Pod schedules.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Fix {
    pub what: Change,
    /// Edits of the manifests, in order.
    pub edits: Vec<Edit>,
    pub rank: Rank,
    /// The node that the Pod would be bound to; empty if the Pod is given up.
    pub node: String,
    /// Nodes that would be feasible, in search order; truncated if there are many.
    pub feasible: Vec<String>,
    /// Number of feasible nodes that the search found, which may have stopped before the last node.
    pub feasible_count: u32,
    /// As [`Candidate::template`].
    pub template: Option<String>,
    /// Other Pods that get another node by it, in document order; truncated if there are many.
    pub moves: Vec<Moved>,
}

/// A Pod that a fix moves.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Moved {
    /// `namespace/name`.
    pub pod: String,
    pub node: String,
}

/// A fix for a group of Pods.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct GroupFix {
    /// As verified for the first Pod.
    pub fix: Fix,
    /// Pods that it places.
    pub helped: usize,
    /// Pods that were tried with it: all, unless their attempts are far apart.
    pub tried: usize,
}

impl Change {
    /// The kind of change, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Uncordon { .. } => "uncordon",
            Self::Tolerate { .. } => "tolerate",
            Self::RemoveTaint { .. } => "removeTaint",
            Self::LowerRequest { .. } => "lowerRequest",
            Self::LabelNode { .. } => "labelNode",
            Self::UnlabelNode { .. } => "unlabelNode",
            Self::RaiseMaxSkew { .. } => "raiseMaxSkew",
            Self::SoftenSpread { .. } => "softenSpread",
            Self::HonorTaints { .. } => "honorTaints",
            Self::PreferPodTerm { .. } => "preferPodTerm",
            Self::RemoveNodeSelector { .. } => "removeNodeSelector",
            Self::RemoveNodeRequirement { .. } => "removeNodeRequirement",
            Self::RemoveNodeAffinity { .. } => "removeNodeAffinity",
            Self::ChangeHostPort { .. } => "changeHostPort",
            Self::RemoveHostPort { .. } => "removeHostPort",
            Self::RemovePodTerm { .. } => "removePodTerm",
            Self::RemoveTermOf { .. } => "removeTermOf",
            Self::RemoveDeviceSelector { .. } => "removeDeviceSelector",
            Self::LowerDeviceCount { .. } => "lowerDeviceCount",
            Self::TakeAllDevices { .. } => "takeAllDevices",
            Self::DeletePod { .. } => "deletePod",
            Self::ScaleDown { .. } => "scaleDown",
            Self::AddNode { .. } => "addNode",
            Self::RemoveGates { .. } => "removeGates",
            Self::Forgo { .. } => "forgo",
            Self::Both { .. } => "both",
        }
    }
}

impl Candidate {
    /// The rank of the change, but at least that of deleting a Pod if a workload is recreated, which restarts
    /// all of its Pods.
    pub fn rank(&self) -> Rank {
        let is_workload =
            |kind: &str| !matches!(kind, "Pod" | "ResourceClaim" | "ResourceClaimTemplate");
        let restarts = replaced(&self.edits).is_some_and(|object| is_workload(&object.kind));
        let least = Rank {
            tier: rank::DELETE_POD,
            amount: i64::MIN,
        };
        let rank = self.what.rank();
        if restarts { rank.max(least) } else { rank }
    }
}

impl Fix {
    /// The object that is deleted and recreated, if its fields are immutable.
    pub fn replaced(&self) -> Option<&ObjectRef> {
        replaced(&self.edits)
    }
}

/// The object that is deleted and recreated.
fn replaced(edits: &[Edit]) -> Option<&ObjectRef> {
    edits.iter().find_map(|edit| match edit {
        Edit::Replace { object } => Some(object),
        _ => None,
    })
}

/// The size of a change; smaller changes sort first. See [`Change::rank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct Rank {
    pub tier: u32,
    /// Within the tier: a skew, a share in ten thousandths, a priority.
    pub amount: i64,
}

impl Rank {
    /// Whether the change takes what is reserved for others, so that any other change that helps is better.
    pub fn is_last_resort(self) -> bool {
        self.tier >= rank::RESERVED
    }
}

/// One change, with the values that its description needs.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Change {
    /// Make a node schedulable again.
    Uncordon {
        node: String,
    },
    /// Let the Pod tolerate a taint.
    Tolerate {
        key: String,
        value: String,
        effect: String,
        /// The taint reserves its nodes for others: the Pod was meant for other nodes.
        reserved: bool,
    },
    /// Remove a taint from a node.
    RemoveTaint {
        node: String,
        key: String,
        value: String,
        effect: String,
        /// As in `Tolerate`.
        reserved: bool,
    },
    /// Lower a request: milli-CPU for `cpu`, else the resource's own unit.
    LowerRequest {
        resource: String,
        /// The container, if the Pod has several.
        container: Option<String>,
        from: i64,
        to: i64,
    },
    /// Set a label of a node.
    LabelNode {
        node: String,
        key: String,
        value: String,
        /// The label's current value.
        was: Option<String>,
    },
    /// Remove a label from a node.
    UnlabelNode {
        node: String,
        key: String,
        value: String,
    },
    RaiseMaxSkew {
        topology_key: String,
        from: i64,
        to: i64,
    },
    /// `whenUnsatisfiable: ScheduleAnyway` for a spread constraint.
    SoftenSpread {
        topology_key: String,
    },
    /// `nodeTaintsPolicy: Honor` for a spread constraint: domains of nodes that the Pod does not tolerate no longer count.
    HonorTaints {
        topology_key: String,
    },
    /// Make a required anti-affinity term of the Pod a preference.
    PreferPodTerm {
        topology_key: String,
    },
    RemoveNodeSelector {
        key: String,
        value: String,
    },
    /// Remove one expression of a required node affinity term.
    RemoveNodeRequirement {
        key: String,
        operator: String,
        values: Vec<String>,
    },
    /// Remove the required node affinity with all its terms.
    RemoveNodeAffinity {
        terms: u32,
    },
    ChangeHostPort {
        protocol: String,
        from: i32,
        to: i32,
    },
    RemoveHostPort {
        protocol: String,
        port: i32,
    },
    /// Remove a required affinity or anti-affinity term of the Pod.
    RemovePodTerm {
        term: AffinityTermKind,
        topology_key: String,
    },
    /// Remove an anti-affinity term of another object, which repels the Pod.
    RemoveTermOf {
        object: ObjectRef,
        topology_key: String,
    },
    /// Remove a CEL selector of a claim's request. `object`: the ResourceClaim or its template.
    RemoveDeviceSelector {
        object: ObjectRef,
        /// `REQUEST` or `REQUEST/ALTERNATIVE`.
        request: String,
        expression: String,
    },
    /// Ask for fewer devices.
    LowerDeviceCount {
        object: ObjectRef,
        request: String,
        from: i64,
        to: i64,
    },
    /// `allocationMode: All` in place of a count.
    TakeAllDevices {
        object: ObjectRef,
        request: String,
    },
    /// Delete a running Pod (`namespace/name`).
    DeletePod {
        pod: String,
        node: String,
        priority: i32,
        /// Whether a PodDisruptionBudget forbids its disruption.
        violates_budget: bool,
    },
    /// Scale another workload down, so that this Pod of it (`namespace/name`) is deleted.
    ScaleDown {
        object: ObjectRef,
        from: i64,
        to: i64,
        pod: String,
        node: String,
        priority: i32,
    },
    /// Add nodes that differ only in their names.
    AddNode {
        /// The name of the first one.
        name: String,
        /// At least 1.
        count: u32,
        /// The node that it copies, if any.
        like: Option<String>,
        /// The pool that it belongs to, if pools are known.
        pool: Option<String>,
        kind: NewNode,
        zone: Option<String>,
        milli_cpu: i64,
        memory_bytes: i64,
        /// The Pod's other requested resources, with the node's amounts.
        others: BTreeMap<String, i64>,
        /// The node's labels that the Pod's rules read, without the zone.
        labels: BTreeMap<String, String>,
    },
    /// Remove the scheduling gates of Pods.
    RemoveGates {
        gates: Vec<String>,
        /// What has them: a Pod, or the workload in whose template they are.
        object: ObjectRef,
        /// The line of the terminal that does it in a simulated cluster; empty where the manifests are edited.
        line: String,
    },
    /// Scale the Pod's own workload (`StatefulSet data/db`) down to the Pods that have a place: this one is given up.
    Forgo {
        workload: String,
        from: i64,
        to: i64,
    },
    /// Two changes, neither of which helps alone.
    Both {
        first: Box<Part>,
        second: Box<Part>,
    },
}

/// One of several changes.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Part {
    pub what: Change,
    /// As [`Candidate::template`].
    pub template: Option<String>,
}

/// How a new node compares with those that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum NewNode {
    /// As large as the node that it copies, and with the same labels and taints.
    Same,
    /// The same, but in a zone that has no node yet.
    OwnZone,
    /// Larger than any node that the Pod may use: none of them would have the room, even if it were empty.
    Larger,
    /// With labels or resources that no node has.
    Unlike,
}
