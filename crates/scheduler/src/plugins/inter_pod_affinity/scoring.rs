//! The preferred terms of the Pod being scheduled and of existing Pods.

use super::{DomainSums, InterPodAffinity, is_anywhere, pods_beside};
use crate::cluster::NodeIx;
use crate::cluster::class::{AffinityTerm, Hit, HitKind};
use crate::cluster::domain_counts::Counted;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::topology::TopologyKeyIx;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection, ScoreFacts};
use berth_protocol::fact::Fact;
use berth_protocol::score::{Formula, Input, Normalization, PodTermKind};

/// What a node's domains add to its score.
#[derive(Clone, Default)]
struct Preferred {
    /// Weights by topology key and domain; a key is present if any term matched, even if the sum is 0.
    sums: DomainSums,
    /// Whether a term matched whose key is [by node](TopologyKey::is_by_node): its weights are those of the Pods on the
    /// node.
    by_node: bool,
}

impl PreScore for InterPodAffinity {
    fn pre_score(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        _nodes: Feasible<'_>,
    ) -> PreScored {
        let own = &cx.class.affinity;
        let has_preferences = !own.preferred.is_empty() || !own.preferred_anti.is_empty();
        if self.ignore_preferred_terms_of_existing_pods && !has_preferences {
            return PreScored::Skip;
        }
        let mut preferred = Preferred::default();
        self.for_each_term(cx, |key, pods, weight| {
            if !cx.cluster.topology().key(key).is_by_node() {
                preferred.sums.add_pods(cx.cluster, key, pods, weight);
            } else if !preferred.by_node {
                preferred.by_node = is_anywhere(cx.cluster, key, pods);
            }
        });
        if preferred.sums.0.is_empty() && !preferred.by_node {
            return PreScored::Skip;
        }
        state.write(preferred);
        PreScored::Continue
    }
}

impl InterPodAffinity {
    /// What a Pod with the term adds in its domain.
    pub(super) fn weight(&self, hit: &Hit) -> i64 {
        match hit.kind {
            HitKind::RequiredAffinity => self.hard_pod_affinity_weight,
            HitKind::RequiredAntiAffinity => 0,
            HitKind::PreferredAffinity => hit.weight,
            HitKind::PreferredAntiAffinity => -hit.weight,
        }
    }

    /// Calls `add` with the key, the Pods and the weight of each term that counts.
    fn for_each_term(&self, cx: Context<'_>, mut add: impl FnMut(TopologyKeyIx, Counted, i64)) {
        let own = &cx.class.affinity;
        for (terms, sign) in [(&own.preferred, 1), (&own.preferred_anti, -1)] {
            for term in terms {
                let pods = Counted::Matched(term.matcher);
                add(term.topology_key, pods, sign * term.weight);
            }
        }
        for hit in cx.cluster.hits(cx.pod.class).iter() {
            match self.weight(hit) {
                0 => {}
                weight => add(hit.topology_key, Counted::OfClass(hit.class), weight),
            }
        }
    }

    /// The weights of terms by node, for all nodes at once.
    fn add_by_node(&self, cx: Context<'_>, nodes: &[NodeIx], raw: &mut [i64]) {
        let mut on_nodes = vec![0; cx.cluster.node_capacity()];
        self.for_each_term(cx, |key, pods, weight| {
            let key = cx.cluster.topology().key(key);
            if !key.is_by_node() {
                return;
            }
            for entry in cx.cluster.pods_by_node(pods).entries() {
                if key.domain(entry.node).is_some() {
                    on_nodes[entry.node.0 as usize] += weight * i64::from(entry.all());
                }
            }
        });
        for (node, score) in nodes.iter().zip(raw) {
            *score += on_nodes[node.0 as usize];
        }
    }
}

fn unprepared() -> Rejection {
    Rejection::error("failed to read \"PreScoreInterPodAffinity\" from cycleState: not found")
}

impl Score for InterPodAffinity {
    fn score_all(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        nodes: &[NodeIx],
        raw: &mut Vec<i64>,
    ) -> Result<(), Rejection> {
        let preferred = state.read::<Preferred>().ok_or_else(unprepared)?;
        raw.resize(nodes.len(), 0);
        if preferred.by_node {
            self.add_by_node(cx, nodes, raw);
        }
        for (key, sums) in &preferred.sums.0 {
            let by_node = cx.cluster.topology().key(*key).by_node();
            for (node, score) in nodes.iter().zip(&mut *raw) {
                if let Some(domain) = by_node.get(node.0 as usize).copied().flatten() {
                    *score += sums[domain.0 as usize];
                }
            }
        }
        Ok(())
    }

    fn score(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let preferred = state.read::<Preferred>().ok_or_else(unprepared)?;
        let weights = preferred.sums.0.iter().map(|(key, sums)| {
            let domain = cx.cluster.topology().key(*key).domain(node.ix);
            domain.map_or(0, |domain| sums[domain.0 as usize])
        });
        let mut score: i64 = weights.sum();
        if preferred.by_node {
            let hits = cx.cluster.hits(cx.pod.class);
            let topology = cx.cluster.topology();
            let counts =
                |key| topology.key(key).is_by_node() && topology.key(key).domain(node.ix).is_some();
            score += self.on_node(cx, &hits, node, counts).score;
        }
        Ok(score)
    }

    fn normalization(&self, _state: &CycleState, _nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        Normalization::Between {
            minimum: raw.iter().copied().min().unwrap_or(0),
            maximum: raw.iter().copied().max().unwrap_or(0),
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let own = &cx.class.affinity;
        let terms = |kind, terms: &'_ [AffinityTerm], sign: i64| -> Vec<Fact<Input>> {
            let fact = |term: &AffinityTerm| {
                let matcher = cx.cluster.matchers().get(term.matcher);
                term_input(cx, node, (kind, term, sign * term.weight), |pod| {
                    matcher.matches(pod.class)
                })
                .in_pod(term.pod_path.clone())
            };
            terms.iter().map(fact).collect()
        };
        let mut inputs = terms(PodTermKind::Affinity, &own.preferred, 1);
        inputs.extend(terms(PodTermKind::AntiAffinity, &own.preferred_anti, -1));
        inputs.extend(self.existing_inputs(cx, node));
        ScoreFacts::new(Formula::PodTerms, inputs)
    }
}

impl InterPodAffinity {
    /// The terms of existing Pods that match the Pod, as far as they count on the node.
    fn existing_inputs(&self, cx: Context<'_>, node: &NodeInfo) -> Vec<Fact<Input>> {
        let mut inputs = Vec::new();
        for hit in cx.cluster.hits(cx.pod.class).iter() {
            let kind = match hit.kind {
                HitKind::RequiredAffinity => PodTermKind::ExistingRequired,
                HitKind::PreferredAffinity => PodTermKind::ExistingAffinity,
                HitKind::PreferredAntiAffinity => PodTermKind::ExistingAntiAffinity,
                HitKind::RequiredAntiAffinity => continue,
            };
            let weight = self.weight(hit);
            let Some(term) = cx.cluster.term(hit).filter(|_| weight != 0) else {
                continue;
            };
            let input = term_input(cx, node, (kind, term, weight), |pod| pod.class == hit.class);
            if !input.pods.is_empty() {
                inputs.push(
                    input
                        .in_pod("metadata.labels")
                        .by_rule(term.pod_path.clone()),
                );
            }
        }
        inputs
    }
}

/// A term with the Pods that count in the node's domain.
fn term_input(
    cx: Context<'_>,
    node: &NodeInfo,
    (kind, term, weight): (PodTermKind, &AffinityTerm, i64),
    counts: impl Fn(&PodInfo) -> bool,
) -> Fact<Input> {
    let key = cx.cluster.topology().key(term.topology_key);
    let domain = key.domain(node.ix);
    let pods = pods_beside(cx, node, term.topology_key, counts);
    let input = Input::PodTerm {
        term: kind,
        topology_key: key.name.to_string(),
        domain: domain.map(|domain| key.value(domain).to_string()),
        count: i64::try_from(pods.len()).unwrap_or(i64::MAX),
        weight,
        selector: term.target.selector.to_string(),
    };
    Fact::new(input)
        .in_node(format!("metadata.labels[{}]", key.name))
        .counting(pods)
}
