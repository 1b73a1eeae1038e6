//! The registry of in-tree plugins, in their default order.

use crate::cluster::Cluster;
use crate::config::args::{DefaultingType, PluginArgs, ResourceSpec, ScoringStrategyType};
use crate::framework::plugin::{Plugin, Registered};
use crate::framework::profile::PluginCapabilities;
use crate::framework::registry::Registration;

use super::default_binder::DefaultBinder;
use super::default_preemption::DefaultPreemption;
use super::dynamic_resources::DynamicResources;
use super::image_locality::ImageLocality;
use super::inter_pod_affinity::InterPodAffinity;
use super::node_affinity::NodeAffinity;
use super::node_declared_features::NodeDeclaredFeatures;
use super::node_name::NodeName;
use super::node_ports::NodePorts;
use super::node_resources::balanced::NodeResourcesBalancedAllocation;
use super::node_resources::fit::{FitArgs, NodeResourcesFit, Strategy};
use super::node_resources::scoring::WeightedResource;
use super::node_unschedulable::NodeUnschedulable;
use super::node_volume_limits::NodeVolumeLimits;
use super::pod_topology_spread::PodTopologySpread;
use super::priority_sort::PrioritySort;
use super::scheduling_gates::SchedulingGates;
use super::taint_toleration::TaintToleration;
use super::volume_binding::VolumeBinding;
use super::volume_restrictions::VolumeRestrictions;
use super::volume_zone::VolumeZone;
use berth_protocol::score::ShapePoint;

/// Scores of shape points range to 10 in the configuration, node scores to 100.
const SHAPE_FACTOR: i64 = 10;

type Build = fn(&PluginArgs, &mut Cluster) -> Box<dyn Plugin>;

/// The in-tree plugins of kube-scheduler (`plugins/registry.go`); a release may lack some of them.
pub fn registry() -> Vec<Registration> {
    vec![
        entry::<SchedulingGates>(|_, _| Box::new(SchedulingGates)),
        entry::<PrioritySort>(|_, _| Box::new(PrioritySort)),
        entry::<NodeUnschedulable>(|_, _| Box::new(NodeUnschedulable)),
        entry::<NodeName>(|_, _| Box::new(NodeName)),
        entry::<TaintToleration>(|_, _| Box::new(TaintToleration)),
        entry::<NodeAffinity>(|args, _| {
            Box::new(NodeAffinity::new(
                args.node_affinity.added_affinity.as_ref(),
            ))
        }),
        entry::<NodePorts>(|_, _| Box::new(NodePorts)),
        entry::<NodeResourcesFit>(|args, _| Box::new(NodeResourcesFit::new(fit_args(args)))),
        entry::<VolumeRestrictions>(|_, _| Box::new(VolumeRestrictions::new())),
        entry::<NodeVolumeLimits>(|_, _| Box::new(NodeVolumeLimits::new())),
        entry::<VolumeBinding>(|_, _| Box::new(VolumeBinding::new())),
        entry::<VolumeZone>(|_, _| Box::new(VolumeZone::new())),
        entry::<PodTopologySpread>(|args, cluster| Box::new(spread(args, cluster))),
        entry::<InterPodAffinity>(|args, _| {
            let args = &args.inter_pod_affinity;
            Box::new(InterPodAffinity::new(
                i64::from(args.hard_pod_affinity_weight),
                args.ignore_preferred_terms_of_existing_pods,
            ))
        }),
        entry::<DynamicResources>(|args, _| {
            Box::new(DynamicResources::new(
                args.dynamic_resources.binding_timeout_ms,
            ))
        }),
        entry::<DefaultPreemption>(|args, _| {
            let args = &args.default_preemption;
            Box::new(DefaultPreemption::new(
                args.min_candidate_nodes_percentage,
                args.min_candidate_nodes_absolute,
            ))
        }),
        entry::<NodeResourcesBalancedAllocation>(|args, _| {
            let resources = &args.node_resources_balanced_allocation.resources;
            Box::new(NodeResourcesBalancedAllocation::new(weighted(resources)))
        }),
        entry::<ImageLocality>(|_, _| Box::new(ImageLocality)),
        entry::<DefaultBinder>(|_, _| Box::new(DefaultBinder)),
        entry::<NodeDeclaredFeatures>(|_, _| Box::new(NodeDeclaredFeatures)),
    ]
}

fn entry<P: Registered>(build: Build) -> Registration {
    Registration {
        capabilities: PluginCapabilities {
            name: P::NAME,
            points: P::POINTS,
        },
        build,
    }
}

fn weighted(resources: &[ResourceSpec]) -> Vec<WeightedResource> {
    resources
        .iter()
        .map(|resource| WeightedResource {
            name: resource.name.clone(),
            weight: resource.weight,
        })
        .collect()
}

fn fit_args(args: &PluginArgs) -> FitArgs {
    let args = &args.node_resources_fit;
    let strategy = &args.scoring_strategy;
    let shape = strategy.shape.iter().map(|point| ShapePoint {
        utilization: i64::from(point.utilization),
        score: i64::from(point.score) * SHAPE_FACTOR,
    });
    FitArgs {
        ignored_resources: args.ignored_resources.clone(),
        ignored_resource_groups: args.ignored_resource_groups.clone(),
        strategy: match strategy.kind {
            ScoringStrategyType::LeastAllocated => Strategy::LeastAllocated,
            ScoringStrategyType::MostAllocated => Strategy::MostAllocated,
            ScoringStrategyType::RequestedToCapacityRatio => {
                Strategy::RequestedToCapacityRatio(shape.collect())
            }
        },
        resources: weighted(&strategy.resources),
    }
}

fn spread(args: &PluginArgs, cluster: &mut Cluster) -> PodTopologySpread {
    let args = &args.pod_topology_spread;
    match args.defaulting_type {
        DefaultingType::System => PodTopologySpread::with_system_defaults(cluster),
        DefaultingType::List => {
            PodTopologySpread::with_defaults(cluster, &args.default_constraints)
        }
    }
}
