//! All plugins that a profile can name, in their default order.

use crate::api::config::ExtensionPoint;
use crate::api::config::ExtensionPoint::{
    Bind, Filter, PostFilter, PreBind, PreEnqueue, PreFilter, PreScore, QueueSort, Reserve, Score,
};
use crate::api::config::args::{DefaultingType, PluginArgs, ResourceSpec, ScoringStrategyType};
use crate::cluster::Cluster;
use crate::framework::plugin::Plugin;
use crate::framework::profile::{ExtensionPoints, PluginCapabilities};
use crate::framework::registry::Registration;

use super::default_binder::DefaultBinder;
use super::default_preemption::DefaultPreemption;
use super::dynamic_resources::DynamicResources;
use super::image_locality::ImageLocality;
use super::inter_pod_affinity::InterPodAffinity;
use super::node_affinity::NodeAffinity;
use super::node_name::NodeName;
use super::node_ports::NodePorts;
use super::node_resources::balanced::NodeResourcesBalancedAllocation;
use super::node_resources::fit::{FitArgs, NodeResourcesFit, Strategy};
use super::node_resources::scoring::{ShapePoint, WeightedResource};
use super::node_unschedulable::NodeUnschedulable;
use super::node_volume_limits::NodeVolumeLimits;
use super::pod_topology_spread::PodTopologySpread;
use super::priority_sort::PrioritySort;
use super::scheduling_gates::SchedulingGates;
use super::taint_toleration::TaintToleration;
use super::volume_binding::VolumeBinding;
use super::volume_restrictions::VolumeRestrictions;
use super::volume_zone::VolumeZone;

/// kube-scheduler's scores for shapes go to 10, nodes' scores to 100.
const SHAPE_FACTOR: i64 = 10;

type Build = fn(&PluginArgs, &mut Cluster) -> Box<dyn Plugin>;

/// The in-tree plugins of kube-scheduler v1.34 (`plugins/registry.go`).
#[allow(clippy::too_many_lines, reason = "a table")]
pub fn registry() -> Vec<Registration> {
    let entry = |name, points: &[ExtensionPoint], build: Build| Registration {
        capabilities: PluginCapabilities {
            name,
            points: ExtensionPoints::of(points),
        },
        build,
    };
    vec![
        entry("SchedulingGates", &[PreEnqueue], |_, _| {
            Box::new(SchedulingGates)
        }),
        entry("PrioritySort", &[QueueSort], |_, _| Box::new(PrioritySort)),
        entry("NodeUnschedulable", &[Filter], |_, _| {
            Box::new(NodeUnschedulable)
        }),
        entry("NodeName", &[Filter], |_, _| Box::new(NodeName)),
        entry("TaintToleration", &[Filter, PreScore, Score], |_, _| {
            Box::new(TaintToleration)
        }),
        entry(
            "NodeAffinity",
            &[PreFilter, Filter, PreScore, Score],
            |args, _| {
                Box::new(NodeAffinity::new(
                    args.node_affinity.added_affinity.as_ref(),
                ))
            },
        ),
        entry("NodePorts", &[PreFilter, Filter], |_, _| {
            Box::new(NodePorts)
        }),
        entry(
            "NodeResourcesFit",
            &[PreFilter, Filter, PreScore, Score],
            |args, _| Box::new(NodeResourcesFit::new(fit_args(args))),
        ),
        entry("VolumeRestrictions", &[PreFilter, Filter], |_, _| {
            Box::new(VolumeRestrictions::new())
        }),
        entry("NodeVolumeLimits", &[PreFilter, Filter], |_, _| {
            Box::new(NodeVolumeLimits::new())
        }),
        entry(
            "VolumeBinding",
            &[PreFilter, Filter, Reserve, PreBind, PreScore, Score],
            |_, _| Box::new(VolumeBinding::new()),
        ),
        entry("VolumeZone", &[PreFilter, Filter], |_, _| {
            Box::new(VolumeZone::new())
        }),
        entry(
            "PodTopologySpread",
            &[PreFilter, Filter, PreScore, Score],
            |args, cluster| Box::new(spread(args, cluster)),
        ),
        entry(
            "InterPodAffinity",
            &[PreFilter, Filter, PreScore, Score],
            |args, _| {
                let args = &args.inter_pod_affinity;
                let weight = i64::from(args.hard_pod_affinity_weight);
                Box::new(InterPodAffinity::new(
                    weight,
                    args.ignore_preferred_terms_of_existing_pods,
                ))
            },
        ),
        entry(
            "DynamicResources",
            &[PreEnqueue, PreFilter, Filter, PostFilter, Reserve, PreBind],
            |_, _| Box::new(DynamicResources),
        ),
        entry("DefaultPreemption", &[PostFilter], |args, _| {
            let args = &args.default_preemption;
            Box::new(DefaultPreemption::new(
                args.min_candidate_nodes_percentage,
                args.min_candidate_nodes_absolute,
            ))
        }),
        entry(
            "NodeResourcesBalancedAllocation",
            &[PreScore, Score],
            |args, _| {
                let resources = &args.node_resources_balanced_allocation.resources;
                Box::new(NodeResourcesBalancedAllocation::new(weighted(resources)))
            },
        ),
        entry("ImageLocality", &[Score], |_, _| Box::new(ImageLocality)),
        entry("DefaultBinder", &[Bind], |_, _| Box::new(DefaultBinder)),
    ]
}

fn weighted(resources: &[ResourceSpec]) -> Vec<WeightedResource> {
    let resources = resources.iter().map(|resource| WeightedResource {
        name: resource.name.clone(),
        weight: resource.weight,
    });
    resources.collect()
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
