//! The preferred terms of the Pod being scheduled and of existing Pods.

use super::{DomainSums, InterPodAffinity, pods_beside};
use crate::cluster::NodeIx;
use crate::cluster::class::{AffinityTerm, Hit, HitKind};
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection, ScoreFacts};
use berth_protocol::fact::Fact;
use berth_protocol::score::{Formula, Input, Normalization, PodTermKind};

/// Weights by topology key and domain; a key is present if any term matched, even if the sum is 0.
#[derive(Clone, Default)]
struct Preferred(DomainSums);

impl PreScore for InterPodAffinity {
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, _nodes: &[NodeIx]) -> PreScored {
        let own = &cx.class.affinity;
        let has_preferences = !own.preferred.is_empty() || !own.preferred_anti.is_empty();
        if self.ignore_preferred_terms_of_existing_pods && !has_preferences {
            return PreScored::Skip;
        }
        let mut sums = DomainSums::default();
        for term in &own.preferred {
            add_own(cx, &mut sums, term, term.weight);
        }
        for term in &own.preferred_anti {
            add_own(cx, &mut sums, term, -term.weight);
        }
        self.add_existing(cx, &mut sums);
        if sums.0.is_empty() {
            return PreScored::Skip;
        }
        state.write(Preferred(sums));
        PreScored::Continue
    }
}

fn add_own(cx: Context<'_>, sums: &mut DomainSums, term: &AffinityTerm, weight: i64) {
    for entry in cx.cluster.matchers().get(term.matcher).counts().entries() {
        sums.add(
            cx.cluster,
            term.topology_key,
            entry.node,
            weight * i64::from(entry.all()),
        );
    }
}

impl InterPodAffinity {
    /// What a Pod with the term adds in its domain.
    fn weight(&self, hit: &Hit) -> i64 {
        match hit.kind {
            HitKind::RequiredAffinity => self.hard_pod_affinity_weight,
            HitKind::RequiredAntiAffinity => 0,
            HitKind::PreferredAffinity => hit.weight,
            HitKind::PreferredAntiAffinity => -hit.weight,
        }
    }

    fn add_existing(&self, cx: Context<'_>, sums: &mut DomainSums) {
        for hit in cx.cluster.hits(cx.pod.class).iter() {
            let weight = self.weight(hit);
            if weight == 0 {
                continue;
            }
            for entry in cx.cluster.placed(hit.class).entries() {
                sums.add(
                    cx.cluster,
                    hit.topology_key,
                    entry.node,
                    weight * i64::from(entry.all()),
                );
            }
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
        let Some(Preferred(sums)) = state.read() else {
            return Err(unprepared());
        };
        raw.resize(nodes.len(), 0);
        for (key, sums) in &sums.0 {
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
        let Some(Preferred(sums)) = state.read() else {
            return Err(unprepared());
        };
        let weights = sums.0.iter().map(|(key, sums)| {
            let domain = cx.cluster.topology().key(*key).domain(node.ix);
            domain.map_or(0, |domain| sums[domain.0 as usize])
        });
        Ok(weights.sum())
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
