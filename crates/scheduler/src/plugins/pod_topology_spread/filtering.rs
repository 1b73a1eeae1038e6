//! The hard constraints: matching Pods by domain, and the global minimum.

use super::{
    Inclusion, PodTopologySpread, complete_nodes, counts_by_domain, counts_by_node, matching_pods,
};
use crate::cluster::NodeIx;
use crate::cluster::class::SpreadConstraint;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::topology::DomainIx;
use crate::framework::plugin::{Context, Filter, PreFilter};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use crate::plugins::helpers::nodes_in;
use berth_protocol::fact::{Fact, FactKind};

const REASON: &str = "node(s) didn't match pod topology spread constraints";
const REASON_LABEL: &str =
    "node(s) didn't match pod topology spread constraints (missing required label)";

/// Hard constraints with their counts; empty if the Pod has none.
#[derive(Clone)]
struct HardState(Vec<Counted>);

#[derive(Clone)]
struct Counted {
    constraint: SpreadConstraint,
    /// Matching Pods by domain; `None` for domains without a counted node.
    by_domain: Vec<Option<i64>>,
    /// Domains with at least one counted node.
    domains: i64,
    fewest: Fewest,
}

impl Counted {
    fn new(constraint: &SpreadConstraint, by_domain: Vec<Option<i64>>) -> Self {
        Self {
            constraint: constraint.clone(),
            domains: i64::try_from(by_domain.iter().flatten().count()).unwrap_or(i64::MAX),
            fewest: Fewest::new(&by_domain),
            by_domain,
        }
    }

    fn in_domain(&self, domain: DomainIx) -> i64 {
        self.by_domain
            .get(domain.0 as usize)
            .copied()
            .flatten()
            .unwrap_or(0)
    }

    /// Whether one more Pod would exceed `maxSkew` in the domain.
    fn is_full(&self, domain: DomainIx) -> bool {
        let own = i64::from(self.constraint.matches_self);
        self.in_domain(domain) + own - self.minimum() > self.constraint.max_skew
    }

    /// The global minimum; 0 if there are fewer domains than `minDomains`.
    fn minimum(&self) -> i64 {
        if self.domains < self.constraint.min_domains {
            0
        } else {
            self.fewest.minimum()
        }
    }

    fn change(&mut self, domain: DomainIx, by: i64) {
        let position = domain.0 as usize;
        if self.by_domain.len() <= position {
            self.by_domain.resize(position + 1, None);
        }
        let count = &mut self.by_domain[position];
        self.domains += i64::from(count.is_none());
        let new = count.unwrap_or(0) + by;
        *count = Some(new);
        self.fewest.update(domain, new);
    }
}

/// The two domains with the fewest Pods. A dry run changes one domain at a time, so two suffice to
/// know the minimum after the first one grew.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fewest([(Option<DomainIx>, i64); 2]);

impl Fewest {
    fn new(by_domain: &[Option<i64>]) -> Self {
        let mut fewest = Self([(None, i64::MAX), (None, i64::MAX)]);
        for (position, count) in by_domain.iter().enumerate() {
            if let (Some(count), Ok(position)) = (count, u32::try_from(position)) {
                fewest.update(DomainIx(position), *count);
            }
        }
        fewest
    }

    fn minimum(&self) -> i64 {
        self.0[0].1
    }

    fn update(&mut self, domain: DomainIx, count: i64) {
        let [first, second] = &mut self.0;
        if first.0 == Some(domain) {
            first.1 = count;
        } else if second.0 == Some(domain) || count < second.1 {
            *second = (Some(domain), count);
        }
        if second.1 < first.1 {
            self.0.swap(0, 1);
        }
    }
}

impl PreFilter for PodTopologySpread {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        let constraints = self.constraints(cx, true);
        if constraints.is_empty() {
            state.write(HardState(Vec::new()));
            return PreFiltered::Skip;
        }
        state.write(count(cx, &constraints));
        PreFiltered::Continue
    }

    fn add_pod(&self, cx: Context<'_>, state: &mut CycleState, added: &PodInfo, node: &NodeInfo) {
        change(cx, state, added, node, 1);
    }

    fn remove_pod(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        removed: &PodInfo,
        node: &NodeInfo,
    ) {
        change(cx, state, removed, node, -1);
    }
}

fn count(cx: Context<'_>, constraints: &[SpreadConstraint]) -> HardState {
    let cluster = cx.cluster;
    let inclusion = Inclusion::new(cx);
    let complete = complete_nodes(cluster, constraints);
    let counted = constraints.iter().map(|constraint| {
        let key = cluster.topology().key(constraint.topology_key);
        let everything = inclusion.is_everything(constraint);
        if everything && complete.is_none() && !key.is_by_node() {
            return Counted::new(constraint, counts_by_domain(cluster, constraint));
        }
        let by_node = key.by_node();
        let on_node = counts_by_node(cluster, constraint);
        let mut by_domain = vec![None; key.domain_count()];
        for &ix in cluster.node_order() {
            let position = ix.0 as usize;
            let counts = complete.as_ref().is_none_or(|complete| complete[position])
                && (everything || inclusion.counts(constraint, ix));
            if let (true, Some(Some(domain))) = (counts, by_node.get(position)) {
                let sum = &mut by_domain[domain.0 as usize];
                *sum = Some(sum.unwrap_or(0) + i64::from(on_node[position]));
            }
        }
        Counted::new(constraint, by_domain)
    });
    HardState(counted.collect())
}

/// As upstream, a Pod is counted here by its selector alone: unlike in the initial count, it does not
/// matter if the Pod is being deleted or the selector is empty.
fn change(cx: Context<'_>, state: &mut CycleState, pod: &PodInfo, node: &NodeInfo, by: i64) {
    let Some(HardState(counted)) = state.read_mut() else {
        return;
    };
    let class = cx.cluster.class(pod.class);
    let topology = cx.cluster.topology();
    let domain = |counted: &Counted| {
        topology
            .key(counted.constraint.topology_key)
            .domain(node.ix)
    };
    if class.namespace != cx.class.namespace
        || counted.iter().any(|counted| domain(counted).is_none())
    {
        return;
    }
    let inclusion = Inclusion::new(cx);
    for counted in counted {
        let constraint = &counted.constraint;
        if constraint.selector.matches(class.labels())
            && inclusion.counts(constraint, node.ix)
            && let Some(domain) = domain(counted)
        {
            counted.change(domain, by);
        }
    }
}

fn unprepared() -> Rejection {
    Rejection::error("reading \"PreFilterPodTopologySpread\" from cycleState: not found")
}

impl Filter for PodTopologySpread {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let Some(HardState(counted)) = state.read() else {
            return Err(unprepared());
        };
        for counted in counted {
            let constraint = &counted.constraint;
            let key = cx.cluster.topology().key(constraint.topology_key);
            let Some(domain) = key.domain(node.ix) else {
                return Err(Rejection::unresolvable(REASON_LABEL));
            };
            if counted.is_full(domain) {
                return Err(Rejection::unschedulable(REASON));
            }
        }
        Ok(())
    }

    fn filter_all(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        reject: &mut dyn FnMut(usize, &Rejection),
    ) {
        let Some(HardState(counted)) = state.read() else {
            for position in 0..nodes.len() {
                reject(position, &unprepared());
            }
            return;
        };
        let (full_domain, no_label) = (
            Rejection::unschedulable(REASON),
            Rejection::unresolvable(REASON_LABEL),
        );
        let mut refused = vec![false; nodes.len()];
        for counted in counted {
            let key = cx.cluster.topology().key(counted.constraint.topology_key);
            let by_node = key.by_node();
            // Each domain is checked once; its nodes share the verdict.
            let is_full = |domain| counted.is_full(DomainIx(domain));
            let full: Vec<bool> = (0..).map(is_full).take(key.domain_count()).collect();
            for (position, node) in nodes.iter().enumerate() {
                if refused[position] {
                    continue;
                }
                match by_node.get(node.0 as usize).copied().flatten() {
                    Some(domain) if !full[domain.0 as usize] => continue,
                    Some(_) => reject(position, &full_domain),
                    None => reject(position, &no_label),
                }
                refused[position] = true;
            }
        }
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let counted = hard(state);
        counted.iter().map(|it| it.fact(cx, node)).collect()
    }

    fn detailed_facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let counted = hard(state).iter();
        let facts = counted.map(|it| it.fact(cx, node).counting(self.pods_of_hard(cx, it, node)));
        facts.collect()
    }
}

fn hard(state: &CycleState) -> &[Counted] {
    state
        .read()
        .map_or(&[][..], |HardState(counted)| counted.as_slice())
}

impl Counted {
    fn fact(&self, cx: Context<'_>, node: &NodeInfo) -> Fact {
        let constraint = &self.constraint;
        let key = cx.cluster.topology().key(constraint.topology_key);
        let domain = key.domain(node.ix);
        Fact::new(FactKind::Spread {
            topology_key: key.name.to_string(),
            domain: domain.map(|domain| key.value(domain).to_string()),
            count: domain.map_or(0, |domain| self.in_domain(domain)),
            own: i64::from(constraint.matches_self),
            minimum: self.minimum(),
            max_skew: constraint.max_skew,
        })
        .in_pod(constraint.pod_path.clone())
        .in_node(format!("metadata.labels[{}]", key.name))
    }
}

impl PodTopologySpread {
    /// The Pods that [`Counted::in_domain`] counts in the node's domain.
    fn pods_of_hard(&self, cx: Context<'_>, counted: &Counted, node: &NodeInfo) -> Vec<String> {
        let constraint = &counted.constraint;
        let key = cx.cluster.topology().key(constraint.topology_key);
        let Some(domain) = key.domain(node.ix) else {
            return Vec::new();
        };
        let complete = complete_nodes(cx.cluster, &self.constraints(cx, true));
        let inclusion = Inclusion::new(cx);
        let nodes = nodes_in(cx.cluster, constraint.topology_key, domain).filter(|&node| {
            let is_complete = |complete: &Vec<bool>| complete[node.0 as usize];
            complete.as_ref().is_none_or(is_complete) && inclusion.counts(constraint, node)
        });
        matching_pods(cx.cluster, constraint, nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::{DomainIx, Fewest};

    #[test]
    fn the_minimum_follows_one_changing_domain() {
        let mut fewest = Fewest::new(&[Some(3), None, Some(1), Some(2)]);
        assert_eq!(fewest.minimum(), 1);
        fewest.update(DomainIx(2), 5);
        assert_eq!(fewest.minimum(), 2);
        fewest.update(DomainIx(2), 0);
        assert_eq!(fewest.minimum(), 0);
    }
}
