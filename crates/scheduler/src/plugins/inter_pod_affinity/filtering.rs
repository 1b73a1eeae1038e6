//! The required terms of the Pod being scheduled and of existing Pods.

use super::{DomainSums, InterPodAffinity, pods_beside};
use crate::cluster::NodeIx;
use crate::cluster::class::{AffinityTerm, ClassIx, HitKind};
use crate::cluster::domain_counts::Counted;
use crate::cluster::matcher::MatcherIx;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::cluster::topology::{DomainIx, TopologyKeyIx};
use crate::framework::plugin::{Context, Filter, PreFilter};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use berth_protocol::fact::{AffinityTermKind, Fact, FactKind};

const REASON_AFFINITY: &str = "node(s) didn't match pod affinity rules";
const REASON_ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";
const REASON_EXISTING: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// Maximum number of Pods that a fact names.
const NAMED: usize = 3;

/// Pod counts by domain, for each of the three rules.
#[derive(Clone, Default)]
struct Required {
    /// Pods that match all of the Pod's affinity terms, by the key of each term.
    affinity: DomainSums,
    /// Pods that match one of the Pod's anti-affinity terms.
    anti_affinity: DomainSums,
    /// Pods with an anti-affinity term that matches the Pod.
    existing_anti_affinity: DomainSums,
}

impl PreFilter for InterPodAffinity {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        let cluster = cx.cluster;
        let own = &cx.class.affinity;
        let mut counts = Required::default();
        for hit in cluster.hits(cx.pod.class).iter() {
            if hit.kind != HitKind::RequiredAntiAffinity {
                continue;
            }
            let pods = Counted::OfClass(hit.class);
            counts
                .existing_anti_affinity
                .add_pods(cluster, hit.topology_key, pods, 1);
        }
        if own.required.is_empty()
            && own.required_anti.is_empty()
            && counts.existing_anti_affinity.is_zero()
        {
            return PreFiltered::Skip;
        }
        if let Some(matcher) = own.required_matcher {
            for term in &own.required {
                count(cx, &mut counts.affinity, matcher, term);
            }
        }
        for term in &own.required_anti {
            count(cx, &mut counts.anti_affinity, term.matcher, term);
        }
        state.write(counts);
        PreFiltered::Continue
    }

    fn add_pod(&self, cx: Context<'_>, state: &mut CycleState, added: &PodInfo, node: &NodeInfo) {
        change(cx, state, added.class, node, 1);
    }

    fn remove_pod(
        &self,
        cx: Context<'_>,
        state: &mut CycleState,
        removed: &PodInfo,
        node: &NodeInfo,
    ) {
        change(cx, state, removed.class, node, -1);
    }
}

fn count(cx: Context<'_>, sums: &mut DomainSums, matcher: MatcherIx, term: &AffinityTerm) {
    let pods = Counted::Matched(matcher);
    sums.add_pods(cx.cluster, term.topology_key, pods, 1);
}

fn change(cx: Context<'_>, state: &mut CycleState, class: ClassIx, node: &NodeInfo, by: i64) {
    let Some(counts) = state.read_mut::<Required>() else {
        return;
    };
    let cluster = cx.cluster;
    let own = &cx.class.affinity;
    let matches = |matcher: MatcherIx| cluster.matchers().get(matcher).matches(class);
    if own.required_matcher.is_some_and(matches) {
        for term in &own.required {
            counts.affinity.add(cluster, term.topology_key, node.ix, by);
        }
    }
    for term in own
        .required_anti
        .iter()
        .filter(|term| matches(term.matcher))
    {
        counts
            .anti_affinity
            .add(cluster, term.topology_key, node.ix, by);
    }
    for hit in cluster
        .hits(cx.pod.class)
        .iter()
        .filter(|hit| hit.class == class && hit.kind == HitKind::RequiredAntiAffinity)
    {
        counts
            .existing_anti_affinity
            .add(cluster, hit.topology_key, node.ix, by);
    }
}

fn unprepared() -> Rejection {
    Rejection::error("error reading \"PreFilterInterPodAffinity\" from cycleState: not found")
}

impl Filter for InterPodAffinity {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let Some(counts) = state.read::<Required>() else {
            return Err(unprepared());
        };
        if !affinity_holds(cx, counts, node.ix, is_first_of_its_kind(cx, counts)) {
            return Err(Rejection::unresolvable(REASON_AFFINITY));
        }
        let own = &cx.class.affinity;
        let taken = |term: &AffinityTerm| {
            in_domain(cx, &counts.anti_affinity, term, node.ix).unwrap_or(0) > 0
        };
        if own.required_anti.iter().any(taken) {
            return Err(Rejection::unschedulable(REASON_ANTI_AFFINITY));
        }
        let refused = counts.existing_anti_affinity.0.iter().any(|(key, sums)| {
            let domain = cx.cluster.topology().key(*key).domain(node.ix);
            domain.is_some_and(|domain| sums[domain.0 as usize] > 0)
        });
        if refused {
            return Err(Rejection::unschedulable(REASON_EXISTING));
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
        let Some(counts) = state.read::<Required>() else {
            for position in 0..nodes.len() {
                reject(position, &unprepared());
            }
            return;
        };
        let own = &cx.class.affinity;
        let topology = cx.cluster.topology();
        let mut refused = vec![false; nodes.len()];
        if !own.required.is_empty() {
            let far = Rejection::unresolvable(REASON_AFFINITY);
            find_affine(cx, counts, nodes, &mut refused);
            for (position, _) in refused.iter().enumerate().filter(|(_, refused)| **refused) {
                reject(position, &far);
            }
        }
        let own_keys: Vec<TopologyKeyIx> = own
            .required_anti
            .iter()
            .map(|term| term.topology_key)
            .collect();
        let own_tables = counts
            .anti_affinity
            .0
            .iter()
            .filter(|(key, _)| own_keys.contains(key))
            .map(|table| (table, REASON_ANTI_AFFINITY));
        let existing = counts
            .existing_anti_affinity
            .0
            .iter()
            .map(|table| (table, REASON_EXISTING));
        for ((key, sums), reason) in own_tables.chain(existing) {
            let rejection = Rejection::unschedulable(reason);
            let by_node = topology.key(*key).by_node();
            for (position, node) in nodes.iter().enumerate() {
                let domain = by_node.get(node.0 as usize).copied().flatten();
                let taken = domain.is_some_and(|domain| sums[domain.0 as usize] > 0);
                if taken && !refused[position] {
                    refused[position] = true;
                    reject(position, &rejection);
                }
            }
        }
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let Some(counts) = state.read::<Required>() else {
            return Vec::new();
        };
        let mut facts = own_facts(cx, counts, node);
        for (key, sums) in &counts.existing_anti_affinity.0 {
            let domain = cx.cluster.topology().key(*key).domain(node.ix);
            let count = domain.map(|domain| sums[domain.0 as usize]);
            facts.extend(count.and_then(|count| existing_fact(cx, *key, node, count)));
        }
        facts
    }

    /// Each term of existing Pods is a fact of its own.
    fn detailed_facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let Some(counts) = state.read::<Required>() else {
            return Vec::new();
        };
        let own = &cx.class.affinity;
        let terms = own.required.iter().map(|term| {
            let matcher = own.required_matcher.unwrap_or(term.matcher);
            (term.topology_key, matcher)
        });
        let anti = own.required_anti.iter();
        let terms = terms.chain(anti.map(|term| (term.topology_key, term.matcher)));
        let mut facts: Facts = own_facts(cx, counts, node)
            .into_iter()
            .zip(terms)
            .map(|(fact, (key, matcher))| {
                let matcher = cx.cluster.matchers().get(matcher);
                fact.counting(pods_beside(cx, node, key, |pod| matcher.matches(pod.class)))
            })
            .collect();
        for hit in cx.cluster.hits(cx.pod.class).iter() {
            let is_anti = hit.kind == HitKind::RequiredAntiAffinity;
            let Some(term) = cx.cluster.term(hit).filter(|_| is_anti) else {
                continue;
            };
            let key = term.topology_key;
            let pods = pods_beside(cx, node, key, |pod| pod.class == hit.class);
            let count = i64::try_from(pods.len()).unwrap_or(i64::MAX);
            let fact = existing_fact(cx, key, node, count).filter(|_| count > 0);
            facts.extend(fact.map(|fact| fact.counting(pods).by_rule(term.pod_path.clone())));
        }
        facts
    }
}

/// The facts of the Pod's own terms, in their order.
fn own_facts(cx: Context<'_>, counts: &Required, node: &NodeInfo) -> Facts {
    let own = &cx.class.affinity;
    let affinity = own.required.iter().map(|term| {
        let count = in_domain(cx, &counts.affinity, term, node.ix);
        term_fact(cx, AffinityTermKind::Affinity, term, node, count)
    });
    let anti = own.required_anti.iter().map(|term| {
        let count = in_domain(cx, &counts.anti_affinity, term, node.ix);
        term_fact(cx, AffinityTermKind::AntiAffinity, term, node, count)
    });
    affinity.chain(anti).collect()
}

/// The fact about Pods whose anti-affinity refuses the Pod; `None` if the node lacks the key.
fn existing_fact(cx: Context<'_>, key: TopologyKeyIx, node: &NodeInfo, count: i64) -> Option<Fact> {
    let key_ix = key;
    let key = cx.cluster.topology().key(key_ix);
    let domain = key.domain(node.ix)?;
    let fact = Fact::new(FactKind::PodAffinity {
        term: AffinityTermKind::ExistingAntiAffinity,
        topology_key: key.name.to_string(),
        domain: Some(key.value(domain).to_string()),
        count,
        selector: String::new(),
        pods: refusing(cx, key_ix, domain),
    });
    let fact = fact.in_pod("metadata.labels");
    Some(fact.in_node(format!("metadata.labels[{}]", key.name)))
}

/// Some Pods of the domain whose required anti-affinity matches the Pod.
fn refusing(cx: Context<'_>, key: TopologyKeyIx, domain: DomainIx) -> Vec<String> {
    let hits = cx.cluster.hits(cx.pod.class);
    let refuses = |class: ClassIx| {
        hits.iter().any(|hit| {
            let is_required = hit.kind == HitKind::RequiredAntiAffinity;
            is_required && hit.class == class && hit.topology_key == key
        })
    };
    let by_node = cx.cluster.topology().key(key).by_node();
    let nodes = cx.cluster.nodes();
    let nodes = nodes.filter(|node| by_node.get(node.ix.0 as usize) == Some(&Some(domain)));
    nodes
        .flat_map(|node| &node.pods)
        .filter_map(|pod| cx.cluster.pods().get(*pod))
        .filter(|pod| refuses(pod.class))
        .map(|pod| pod.object.key())
        .take(NAMED)
        .collect()
}

/// Number of matching Pods in the node's domain; `None` if the node lacks the term's key.
fn in_domain(cx: Context<'_>, sums: &DomainSums, term: &AffinityTerm, node: NodeIx) -> Option<i64> {
    let domain = cx.cluster.topology().key(term.topology_key).domain(node)?;
    Some(sums.get(term.topology_key, domain))
}

fn affinity_holds(cx: Context<'_>, counts: &Required, node: NodeIx, may_be_first: bool) -> bool {
    let mut found = true;
    for term in &cx.class.affinity.required {
        match in_domain(cx, &counts.affinity, term, node) {
            None => return false,
            Some(count) => found &= count > 0,
        }
    }
    found || may_be_first
}

/// Like [`affinity_holds`], for many nodes: marks those where it does not hold.
fn find_affine(cx: Context<'_>, counts: &Required, nodes: &[NodeIx], refused: &mut [bool]) {
    let may_be_first = is_first_of_its_kind(cx, counts);
    for term in &cx.class.affinity.required {
        let key = cx.cluster.topology().key(term.topology_key);
        let by_node = key.by_node();
        let table = counts
            .affinity
            .0
            .iter()
            .find(|(key, _)| *key == term.topology_key);
        let mut near = vec![may_be_first; key.domain_count()];
        for (near, &count) in near.iter_mut().zip(table.map_or(&[][..], |(_, sums)| sums)) {
            *near |= count > 0;
        }
        for (node, refused) in nodes.iter().zip(&mut *refused) {
            let domain = by_node.get(node.0 as usize).copied().flatten();
            *refused |= !domain.is_some_and(|domain| near[domain.0 as usize]);
        }
    }
}

/// The first Pod of a group with affinity to itself matches no Pod yet, so it may go anywhere.
fn is_first_of_its_kind(cx: Context<'_>, counts: &Required) -> bool {
    let matches = |matcher| cx.cluster.matchers().get(matcher).matches(cx.pod.class);
    cx.class.affinity.required_matcher.is_some_and(matches) && counts.affinity.is_zero()
}

fn term_fact(
    cx: Context<'_>,
    kind: AffinityTermKind,
    term: &AffinityTerm,
    node: &NodeInfo,
    count: Option<i64>,
) -> Fact {
    let key = cx.cluster.topology().key(term.topology_key);
    let domain = key.domain(node.ix);
    Fact::new(FactKind::PodAffinity {
        term: kind,
        topology_key: key.name.to_string(),
        domain: domain.map(|domain| key.value(domain).to_string()),
        count: count.unwrap_or(0),
        selector: term.target.selector.to_string(),
        pods: Vec::new(),
    })
    .in_pod(term.pod_path.clone())
    .in_node(format!("metadata.labels[{}]", key.name))
}
