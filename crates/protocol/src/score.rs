//! How a score comes about: the inputs of a Score plugin, its formula, and the normalization. The scheduler computes
//! with the same functions, so that what is shown is what was decided.

pub mod formula;
mod remarks;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::fact::Fact;

/// Highest normalized score (`MaxNodeScore`).
pub const MAX_NODE_SCORE: i64 = 100;

/// What one plugin computed for one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Arithmetic {
    pub formula: Formula,
    /// In the order in which the formula reads them.
    pub inputs: Vec<Fact<Input>>,
    pub normalization: Normalization,
}

impl Arithmetic {
    /// The raw score.
    pub fn raw(&self) -> i64 {
        self.formula.evaluate(&self.inputs)
    }

    /// The normalized score.
    pub fn normalized(&self) -> i64 {
        match self.formula {
            Formula::LeftOut => 0,
            _ => self.normalization.of(self.raw()),
        }
    }

    /// The Pods that the inputs count, each once, in the order of the inputs.
    pub fn counted(&self) -> Vec<&str> {
        super::fact::counted(&self.inputs)
    }
}

/// How a plugin computes a node's raw score from its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Formula {
    /// TaintToleration: the number of `PreferNoSchedule` taints that the Pod does not tolerate.
    UntoleratedTaints,
    /// NodeAffinity: the weights of the preferred terms that hold, added up.
    PreferredTerms,
    /// NodeResourcesFit: the free share of each resource, averaged by weight.
    LeastAllocated,
    /// NodeResourcesFit: the requested share of each resource, averaged by weight.
    MostAllocated,
    /// NodeResourcesFit: the shape's score at each resource's utilization; zeros do not count in the average.
    RequestedToCapacityRatio { shape: Vec<ShapePoint> },
    /// NodeResourcesBalancedAllocation until v1.34: 100 minus the standard deviation of the requested shares.
    Balance,
    /// NodeResourcesBalancedAllocation of later releases: 50, plus half of 50 and of the change that the Pod makes to
    /// the balance.
    BalanceChange,
    /// PodTopologySpread: for each constraint the matching Pods × ln(domains + 2) + maxSkew − 1, added up and rounded.
    Spread,
    /// InterPodAffinity: for each term the Pods in the node's domain × the term's weight, added up.
    PodTerms,
    /// ImageLocality: the sizes of the images on the node, each times the share of nodes that have it, on a scale from
    /// 23 MiB to 1000 MiB a container.
    ImageSizes { containers: i64 },
    /// DynamicResources: for each request 8 minus the place of the alternative that it gets.
    Alternatives,
    /// The plugin has nothing to compare, and every node gets 0.
    Zero,
    /// The node lacks a topology key of the constraints: it gets 0, and the others are compared without it.
    LeftOut,
}

/// A point of `requestedToCapacityRatio.shape`: utilization 0–100, score 0–100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct ShapePoint {
    pub utilization: i64,
    pub score: i64,
}

/// A number or a condition that a formula reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Input {
    /// A taint of the node with the effect `PreferNoSchedule`.
    #[serde(rename_all = "camelCase")]
    Taint {
        key: String,
        value: String,
        effect: String,
        tolerated: bool,
    },
    /// A preferred term of the Pod or of the profile, with its requirements as a selector.
    #[serde(rename_all = "camelCase")]
    PreferredTerm {
        requirements: String,
        weight: i64,
        holds: bool,
    },
    /// `used + request` of `allocatable`: milli-CPU for `cpu`, else the resource's own unit (bytes, pieces). Containers
    /// without requests count with defaults in NodeResourcesFit.
    #[serde(rename_all = "camelCase")]
    Load {
        resource: String,
        /// Without the Pod.
        used: i64,
        request: i64,
        allocatable: i64,
        weight: i64,
    },
    /// The Pods that a constraint's selector matches in the node's domain.
    #[serde(rename_all = "camelCase")]
    Spread {
        topology_key: String,
        /// `None`: the node lacks the key, and the constraint adds nothing.
        domain: Option<String>,
        count: i64,
        /// Domains among the nodes that are scored; nodes, if the key is `kubernetes.io/hostname`.
        domains: i64,
        max_skew: i64,
    },
    /// The Pods that a term concerns in the node's domain.
    #[serde(rename_all = "camelCase")]
    PodTerm {
        term: PodTermKind,
        topology_key: String,
        /// `None`: the node lacks the key.
        domain: Option<String>,
        count: i64,
        /// Negative for anti-affinity.
        weight: i64,
        /// The labels that the term selects, as in `kubectl get -l`.
        selector: String,
    },
    /// An image of the Pod.
    #[serde(rename_all = "camelCase")]
    Image {
        image: String,
        size_bytes: i64,
        /// Nodes that have it.
        nodes: i64,
        all_nodes: i64,
        /// Whether this node has it.
        present: bool,
    },
    /// The alternative that a request with `firstAvailable` gets on the node.
    #[serde(rename_all = "camelCase")]
    Alternative {
        /// Name of the ResourceClaim.
        claim: String,
        request: String,
        /// From 0.
        index: i64,
    },
}

/// Whose term, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodTermKind {
    /// The Pod's own preferred affinity.
    Affinity,
    /// The Pod's own preferred anti-affinity.
    AntiAffinity,
    /// Preferred affinity of running Pods.
    ExistingAffinity,
    /// Preferred anti-affinity of running Pods.
    ExistingAntiAffinity,
    /// Required affinity of running Pods, which counts with `hardPodAffinityWeight`.
    ExistingRequired,
}

/// How raw scores become 0–100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Normalization {
    /// They are from 0 to 100 already.
    Unchanged,
    /// 100 × raw ÷ maximum.
    ByMaximum { maximum: i64 },
    /// 100 − 100 × raw ÷ maximum: fewer is better.
    Reversed { maximum: i64 },
    /// 100 × (maximum + minimum − raw) ÷ maximum: fewer is better.
    Mirrored { minimum: i64, maximum: i64 },
    /// 100 × (raw − minimum) ÷ (maximum − minimum).
    Between { minimum: i64, maximum: i64 },
}
