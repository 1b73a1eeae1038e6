//! The preferred terms of the Pod being scheduled and of existing Pods.

use super::{DomainSums, InterPodAffinity};
use crate::cluster::NodeIx;
use crate::cluster::class::{AffinityTerm, HitKind};
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, PreScore, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{PreScored, Rejection};
use crate::plugins::helpers::MAX_NODE_SCORE;

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
    fn add_existing(&self, cx: Context<'_>, sums: &mut DomainSums) {
        for hit in cx.cluster.hits(cx.pod.class).iter() {
            let weight = match hit.kind {
                HitKind::RequiredAffinity => self.hard_pod_affinity_weight,
                HitKind::RequiredAntiAffinity => 0,
                HitKind::PreferredAffinity => hit.weight,
                HitKind::PreferredAntiAffinity => -hit.weight,
            };
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

    // Upstream computes in float64.
    fn normalize(
        &self,
        _cx: Context<'_>,
        _state: &CycleState,
        _nodes: &[NodeIx],
        scores: &mut [i64],
    ) {
        let minimum = scores.iter().copied().min().unwrap_or(0);
        let range = scores.iter().copied().max().unwrap_or(0) - minimum;
        for score in scores {
            let share = if range > 0 {
                (*score - minimum) as f64 / range as f64
            } else {
                0.0
            };
            *score = (MAX_NODE_SCORE as f64 * share) as i64;
        }
    }
}
