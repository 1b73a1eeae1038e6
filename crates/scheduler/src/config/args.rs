//! The arguments of the in-tree plugins (`kubescheduler.config.k8s.io/v1`), typed and defaulted.
//!
//! Every type's `Default` holds kube-scheduler v1.34's default.

use k8s_openapi::api::core::v1::{NodeAffinity, TopologySpreadConstraint};

/// The arguments of all plugins of one profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginArgs {
    pub default_preemption: DefaultPreemptionArgs,
    pub dynamic_resources: DynamicResourcesArgs,
    pub inter_pod_affinity: InterPodAffinityArgs,
    pub node_affinity: NodeAffinityArgs,
    pub node_resources_balanced_allocation: NodeResourcesBalancedAllocationArgs,
    pub node_resources_fit: NodeResourcesFitArgs,
    pub pod_topology_spread: PodTopologySpreadArgs,
    pub volume_binding: VolumeBindingArgs,
}

/// The number of candidate nodes after which preemption stops searching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultPreemptionArgs {
    /// Percent of all nodes, 0 to 100.
    pub min_candidate_nodes_percentage: i32,
    pub min_candidate_nodes_absolute: i32,
}

impl Default for DefaultPreemptionArgs {
    fn default() -> Self {
        Self {
            min_candidate_nodes_percentage: 10,
            min_candidate_nodes_absolute: 100,
        }
    }
}

/// Arguments of DynamicResources, without effect on Pods without claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicResourcesArgs {
    /// Time limit of Filter for one node, as a Go duration.
    pub filter_timeout: String,
    /// How long PreBind waits for binding conditions of devices, in milliseconds.
    pub binding_timeout_ms: i64,
}

impl Default for DynamicResourcesArgs {
    fn default() -> Self {
        Self {
            filter_timeout: "10s".to_owned(),
            binding_timeout_ms: 600_000,
        }
    }
}

/// Arguments of InterPodAffinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterPodAffinityArgs {
    /// The score for required affinity of existing Pods, 0 to 100.
    pub hard_pod_affinity_weight: i32,
    /// Ignores the preferred terms of existing Pods in scoring.
    pub ignore_preferred_terms_of_existing_pods: bool,
}

impl Default for InterPodAffinityArgs {
    fn default() -> Self {
        Self {
            hard_pod_affinity_weight: 1,
            ignore_preferred_terms_of_existing_pods: false,
        }
    }
}

/// Arguments of NodeAffinity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeAffinityArgs {
    /// Node affinity applied to every Pod of the profile, in addition to the Pod's own.
    pub added_affinity: Option<NodeAffinity>,
}

/// A resource and its weight in a score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSpec {
    pub name: String,
    /// 1 to 100.
    pub weight: i64,
}

impl ResourceSpec {
    /// cpu and memory with equal weights.
    pub fn defaults() -> Vec<Self> {
        ["cpu", "memory"]
            .map(|name| Self {
                name: name.to_owned(),
                weight: 1,
            })
            .to_vec()
    }
}

/// Arguments of NodeResourcesBalancedAllocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeResourcesBalancedAllocationArgs {
    /// The resources to balance, each with weight 1.
    pub resources: Vec<ResourceSpec>,
}

impl Default for NodeResourcesBalancedAllocationArgs {
    fn default() -> Self {
        Self {
            resources: ResourceSpec::defaults(),
        }
    }
}

/// Arguments of NodeResourcesFit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeResourcesFitArgs {
    /// Extended resources that Filter ignores.
    pub ignored_resources: Vec<String>,
    /// Domains (`example.com`) of extended resources that Filter ignores.
    pub ignored_resource_groups: Vec<String>,
    pub scoring_strategy: ScoringStrategy,
}

/// How NodeResourcesFit scores the utilization of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoringStrategy {
    pub kind: ScoringStrategyType,
    /// Never empty.
    pub resources: Vec<ResourceSpec>,
    /// The points of RequestedToCapacityRatio's function, in increasing utilization; empty for
    /// the other strategies.
    pub shape: Vec<UtilizationShapePoint>,
}

impl Default for ScoringStrategy {
    fn default() -> Self {
        Self {
            kind: ScoringStrategyType::LeastAllocated,
            resources: ResourceSpec::defaults(),
            shape: Vec::new(),
        }
    }
}

/// `scoringStrategy.type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoringStrategyType {
    #[default]
    LeastAllocated,
    MostAllocated,
    RequestedToCapacityRatio,
}

/// A point of a piecewise linear function from utilization to score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtilizationShapePoint {
    /// Percent, 0 to 100.
    pub utilization: i32,
    /// 0 to 10.
    pub score: i32,
}

/// Arguments of PodTopologySpread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTopologySpreadArgs {
    /// With `List`, the constraints for Pods without their own.
    pub default_constraints: Vec<TopologySpreadConstraint>,
    pub defaulting_type: DefaultingType,
}

/// `defaultingType` of PodTopologySpread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultingType {
    /// Kubernetes' defaults: soft, by hostname (maxSkew 3) and zone (maxSkew 5).
    #[default]
    System,
    /// `defaultConstraints`.
    List,
}

/// Arguments of VolumeBinding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeBindingArgs {
    pub bind_timeout_seconds: i64,
}

impl Default for VolumeBindingArgs {
    fn default() -> Self {
        Self {
            bind_timeout_seconds: 600,
        }
    }
}
