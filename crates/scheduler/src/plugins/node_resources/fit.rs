//! NodeResourcesFit: the node must have the resources that the Pod requests; the score packs or spreads.
//!
//! - **Extension points**: PreFilter, Filter, PreScore, Score.
//! - **Why**: requests are guarantees; a node must not guarantee more than it has.
//! - **Example**: 3500m used + 600m requested > 4000m allocatable: `Insufficient cpu`.
//! - **Upstream**: `plugins/noderesources/fit.go`, v1.34.

mod hints;

use super::scoring::{Basis, Load, WeightedResource, are_local, load, load_fact, request_path};
use crate::cluster::node::NodeInfo;
use crate::cluster::resources::Resources;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, Filter, PreFilter, PreScore, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{
    Facts, PreFiltered, PreScored, Reason, Rejection, ScoreFacts, Verdict,
};
use crate::release::Gate;
use berth_protocol::cycle::Code;
use berth_protocol::fact::{Fact, FactKind, shortage};
use berth_protocol::score::formula::{
    average, least_allocated, most_allocated, on_shape, rounded_average,
};
use berth_protocol::score::{Formula, ShapePoint};

/// The scoring strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    LeastAllocated,
    MostAllocated,
    /// Scores by utilization along these points.
    RequestedToCapacityRatio(Vec<ShapePoint>),
}

/// The plugin's arguments (`NodeResourcesFitArgs`).
#[derive(Clone, Debug)]
pub struct FitArgs {
    /// Extended resources that Filter ignores.
    pub ignored_resources: Vec<String>,
    /// Prefixes (up to the slash) of extended resources that Filter ignores.
    pub ignored_resource_groups: Vec<String>,
    pub strategy: Strategy,
    pub resources: Vec<WeightedResource>,
}

/// The plugin.
pub struct NodeResourcesFit {
    args: FitArgs,
}

/// Marks that PreFilter ran; without it, Filter returns an error.
#[derive(Clone)]
struct Prepared;

impl NodeResourcesFit {
    /// With the profile's arguments.
    pub fn new(args: FitArgs) -> Self {
        Self { args }
    }

    fn ignores(&self, resource: &str) -> bool {
        if resource.contains("kubernetes.io/") || !resource.contains('/') {
            return false;
        }
        let group = resource.split('/').next().unwrap_or_default();
        self.args
            .ignored_resources
            .iter()
            .any(|ignored| ignored == resource)
            || self
                .args
                .ignored_resource_groups
                .iter()
                .any(|ignored| ignored == group)
    }

    /// The loads of the scored resources that the node offers.
    fn loads<'a>(
        &'a self,
        cx: Context<'a>,
        node: &'a NodeInfo,
    ) -> impl Iterator<Item = (&'a WeightedResource, Load)> {
        let load = move |resource: &'a WeightedResource| {
            let request = &cx.spec.score_request;
            (
                resource,
                load(cx, node, request, &resource.name, Basis::NonZero),
            )
        };
        let loads = self.args.resources.iter().map(load);
        loads.filter(|(_, load)| load.allocatable != 0)
    }

    /// The Pod's non-zero requests, with the amounts requested and allocatable on the node.
    fn rows<'a>(&'a self, cx: Context<'a>, node: &'a NodeInfo) -> impl Iterator<Item = Row<'a>> {
        let request = &cx.spec.request;
        let base = [
            ("cpu", request.milli_cpu),
            ("memory", request.memory_bytes),
            ("ephemeral-storage", request.ephemeral_storage_bytes),
        ];
        let scalars = request
            .scalars
            .iter()
            .filter(|(name, _)| !self.ignores(name))
            .map(|(name, asked)| (name.as_str(), *asked));
        base.into_iter()
            .chain(scalars)
            .filter(|(_, asked)| *asked != 0)
            .map(|(name, asked)| Row {
                name,
                asked,
                used: node.requested.get(name),
                allocatable: node.allocatable.get(name),
            })
    }
}

struct Row<'a> {
    name: &'a str,
    asked: i64,
    used: i64,
    allocatable: i64,
}

impl Row<'_> {
    fn is_short(&self) -> bool {
        self.asked > self.allocatable.wrapping_sub(self.used)
    }
}

extends!(NodeResourcesFit: PreFilter, Filter, PreScore, Score, EnqueueExtensions);

impl PreFilter for NodeResourcesFit {
    fn pre_filter(&self, _cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        state.write(Prepared);
        PreFiltered::Continue
    }
}

impl Filter for NodeResourcesFit {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        if state.read::<Prepared>().is_none() {
            return Err(Rejection::error(
                "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found",
            ));
        }
        let mut reasons: Vec<Reason> = Vec::new();
        if pod_count(node) + 1 > node.allowed_pods {
            reasons.push(shortage("pods"));
        }
        let mut code = Code::Unschedulable;
        if fits_at_a_glance(&cx.spec.request, node) {
            return if reasons.is_empty() {
                Ok(())
            } else {
                Err(Rejection::with(code, reasons))
            };
        }
        for row in self.rows(cx, node).filter(Row::is_short) {
            if is_served_by_class(cx, row.name, row.allocatable) {
                continue;
            }
            if row.asked > row.allocatable {
                code = Code::UnschedulableAndUnresolvable;
            }
            reasons.push(shortage(row.name));
        }
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(Rejection::with(code, reasons))
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let mut facts = Vec::new();
        if pod_count(node) + 1 > node.allowed_pods {
            let pods = FactKind::Resource {
                resource: "pods".to_owned(),
                request: 1,
                used: pod_count(node),
                allocatable: node.allowed_pods,
            };
            facts.push(Fact::new(pods).in_node("status.allocatable[pods]"));
        }
        for row in self.rows(cx, node) {
            let kind = FactKind::Resource {
                resource: row.name.to_owned(),
                request: row.asked,
                used: row.used,
                allocatable: row.allocatable,
            };
            let fact = Fact::new(kind).in_pod(request_path(cx, row.name));
            facts.push(fact.in_node(format!("status.allocatable[{}]", row.name)));
        }
        facts
    }
}

/// Whether a node that does not offer an extended resource leaves it to a DeviceClass
/// (`shouldDelegateResourceToDRA`).
fn is_served_by_class(cx: Context<'_>, resource: &str, allocatable: i64) -> bool {
    allocatable == 0
        && cx.release().is_on(Gate::DRAExtendedResource)
        && cx.cluster.devices().class_of_resource(resource).is_some()
}

fn pod_count(node: &NodeInfo) -> i64 {
    i64::try_from(node.pods.len()).unwrap_or(i64::MAX)
}

/// The fast path for the common case: three comparisons without lookups by name.
fn fits_at_a_glance(request: &Resources, node: &NodeInfo) -> bool {
    let free = |allocatable: i64, used: i64, asked: i64| {
        asked == 0 || asked <= allocatable.wrapping_sub(used)
    };
    let (have, used) = (&node.allocatable, &node.requested);
    request.scalars.is_empty()
        && free(have.milli_cpu, used.milli_cpu, request.milli_cpu)
        && free(have.memory_bytes, used.memory_bytes, request.memory_bytes)
        && free(
            have.ephemeral_storage_bytes,
            used.ephemeral_storage_bytes,
            request.ephemeral_storage_bytes,
        )
}

impl PreScore for NodeResourcesFit {
    fn pre_score(
        &self,
        _cx: Context<'_>,
        _state: &mut CycleState,
        _nodes: Feasible<'_>,
    ) -> PreScored {
        PreScored::Continue
    }
}

impl Score for NodeResourcesFit {
    fn is_node_local(&self) -> bool {
        are_local(self.args.resources.iter().map(|it| it.name.as_str()))
    }

    fn score(
        &self,
        cx: Context<'_>,
        _state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let loads = self.loads(cx, node).map(|(resource, load)| {
            let score = match &self.args.strategy {
                Strategy::LeastAllocated => least_allocated(load.requested, load.allocatable),
                Strategy::MostAllocated => most_allocated(load.requested, load.allocatable),
                Strategy::RequestedToCapacityRatio(shape) => {
                    on_shape(shape, load.requested, load.allocatable)
                }
            };
            (score, resource.weight)
        });
        Ok(match &self.args.strategy {
            Strategy::LeastAllocated | Strategy::MostAllocated => average(loads),
            Strategy::RequestedToCapacityRatio(_) => {
                rounded_average(loads.filter(|(score, _)| *score > 0))
            }
        })
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let formula = match &self.args.strategy {
            Strategy::LeastAllocated => Formula::LeastAllocated,
            Strategy::MostAllocated => Formula::MostAllocated,
            Strategy::RequestedToCapacityRatio(shape) => Formula::RequestedToCapacityRatio {
                shape: shape.clone(),
            },
        };
        let loads = self.loads(cx, node);
        let input = |(resource, load): (&WeightedResource, Load)| {
            load_fact(cx, &resource.name, load, resource.weight)
        };
        ScoreFacts::new(formula, loads.map(input))
    }
}
