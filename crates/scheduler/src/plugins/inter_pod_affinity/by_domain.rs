//! The values by which nodes differ: domains and, where a domain is a node, what the Pods on it mean for this Pod.

use std::sync::Arc;

use super::InterPodAffinity;
use crate::cluster::class::{AffinityTerm, ClassIx, Hit, HitKind};
use crate::cluster::matcher::MatcherIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::topology::TopologyKeyIx;
use crate::framework::by_domain::{Term, Terms, domain_value};
use crate::framework::plugin::{ByDomain, Context};
use crate::framework::state::CycleState;

/// What the Pods on one node mean for a Pod, by terms whose domains are single nodes.
#[derive(Clone, Copy, Default)]
pub(super) struct OnNode {
    /// Whether a Pod matches all of the Pod's affinity terms.
    affinity: bool,
    /// Whether a Pod matches an anti-affinity term.
    anti_affinity: bool,
    /// Whether a Pod has an anti-affinity term that matches the Pod.
    existing_anti_affinity: bool,
    /// The weights of preferred terms.
    pub score: i64,
}

impl ByDomain for InterPodAffinity {
    fn terms(&self, cx: Context<'_>, _state: &CycleState) -> Option<Terms> {
        let own = &cx.class.affinity;
        let lists = [
            &own.required,
            &own.required_anti,
            &own.preferred,
            &own.preferred_anti,
        ];
        let matchers = cx.cluster.matchers();
        let mut terms = Terms::default();
        for (kind, list) in (0..).zip(lists) {
            let matcher = |term: &AffinityTerm| match (kind, own.required_matcher) {
                (0, Some(matcher)) => matcher,
                _ => term.matcher,
            };
            terms.own.extend(list.iter().map(|term| Term {
                kind,
                key: term.topology_key,
                matcher: Some(matcher(term)),
                matches_self: matchers.get(matcher(term)).matches(cx.pod.class),
                weight: term.weight,
            }));
        }
        let hits = cx.cluster.hits(cx.pod.class);
        let own_keys = terms.own.iter().map(|term| term.key);
        for key in own_keys.chain(hits.iter().map(|hit| hit.topology_key)) {
            if !terms.keys.contains(&key) {
                terms.keys.push(key);
            }
        }
        terms.existing = Some(Arc::clone(&hits));
        Some(terms)
    }

    fn values(&self, cx: Context<'_>, terms: &Terms, node: &NodeInfo, values: &mut Vec<i64>) {
        let hits = terms.existing.as_deref().map_or(&[][..], Vec::as_slice);
        for &key in &terms.keys {
            let table = cx.cluster.topology().key(key);
            if !table.is_by_node() {
                values.push(domain_value(table, node));
                continue;
            }
            let on_node = match table.domain(node.ix) {
                Some(_) => self.on_node(cx, hits, node, |of_term| of_term == key),
                None => OnNode::default(),
            };
            let domain = domain_value(table, node).min(0);
            let affinity = i64::from(on_node.affinity);
            let anti_affinity = i64::from(on_node.anti_affinity);
            let existing = i64::from(on_node.existing_anti_affinity);
            values.push(domain * 8 + affinity * 4 + anti_affinity * 2 + existing);
            values.push(on_node.score);
        }
    }
}

impl InterPodAffinity {
    /// Counts the Pods on the node by the terms whose keys `counts` accepts. `hits` are those of the Pod, in the order of
    /// their classes.
    pub(super) fn on_node(
        &self,
        cx: Context<'_>,
        hits: &[Hit],
        node: &NodeInfo,
        counts: impl Fn(TopologyKeyIx) -> bool,
    ) -> OnNode {
        let own = &cx.class.affinity;
        let cluster = cx.cluster;
        let matches = |matcher: MatcherIx, class: ClassIx| {
            let matcher = cluster.matchers().get(matcher);
            matcher.matches(class)
        };
        let is_required = own.required.iter().any(|term| counts(term.topology_key));
        let mut on_node = OnNode::default();
        for pod in &node.pods {
            let Some(pod) = cluster.pods().get(*pod) else {
                continue;
            };
            let class = pod.class;
            let selects =
                |term: &&AffinityTerm| counts(term.topology_key) && matches(term.matcher, class);
            let weight = |terms: &[AffinityTerm]| -> i64 {
                terms.iter().filter(selects).map(|term| term.weight).sum()
            };
            let required = own.required_matcher.filter(|_| is_required);
            on_node.affinity |= required.is_some_and(|matcher| matches(matcher, class));
            on_node.anti_affinity |= own.required_anti.iter().any(|term| selects(&term));
            on_node.score += weight(&own.preferred) - weight(&own.preferred_anti);
            let first = hits.partition_point(|hit| hit.class < class);
            let of_class = hits[first..].iter().take_while(|hit| hit.class == class);
            for hit in of_class.filter(|hit| counts(hit.topology_key)) {
                on_node.existing_anti_affinity |= hit.kind == HitKind::RequiredAntiAffinity;
                on_node.score += self.weight(hit);
            }
        }
        on_node
    }
}
