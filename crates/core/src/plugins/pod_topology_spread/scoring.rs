//! The soft constraints: nodes in domains with fewer matching Pods score higher.

use super::{HOSTNAME, Inclusion, PodTopologySpread, counts_by_node, has_all_keys};
use crate::cluster::NodeIx;
use crate::cluster::class::SpreadConstraint;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection};
use crate::plugins::helpers::MAX_NODE_SCORE;

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
    /// ln(domains + 2), so that three zones weigh less than a hundred hosts.
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
        let require_all = !cx.class.spread.is_empty() || !self.system_defaulted;
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
        // Upstream computes in float64.
        // libm's logarithm gives the same result natively and in wasm.
        let weight = libm::log((domains + 2) as f64);
        Counted {
            constraint: constraint.clone(),
            counts,
            weight,
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
        let position = node.ix.0 as usize;
        if state.ignored[position] {
            return Ok(0);
        }
        let mut score = 0.0;
        for counted in &state.counted {
            let key = cx.cluster.topology().key(counted.constraint.topology_key);
            let Some(domain) = key.domain(node.ix) else {
                continue;
            };
            let count = match &counted.counts {
                Counts::ByNode(counts) => i64::from(counts[position]),
                Counts::ByDomain(counts) => counts[domain.0 as usize].unwrap_or(0),
            };
            score += count as f64 * counted.weight + (counted.constraint.max_skew - 1) as f64;
        }
        Ok(score.round() as i64)
    }

    fn normalize(
        &self,
        _cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        scores: &mut [i64],
    ) {
        let Some(state) = state.read::<SoftState>() else {
            return;
        };
        let is_ignored = |node: NodeIx| state.ignored[node.0 as usize];
        let counted = nodes
            .iter()
            .zip(scores.iter())
            .filter(|(node, _)| !is_ignored(**node))
            .map(|(_, score)| *score);
        let minimum = counted.clone().min().unwrap_or(0);
        let maximum = counted.max().unwrap_or(0);
        for (&node, score) in nodes.iter().zip(scores) {
            *score = match maximum {
                _ if is_ignored(node) => 0,
                0 => MAX_NODE_SCORE,
                _ => MAX_NODE_SCORE * (maximum + minimum - *score) / maximum,
            };
        }
    }
}
