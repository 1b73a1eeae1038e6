//! PodTopologySpread: spreads the Pods of a group evenly over zones, hosts or other domains.
//!
//! - **Extension points**: PreFilter, Filter (`DoNotSchedule`), PreScore, Score (`ScheduleAnyway`).
//! - **Why**: the loss of one zone must not take down all replicas.
//! - **Example**: zones with 2, 1 and 1 matching Pods and `maxSkew: 1`: 2 + 1 − 1 = 2 > 1, so the
//!   first zone is rejected.
//! - **Defaults**: a Pod without constraints of its own gets the profile's, which count the Pods of
//!   its Services and controller.
//! - **Upstream**: `plugins/podtopologyspread`, v1.34.

mod filtering;
mod hints;
mod scoring;

use k8s_openapi::api::core::v1::TopologySpreadConstraint;

use super::helpers::{first_untolerated, pods_on};
use crate::cluster::class::SpreadConstraint;
use crate::cluster::topology::TopologyKeyIx;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::plugin::{Context, extends};
use crate::selector::compiled::Selector;

const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";

/// The plugin, with the profile's default constraints.
pub struct PodTopologySpread {
    defaults: Vec<SpreadConstraint>,
    /// The defaults are the built-in ones: nodes that lack a key are scored nevertheless.
    system_defaulted: bool,
}

impl PodTopologySpread {
    /// `defaultingType: System`: soft constraints over hosts (maxSkew 3) and zones (maxSkew 5).
    pub fn with_system_defaults(cluster: &mut Cluster) -> Self {
        let constraint = |key: &str, max_skew: i32| TopologySpreadConstraint {
            topology_key: key.to_owned(),
            max_skew,
            when_unsatisfiable: "ScheduleAnyway".to_owned(),
            ..TopologySpreadConstraint::default()
        };
        let defaults = [constraint(HOSTNAME, 3), constraint(ZONE, 5)];
        Self {
            system_defaulted: true,
            ..Self::with_defaults(cluster, &defaults)
        }
    }

    /// `defaultingType: List`: the profile's own constraints, which may be none.
    pub fn with_defaults(cluster: &mut Cluster, defaults: &[TopologySpreadConstraint]) -> Self {
        let compiled = defaults.iter().map(|constraint| {
            let key = cluster.intern_topology_key(&constraint.topology_key);
            SpreadConstraint::new(
                constraint,
                key,
                Selector::Nothing,
                None,
                false,
                String::new(),
            )
        });
        Self {
            defaults: compiled.collect(),
            system_defaulted: false,
        }
    }

    /// The constraints that apply to the Pod: its own if it has any, else the defaults.
    fn constraints(&self, cx: Context<'_>, hard: bool) -> Vec<SpreadConstraint> {
        if !cx.class.spread.is_empty() {
            return cx
                .class
                .spread
                .iter()
                .filter(|constraint| constraint.hard == hard)
                .cloned()
                .collect();
        }
        let Some(group) = &cx.class.default_spread else {
            return Vec::new();
        };
        self.defaults
            .iter()
            .filter(|constraint| constraint.hard == hard)
            .map(|constraint| SpreadConstraint {
                selector: group.selector.clone(),
                matcher: Some(group.matcher),
                matches_self: group.matches_self,
                ..constraint.clone()
            })
            .collect()
    }
}

extends!(PodTopologySpread: PreFilter, Filter, PreScore, Score, EnqueueExtensions);

/// The nodes that constraints count, for the Pod of this cycle.
struct Inclusion<'a> {
    cx: Context<'a>,
    /// By node: whether the Pod's node affinity accepts it; `None` if it accepts all.
    accepting: Option<std::sync::Arc<Vec<bool>>>,
}

impl<'a> Inclusion<'a> {
    fn new(cx: Context<'a>) -> Self {
        let asks = !cx.spec.node_selector.is_empty() || cx.spec.required_node_affinity.is_some();
        Self {
            cx,
            accepting: asks.then(|| cx.cluster.accepting_nodes(cx.class.spec)),
        }
    }

    /// Whether the constraint counts all nodes.
    fn is_everything(&self, constraint: &SpreadConstraint) -> bool {
        let by_affinity = !constraint.honor_node_affinity || self.accepting.is_none();
        by_affinity && !constraint.honor_node_taints
    }

    /// Whether the constraint's `nodeAffinityPolicy` and `nodeTaintsPolicy` include the node.
    fn counts(&self, constraint: &SpreadConstraint, node: NodeIx) -> bool {
        let position = node.0 as usize;
        let accepted = |accepting: &std::sync::Arc<Vec<bool>>| {
            accepting.get(position).copied().unwrap_or(false)
        };
        if constraint.honor_node_affinity && !self.accepting.as_ref().is_none_or(accepted) {
            return false;
        }
        let taints = || &self.cx.cluster.node(node).taints;
        !constraint.honor_node_taints
            || first_untolerated(taints(), &self.cx.spec.tolerations).is_none()
    }
}

/// By node: whether it has a value for every constraint's key. `None` for a single constraint, which
/// checks its own key.
fn complete_nodes(cluster: &Cluster, constraints: &[SpreadConstraint]) -> Option<Vec<bool>> {
    if constraints.len() < 2 {
        return None;
    }
    let nodes = (0..).map(NodeIx).take(cluster.node_capacity());
    Some(
        nodes
            .map(|node| has_all_keys(cluster, constraints, node))
            .collect(),
    )
}

/// Whether the node has a value for every constraint's key.
fn has_all_keys(cluster: &Cluster, constraints: &[SpreadConstraint], node: NodeIx) -> bool {
    let topology = cluster.topology();
    let has = |key: TopologyKeyIx| topology.key(key).domain(node).is_some();
    constraints
        .iter()
        .all(|constraint| has(constraint.topology_key))
}

/// Matching Pods that are not being deleted, by node index.
fn counts_by_node(cluster: &Cluster, constraint: &SpreadConstraint) -> Vec<u32> {
    let mut counts = vec![0; cluster.node_capacity()];
    if let Some(matcher) = constraint.matcher {
        for entry in cluster.matchers().get(matcher).counts().entries() {
            if let Some(count) = counts.get_mut(entry.node.0 as usize) {
                *count = entry.live;
            }
        }
    }
    counts
}

/// The Pods that [`counts_by_node`] counts on some nodes.
fn matching_pods(
    cluster: &Cluster,
    constraint: &SpreadConstraint,
    nodes: impl Iterator<Item = NodeIx>,
) -> Vec<String> {
    let Some(matcher) = constraint.matcher else {
        return Vec::new();
    };
    let matcher = cluster.matchers().get(matcher);
    pods_on(cluster, nodes, |pod| {
        !pod.object.terminating && matcher.matches(pod.class)
    })
}
