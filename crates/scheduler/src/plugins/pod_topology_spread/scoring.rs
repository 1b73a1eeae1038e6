//! The soft constraints: nodes in domains with fewer matching Pods score higher.

use super::{HOSTNAME, Inclusion, PodTopologySpread, counts_by_node, has_all_keys, matching_pods};
use crate::cluster::NodeIx;
use crate::cluster::class::SpreadConstraint;
use crate::cluster::node::NodeInfo;
use crate::cluster::topology::DomainIx;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection, ScoreFacts};
use berth_protocol::fact::Fact;
use berth_protocol::score::formula::{spread, spread_weight};
use berth_protocol::score::{Formula, Input, Normalization};

#[derive(Clone)]
struct SoftState {
    counted: Vec<Counted>,
    /// By node index: feasible, but lacks one of the keys.
    ignored: Vec<bool>,
}

#[derive(Clone)]
struct Counted {
    constraint: SpreadConstraint,
    counts: Counts,
    domains: i64,
    weight: f64,
}

#[derive(Clone)]
enum Counts {
    /// For `kubernetes.io/hostname`: by node index.
    ByNode(Vec<u32>),
    /// By domain; `None` for domains without a feasible node.
    ByDomain(Vec<Option<i64>>),
}

impl PreScore for PodTopologySpread {
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, nodes: &[NodeIx]) -> PreScored {
        let constraints = self.constraints(cx, false);
        if constraints.is_empty() {
            return PreScored::Skip;
        }
        let cluster = cx.cluster;
        let require_all = self.requires_all_keys(cx);
        let mut ignored = vec![false; cluster.node_capacity()];
        let mut scored: Vec<NodeIx> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            if require_all && !has_all_keys(cluster, &constraints, node) {
                ignored[node.0 as usize] = true;
            } else {
                scored.push(node);
            }
        }
        let count = Count {
            cx,
            constraints: &constraints,
            scored: &scored,
            require_all,
        };
        let counted = constraints
            .iter()
            .map(|constraint| count.one(constraint))
            .collect();
        state.write(SoftState { counted, ignored });
        PreScored::Continue
    }
}

struct Count<'a> {
    cx: Context<'a>,
    constraints: &'a [SpreadConstraint],
    /// Feasible nodes that are not ignored.
    scored: &'a [NodeIx],
    require_all: bool,
}

impl Count<'_> {
    fn one(&self, constraint: &SpreadConstraint) -> Counted {
        let on_node = counts_by_node(self.cx.cluster, constraint);
        let key = self.cx.cluster.topology().key(constraint.topology_key);
        let (counts, domains) = if key.name.as_ref() == HOSTNAME {
            (Counts::ByNode(on_node), self.scored.len())
        } else {
            self.by_domain(constraint, &on_node)
        };
        let domains = i64::try_from(domains).unwrap_or(i64::MAX);
        Counted {
            constraint: constraint.clone(),
            counts,
            domains,
            weight: spread_weight(domains),
        }
    }

    /// Sums over all counted nodes, for domains with a feasible node only; and the number of such
    /// domains, with "no label" as one of them.
    fn by_domain(&self, constraint: &SpreadConstraint, on_node: &[u32]) -> (Counts, usize) {
        let cluster = self.cx.cluster;
        let key = cluster.topology().key(constraint.topology_key);
        let mut by_domain = vec![None; key.domain_count()];
        // Upstream reads an absent label as "", so nodes without the label share a domain with those
        // whose value is empty.
        let blank = key.find("");
        let mut unlabeled = false;
        for &node in self.scored {
            match key.domain(node).or(blank) {
                Some(domain) => by_domain[domain.0 as usize] = Some(0),
                None => unlabeled = true,
            }
        }
        let domains = by_domain.iter().flatten().count() + usize::from(unlabeled);
        let inclusion = Inclusion::new(self.cx);
        for &ix in cluster.node_order() {
            let Some(domain) = key.domain(ix).or(blank) else {
                continue;
            };
            let Some(sum) = &mut by_domain[domain.0 as usize] else {
                continue;
            };
            let complete = !self.require_all || has_all_keys(cluster, self.constraints, ix);
            if complete && inclusion.counts(constraint, ix) {
                *sum += i64::from(on_node[ix.0 as usize]);
            }
        }
        (Counts::ByDomain(by_domain), domains)
    }
}

impl Score for PodTopologySpread {
    // Upstream computes in float64.
    fn score(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let Some(state) = state.read::<SoftState>() else {
            return Err(Rejection::error(
                "error reading \"PreScorePodTopologySpread\" from cycleState: not found",
            ));
        };
        if state.ignored[node.ix.0 as usize] {
            return Ok(0);
        }
        let mut score = 0.0;
        for counted in &state.counted {
            let key = cx.cluster.topology().key(counted.constraint.topology_key);
            let Some(domain) = key.domain(node.ix) else {
                continue;
            };
            let count = counted.in_domain(node.ix, domain);
            score += spread(count, counted.weight, counted.constraint.max_skew);
        }
        Ok(score.round() as i64)
    }

    fn normalization(&self, state: &CycleState, nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        let is_ignored = |node: NodeIx| {
            let state = state.read::<SoftState>();
            state.is_some_and(|state| state.ignored[node.0 as usize])
        };
        let counted = nodes
            .iter()
            .zip(raw)
            .filter(|(node, _)| !is_ignored(**node))
            .map(|(_, score)| *score);
        Normalization::Mirrored {
            minimum: counted.clone().min().unwrap_or(0),
            maximum: counted.max().unwrap_or(0),
        }
    }

    fn normalize(&self, state: &CycleState, nodes: &[NodeIx], scores: &mut [i64]) {
        let normalization = self.normalization(state, nodes, scores);
        let Some(state) = state.read::<SoftState>() else {
            return;
        };
        for (node, score) in nodes.iter().zip(scores) {
            *score = match state.ignored[node.0 as usize] {
                true => 0,
                false => normalization.of(*score),
            };
        }
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let Some(state) = state.read::<SoftState>() else {
            return ScoreFacts::new(Formula::Zero, []);
        };
        let formula = match state.ignored[node.ix.0 as usize] {
            true => Formula::LeftOut,
            false => Formula::Spread,
        };
        let inputs = state.counted.iter().map(|counted| {
            let constraint = &counted.constraint;
            let key = cx.cluster.topology().key(constraint.topology_key);
            let domain = key.domain(node.ix);
            let input = Input::Spread {
                topology_key: key.name.to_string(),
                domain: domain.map(|domain| key.value(domain).to_string()),
                count: domain.map_or(0, |domain| counted.in_domain(node.ix, domain)),
                domains: counted.domains,
                max_skew: constraint.max_skew,
            };
            let pods = domain.map(|domain| self.pods_of_soft(cx, counted, node.ix, domain));
            Fact::new(input)
                .in_pod(constraint.pod_path.clone())
                .in_node(format!("metadata.labels[{}]", key.name))
                .counting(pods.unwrap_or_default())
        });
        ScoreFacts::new(formula, inputs)
    }
}

impl Counted {
    /// The matching Pods in the node's domain.
    fn in_domain(&self, node: NodeIx, domain: DomainIx) -> i64 {
        match &self.counts {
            Counts::ByNode(counts) => i64::from(counts[node.0 as usize]),
            Counts::ByDomain(counts) => counts[domain.0 as usize].unwrap_or(0),
        }
    }
}

impl PodTopologySpread {
    fn requires_all_keys(&self, cx: Context<'_>) -> bool {
        !cx.class.spread.is_empty() || !self.system_defaulted
    }

    /// The Pods that [`Counted::in_domain`] counts.
    fn pods_of_soft(
        &self,
        cx: Context<'_>,
        counted: &Counted,
        node: NodeIx,
        domain: DomainIx,
    ) -> Vec<String> {
        let constraint = &counted.constraint;
        if let Counts::ByNode(_) = counted.counts {
            return matching_pods(cx.cluster, constraint, std::iter::once(node));
        }
        let constraints = self.constraints(cx, false);
        let requires_all = self.requires_all_keys(cx);
        let inclusion = Inclusion::new(cx);
        let key = cx.cluster.topology().key(constraint.topology_key);
        let blank = key.find("");
        let nodes = cx.cluster.node_order().iter().copied().filter(|&node| {
            key.domain(node).or(blank) == Some(domain)
                && (!requires_all || has_all_keys(cx.cluster, &constraints, node))
                && inclusion.counts(constraint, node)
        });
        matching_pods(cx.cluster, constraint, nodes)
    }
}
