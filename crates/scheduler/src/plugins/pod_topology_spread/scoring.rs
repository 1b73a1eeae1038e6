//! The soft constraints: nodes in domains with fewer matching Pods score higher.

use super::{
    HOSTNAME, Inclusion, PodTopologySpread, all_are_complete, count_on, counts_by_domain,
    counts_by_node, has_all_keys, matching_pods,
};
use crate::cluster::class::SpreadConstraint;
use crate::cluster::node::NodeInfo;
use crate::cluster::topology::DomainIx;
use crate::cluster::{Cluster, NodeIx};
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection, ScoreFacts};
use berth_base::sort;
use berth_protocol::fact::Fact;
use berth_protocol::score::formula::{spread, spread_weight};
use berth_protocol::score::{Formula, Input, Normalization};

#[derive(Clone)]
struct SoftState {
    counted: Vec<Counted>,
    /// Feasible nodes that lack one of the keys, sorted.
    ignored: Vec<NodeIx>,
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
    /// For `kubernetes.io/hostname`: those of the node itself.
    ByNode,
    /// By domain; `None` for domains without a feasible node.
    ByDomain(Vec<Option<i64>>),
}

impl PreScore for PodTopologySpread {
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, nodes: Feasible<'_>) -> PreScored {
        let constraints = self.constraints(cx, false);
        if constraints.is_empty() {
            return PreScored::Skip;
        }
        let cluster = cx.cluster;
        let require_all = self.requires_all_keys(cx) && !all_are_complete(cluster, &constraints);
        let mut ignored = Vec::new();
        let mut scored: Vec<(NodeIx, usize)> = Vec::new();
        for (node, count) in nodes.iter() {
            if require_all && !has_all_keys(cluster, &constraints, node) {
                ignored.push(node);
            } else {
                scored.push((node, count));
            }
        }
        sort::sort(&mut ignored);
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
    /// Feasible nodes that are not ignored, and how many each stands for.
    scored: &'a [(NodeIx, usize)],
    /// Whether nodes that lack a key of another constraint do not count.
    require_all: bool,
}

impl Count<'_> {
    fn one(&self, constraint: &SpreadConstraint) -> Counted {
        let key = self.cx.cluster.topology().key(constraint.topology_key);
        let (counts, domains) = if key.name.as_ref() == HOSTNAME {
            let nodes = self.scored.iter().map(|(_, count)| count);
            (Counts::ByNode, nodes.sum())
        } else {
            self.by_domain(constraint)
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
    fn by_domain(&self, constraint: &SpreadConstraint) -> (Counts, usize) {
        let cluster = self.cx.cluster;
        let key = cluster.topology().key(constraint.topology_key);
        let mut by_domain = vec![None; key.domain_count()];
        // Upstream reads an absent label as "", so nodes without the label share a domain with those
        // whose value is empty.
        let blank = key.find("");
        let mut unlabeled = false;
        let mut labelled = 0;
        for &(node, count) in self.scored {
            match key.domain(node).or(blank) {
                Some(domain) => {
                    by_domain[domain.0 as usize] = Some(0);
                    labelled += count;
                }
                None => unlabeled = true,
            }
        }
        // Where a domain is a node, one node may stand for several domains.
        let domains = match key.is_by_node() && blank.is_none() {
            true => labelled,
            false => by_domain.iter().flatten().count(),
        };
        let domains = domains + usize::from(unlabeled);
        let inclusion = Inclusion::new(self.cx);
        let blanks_count = blank.is_some() && key.labelled() < cluster.node_order().len();
        let shares = !key.is_by_node() && !blanks_count && !self.require_all;
        if shares && inclusion.is_everything(constraint) {
            let sums = counts_by_domain(cluster, constraint);
            for (sum, known) in by_domain.iter_mut().zip(sums) {
                *sum = sum.and(Some(known.unwrap_or(0)));
            }
            return (Counts::ByDomain(by_domain), domains);
        }
        let on_node = counts_by_node(cluster, constraint);
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

impl SoftState {
    fn ignores(&self, node: NodeIx) -> bool {
        self.ignored.binary_search(&node).is_ok()
    }

    /// The raw score; `on_node` is the count of a constraint on the node. Upstream computes in float64.
    fn points(&self, cluster: &Cluster, node: NodeIx, on_node: impl Fn(usize) -> i64) -> i64 {
        if self.ignores(node) {
            return 0;
        }
        let mut score = 0.0;
        for (position, counted) in self.counted.iter().enumerate() {
            let key = cluster.topology().key(counted.constraint.topology_key);
            let Some(domain) = key.domain(node) else {
                continue;
            };
            let count = match &counted.counts {
                Counts::ByNode => on_node(position),
                Counts::ByDomain(counts) => counts[domain.0 as usize].unwrap_or(0),
            };
            score += spread(count, counted.weight, counted.constraint.max_skew);
        }
        score.round() as i64
    }
}

fn unprepared() -> Rejection {
    Rejection::error("error reading \"PreScorePodTopologySpread\" from cycleState: not found")
}

impl Score for PodTopologySpread {
    fn score(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let state = state.read::<SoftState>().ok_or_else(unprepared)?;
        let on_node = |position: usize| {
            let constraint = &state.counted[position].constraint;
            count_on(cx.cluster, constraint.matcher, node.ix)
        };
        Ok(state.points(cx.cluster, node.ix, on_node))
    }

    fn score_all(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        raw: &mut Vec<i64>,
    ) -> Result<(), Rejection> {
        let state = state.read::<SoftState>().ok_or_else(unprepared)?;
        let on_nodes = |counted: &Counted| match counted.counts {
            Counts::ByNode => counts_by_node(cx.cluster, &counted.constraint),
            Counts::ByDomain(_) => Vec::new(),
        };
        let on_nodes: Vec<Vec<u32>> = state.counted.iter().map(on_nodes).collect();
        raw.extend(nodes.iter().map(|&node| {
            let on_node = |position: usize| i64::from(on_nodes[position][node.0 as usize]);
            state.points(cx.cluster, node, on_node)
        }));
        Ok(())
    }

    fn normalization(&self, state: &CycleState, nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        let is_ignored = |node: NodeIx| {
            let state = state.read::<SoftState>();
            state.is_some_and(|state| state.ignores(node))
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
            *score = match state.ignores(*node) {
                true => 0,
                false => normalization.of(*score),
            };
        }
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let Some(state) = state.read::<SoftState>() else {
            return ScoreFacts::new(Formula::Zero, []);
        };
        let formula = match state.ignores(node.ix) {
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
                count: domain.map_or(0, |domain| counted.in_domain(cx.cluster, node.ix, domain)),
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
    fn in_domain(&self, cluster: &Cluster, node: NodeIx, domain: DomainIx) -> i64 {
        match &self.counts {
            Counts::ByNode => count_on(cluster, self.constraint.matcher, node),
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
        if let Counts::ByNode = counted.counts {
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
