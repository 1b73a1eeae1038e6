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
use crate::cluster::domain_counts::Counted;
use crate::cluster::matcher::MatcherIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::topology::{DomainIx, TopologyKey, TopologyKeyIx};
use crate::cluster::{Cluster, NodeIx};
use crate::framework::by_domain::{Term, Terms, domain_value};
use crate::framework::plugin::{ByDomain, Context, extends};
use crate::framework::state::CycleState;
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

impl PodTopologySpread {
    /// The constraints that apply to the Pod, soft ones included, with what they count and whether they count the Pod
    /// itself.
    fn counting<'a>(
        &'a self,
        cx: Context<'a>,
    ) -> impl Iterator<Item = (&'a SpreadConstraint, Option<MatcherIx>, bool)> {
        let own = cx.class.spread.iter();
        let own = own.map(|constraint| (constraint, constraint.matcher, constraint.matches_self));
        let group = cx.class.default_spread.as_ref();
        let group = group.filter(|_| cx.class.spread.is_empty());
        let defaults = group.into_iter().flat_map(|group| {
            let defaults = self.defaults.iter();
            defaults.map(|constraint| (constraint, Some(group.matcher), group.matches_self))
        });
        own.chain(defaults)
    }
}

extends!(PodTopologySpread: PreFilter, Filter, PreScore, Score, ByDomain, EnqueueExtensions);

impl ByDomain for PodTopologySpread {
    fn terms(&self, cx: Context<'_>, _state: &CycleState) -> Option<Terms> {
        let term = |(constraint, matcher, matches_self): (&SpreadConstraint, _, _)| {
            let kind = [
                constraint.hard,
                constraint.honor_node_affinity,
                constraint.honor_node_taints,
            ];
            Term {
                kind: kind.iter().fold(0, |kind, &is| (kind << 1) | u8::from(is)),
                key: constraint.topology_key,
                matcher,
                matches_self,
                weight: 0,
            }
        };
        // Nodes without the label and one whose value is empty share a domain.
        let is_mixed = |key: &TopologyKey| key.is_by_node() && key.find("").is_some();
        let topology = cx.cluster.topology();
        let own: Vec<Term> = self.counting(cx).map(term).collect();
        if own.iter().any(|term| is_mixed(topology.key(term.key))) {
            return None;
        }
        Some(Terms {
            own,
            ..Terms::default()
        })
    }

    /// The domain of a shared key; the count and whether it is included where a domain is a node. Scores count by node
    /// for [`HOSTNAME`] even if nodes share its value.
    fn values(&self, cx: Context<'_>, _terms: &Terms, node: &NodeInfo, values: &mut Vec<i64>) {
        for (constraint, matcher, _) in self.counting(cx) {
            let key = cx.cluster.topology().key(constraint.topology_key);
            let is_by_node = key.is_by_node();
            let domain = domain_value(key, node);
            values.push(if is_by_node { domain.min(0) } else { domain });
            if is_by_node || key.name.as_ref() == HOSTNAME {
                let is_included = Inclusion::new(cx).counts(constraint, node.ix);
                values.push(count_on(cx.cluster, matcher, node.ix));
                values.push(i64::from(is_included));
            }
        }
    }
}

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

/// By node: whether it has a value for every constraint's key. `None` if all nodes do, and for a single constraint, which
/// checks its own key.
fn complete_nodes(cluster: &Cluster, constraints: &[SpreadConstraint]) -> Option<Vec<bool>> {
    if constraints.len() < 2 || all_are_complete(cluster, constraints) {
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

/// Whether every node has a value for every constraint's key.
fn all_are_complete(cluster: &Cluster, constraints: &[SpreadConstraint]) -> bool {
    let nodes = cluster.node_order().len();
    let topology = cluster.topology();
    constraints
        .iter()
        .all(|constraint| topology.key(constraint.topology_key).labelled() == nodes)
}

/// Matching Pods that are not being deleted, by domain, on all nodes; domains without a node are absent.
fn counts_by_domain(cluster: &Cluster, constraint: &SpreadConstraint) -> Vec<Option<i64>> {
    let key = cluster.topology().key(constraint.topology_key);
    let exists = |domain: u32| key.population(DomainIx(domain)) > 0;
    let domains = (0..).take(key.domain_count());
    match constraint.matcher {
        None => domains.map(|domain| exists(domain).then_some(0)).collect(),
        Some(matcher) => {
            let counted = Counted::Matched(matcher);
            cluster.in_domains(counted, constraint.topology_key, |counts| {
                let counts = domains.zip(counts);
                counts
                    .map(|(domain, count)| exists(domain).then_some(count.live))
                    .collect()
            })
        }
    }
}

/// Matching Pods on one node that are not being deleted.
fn count_on(cluster: &Cluster, matcher: Option<MatcherIx>, node: NodeIx) -> i64 {
    let count = matcher.and_then(|matcher| cluster.matchers().get(matcher).counts().on(node));
    count.map_or(0, |count| i64::from(count.live))
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
