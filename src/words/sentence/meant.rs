//! Why a Pod waits, judged by the nodes that it was meant for.

use std::collections::BTreeSet;

use berth_words::{counted, say, text};

use super::{PODS, Text, lacks_room, listed, phrase, plainly, resource_name};
use crate::words::explain::{bare, requirement};
use crate::words::language::semicolon;
use crate::words::{nodes, number};
use berth_protocol::fact::FactKind;
use berth_protocol::meant::{Limit, Meant};
use berth_protocol::page::{ReasonCount, Rows};
use berth_protocol::quantity;

/// Maximum number of reasons to name; the rest is counted.
const REASONS: usize = 2;
/// What is wrong with nodes of different taints.
pub(super) const UNTOLERATED: Text = text!("have taints that are not tolerated");
/// Maximum number of topology domains to name.
const DOMAINS: usize = 3;

/// `22 general nodes have at most 1.97 CPU free, an empty one 3.62; it asks 3.7`: what rules out the nodes that the Pod was
/// meant for. One reason is enough if it holds for all of them. `None` if no node was examined.
#[inline(never)]
pub fn decisive(rows: &Rows) -> Option<String> {
    let meant = rows.meant.as_ref()?;
    let reasons = taints_together(&rows.decisive);
    let all = meant.nodes.len();
    let everywhere = reasons
        .iter()
        .take_while(|reason| reason.count == all)
        .count();
    let shown = match everywhere {
        0 => reasons.len().min(REASONS),
        everywhere => everywhere.min(REASONS),
    };
    let mut clauses: Vec<String> = reasons
        .iter()
        .take(shown)
        .map(|reason| clause(reason, meant, rows.verdicts.len()))
        .collect();
    let more = reasons.len() - shown;
    if everywhere == 0 && more > 0 {
        clauses.push(counted!(
            more,
            "and {more} other reason",
            "and {more} other reasons"
        ));
    }
    if clauses.is_empty() {
        return None;
    }
    let reasons = clauses.join(semicolon());
    let limits = meant.limits.iter().rev();
    let left = of_pool(all, meant.pool_of(&meant.nodes));
    Some(limits.fold(reasons, |reasons, limit| within(limit, &reasons, &left)))
}

/// The reasons, those about different taints as one without a fact of its own, and the most frequent first.
pub(super) fn taints_together(reasons: &[ReasonCount]) -> Vec<ReasonCount> {
    let is_taint = |reason: &&ReasonCount| matches!(reason.fact, Some(FactKind::Taint { .. }));
    let taints: Vec<&ReasonCount> = reasons.iter().filter(is_taint).collect();
    let nodes: BTreeSet<u32> = taints
        .iter()
        .flat_map(|taint| &taint.nodes)
        .copied()
        .collect();
    if taints.len() < 2 || nodes.len() < 2 {
        return reasons.to_vec();
    }
    let others = reasons.iter().filter(|reason| !is_taint(reason)).cloned();
    let together = ReasonCount {
        plugin: taints
            .first()
            .map_or_else(String::new, |taint| taint.plugin.clone()),
        taints: taints.len(),
        count: nodes.len(),
        nodes: nodes.into_iter().collect(),
        ..ReasonCount::default()
    };
    let mut all: Vec<ReasonCount> = others.chain([together]).collect();
    all.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    all
}

/// How many nodes were not meant for the Pod.
pub fn others(rows: &Rows) -> Option<String> {
    let meant = rows.meant.as_ref()?;
    let others = rows.verdicts.len().saturating_sub(meant.nodes.len());
    (others > 0).then(|| {
        counted!(
            others,
            "{others} other node is out of the question",
            "{others} other nodes are out of the question"
        )
    })
}

/// The reasons, in the topology domains that a rule leaves. `left`: the nodes that it leaves.
fn within(limit: &Limit, reasons: &str, left: &str) -> String {
    match limit {
        Limit::Volume { domains, .. } if domains.is_empty() => reasons.to_owned(),
        Limit::Elsewhere { claim, domains, .. } if !domains.is_empty() => say!(
            "the volume of {claim} is in {domains}, where none of {left} is",
            domains = listed(domains.iter().map(String::as_str))
        ),
        Limit::Elsewhere { .. } => reasons.to_owned(),
        Limit::Volume { claim, domains } => say!(
            "the volume of {claim} is in {domains}; there {reasons}",
            domains = listed(domains.iter().map(String::as_str))
        ),
        Limit::Spread {
            topology_key,
            max_skew,
            domains,
        } if (1..=DOMAINS).contains(&domains.len()) => say!(
            "only {named} may take it, as maxSkew over {key} is {max_skew}; there {reasons}",
            named = listed(domains.iter().map(String::as_str)),
            key = bare(topology_key)
        ),
        Limit::Spread {
            topology_key,
            max_skew,
            ..
        } => say!(
            "maxSkew {max_skew} over {key} leaves {left}; there {reasons}",
            key = bare(topology_key)
        ),
    }
}

/// One reason. `all`: number of nodes of the cluster.
fn clause(counted: &ReasonCount, meant: &Meant, all: usize) -> String {
    if counted.count == all
        && all > 1
        && let Some(text) = of_every_node(counted)
    {
        return text;
    }
    let subject = subject(counted, meant);
    let one = counted.count == 1;
    match &counted.fact {
        Some(FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        }) if *allocatable > 0 && resource != PODS => {
            let left = allocatable.saturating_sub(*used).max(0);
            let empty = meant.empty.get(resource).copied();
            match empty.filter(|empty| empty < request) {
                Some(empty) => never_fits(&subject, resource, [left, empty, *request], one),
                None if one => say!(
                    "{subject} {words}",
                    words = lacks_room(resource, *request, *used, *allocatable)
                ),
                None => lack_room(&subject, resource, left, *request),
            }
        }
        Some(FactKind::Resource {
            resource,
            used,
            allocatable,
            request,
        }) if one || resource == PODS => {
            let words = match one {
                true => lacks_room(resource, *request, *used, *allocatable),
                false => text!("are at their Pod limit").to_owned(),
            };
            say!("{subject} {words}")
        }
        Some(FactKind::Resource { resource, .. }) => say!("{subject} have no {resource}"),
        fact => {
            let words = fact.as_ref().and_then(|fact| phrase(fact, one, it()));
            words.map_or_else(|| plainly(counted), |words| say!("{subject} {words}"))
        }
    }
}

fn it() -> &'static str {
    const IT: Text = text!("it");
    IT.get()
}

/// A label or resource that no node of the cluster has.
fn of_every_node(counted: &ReasonCount) -> Option<String> {
    match counted.fact.as_ref()? {
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => {
            let requirement = requirement(key, operator, values);
            Some(match (operator.as_str(), values.as_slice()) {
                ("In", [_]) => say!("no node is {requirement}"),
                _ => say!("no node meets {requirement}"),
            })
        }
        FactKind::Resource { resource, .. } if counted.without == counted.count => {
            Some(say!("no node has {resource}"))
        }
        _ => None,
    }
}

/// `22 general nodes`, or the only node.
fn subject(counted: &ReasonCount, meant: &Meant) -> String {
    if counted.count == 1 {
        return counted.node.clone();
    }
    of_pool(counted.count, meant.pool_of(&counted.nodes))
}

fn of_pool(count: usize, pool: Option<&str>) -> String {
    match pool {
        Some(pool) if count > 1 => say!("{number} {pool} nodes", number = number(count)),
        _ => nodes(count),
    }
}

fn lack_room(subject: &str, resource: &str, left: i64, request: i64) -> String {
    let name = resource_name(resource);
    if left == 0 {
        let whole = if name == "CPU" { name } else { resource };
        return say!("{subject} have no {resource} left", resource = whole);
    }
    let [left, request] = quantity::alike(resource, [left, request]);
    say!("{subject} have at most {left} {name} free; it asks {request}")
}

/// Not even a node without other Pods has enough of the resource.
fn never_fits(subject: &str, resource: &str, amounts: [i64; 3], one: bool) -> String {
    let name = resource_name(resource);
    let [left, empty, request] = quantity::alike(resource, amounts);
    match one {
        true if left == empty => {
            say!("{subject} has {empty} {name} even when it is empty; it asks {request}")
        }
        false if left == empty => {
            say!("{subject} have at most {empty} {name}, even when empty; it asks {request}")
        }
        true => say!(
            "{subject} has {left} {name} free, and {empty} when it is empty; it asks {request}"
        ),
        false => say!(
            "{subject} have at most {left} {name} free, an empty one {empty}; it asks {request}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{decisive, others};
    use crate::scene::rows::count;
    use crate::scene::testing::{pods_near, resource, skewed, taint};
    use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};
    use berth_protocol::fact::{AffinityTermKind, Fact, FactKind};
    use berth_protocol::meant::Meant;

    fn verdict((plugin, reason, kind): &(&str, &str, FactKind)) -> Verdict {
        Verdict {
            code: Code::Unschedulable,
            plugin: (*plugin).into(),
            reasons: vec![(*reason).into()],
            facts: vec![Fact::new(kind.clone())],
        }
    }

    type Failure = (&'static str, &'static str, FactKind);

    fn cpu(used: i64) -> Failure {
        let kind = resource("cpu", 3700, used, 3920);
        ("NodeResourcesFit", "Insufficient cpu", kind)
    }

    fn tainted(key: &str) -> Failure {
        let kind = taint(key, "true", "NoSchedule");
        ("TaintToleration", "node(s) had untolerated taint", kind)
    }

    fn spread(zone: &str) -> Failure {
        let kind = skewed("topology.kubernetes.io/zone", Some(zone));
        ("PodTopologySpread", "spread", kind)
    }

    fn apart() -> Failure {
        let kind = pods_near(AffinityTermKind::AntiAffinity, "zone", 1, "app=zookeeper");
        ("InterPodAffinity", "anti-affinity", kind)
    }

    /// What the sentence says about nodes of pools, each with what rules it out.
    fn said(nodes: &[(&str, &[Failure])], empty: i64) -> (String, Option<String>) {
        let report = |(at, (_, failures)): (usize, &(&str, &[Failure]))| NodeReport {
            node: format!("node-{at}"),
            verdict: failures.first().map(verdict),
            failures: failures.iter().map(verdict).collect(),
            passes: Vec::new(),
        };
        let mut cycle = Cycle {
            nodes: nodes.iter().enumerate().map(report).collect(),
            filter_plugins: [
                "TaintToleration",
                "NodeResourcesFit",
                "PodTopologySpread",
                "InterPodAffinity",
            ]
            .map(String::from)
            .into(),
            ..Cycle::default()
        };
        let zone = |position: u32, _: &str| Some(format!("zone-{}", position % 2));
        let mut meant = Meant::of(&cycle, &zone);
        for &position in &meant.nodes {
            let pool = nodes[position as usize].0;
            match meant.pools.iter_mut().find(|(name, _)| name == pool) {
                Some((_, members)) => members.push(position),
                None => meant.pools.push((pool.to_owned(), vec![position])),
            }
        }
        meant.empty.insert("cpu".into(), empty);
        cycle.meant = Some(Box::new(meant));
        let rows = count(&cycle);
        (decisive(&rows).unwrap(), others(&rows))
    }

    #[test]
    fn the_pool_that_a_pod_was_meant_for_decides_however_large_the_others_are() {
        let nodes: [(&str, &[Failure]); 5] = [
            ("general", &[cpu(1950)]),
            ("spot", &[tainted("spot")]),
            ("spot", &[tainted("spot"), cpu(300)]),
            ("spot", &[tainted("spot")]),
            ("general", &[cpu(3000)]),
        ];
        let (text, others) = said(&nodes, 3620);
        assert_eq!(
            text,
            "2 general nodes have at most 1.97 CPU free, an empty one 3.62; it asks 3.7"
        );
        assert_eq!(
            others.as_deref(),
            Some("3 other nodes are out of the question")
        );
        let (text, _) = said(&nodes, 1970);
        assert_eq!(
            text,
            "2 general nodes have at most 1.97 CPU, even when empty; it asks 3.7"
        );
        let (text, _) = said(&nodes, 3920);
        assert_eq!(
            text,
            "2 general nodes have at most 1.97 CPU free; it asks 3.7"
        );
    }

    #[test]
    fn a_rule_that_holds_everywhere_decides_even_behind_others() {
        let nodes: [(&str, &[Failure]); 3] = [
            ("a", &[cpu(3900), apart()]),
            ("a", &[cpu(3900), apart()]),
            ("b", &[apart()]),
        ];
        let text =
            "3 nodes share their zone with a Pod with app=zookeeper, which it must stay away from";
        assert_eq!(said(&nodes, 3920).0, text);
    }

    #[test]
    fn reserved_nodes_decide_if_there_are_no_others() {
        let nodes: [(&str, &[Failure]); 2] =
            [("gpu", &[tainted("gpu")]), ("gpu", &[tainted("gpu")])];
        let text = "2 gpu nodes have the taint gpu=true:NoSchedule, which it does not tolerate";
        assert_eq!(said(&nodes, 0), (text.to_owned(), None));
    }

    #[test]
    fn a_spread_names_the_domains_that_it_leaves() {
        let nodes: [(&str, &[Failure]); 3] = [
            ("a", &[spread("zone-0")]),
            ("a", &[cpu(3900)]),
            ("b", &[tainted("b")]),
        ];
        let text = "only zone-1 may take it, as maxSkew over zone is 1; there node-1 is 3680m CPU short: 3900m + 3700m > 3920m";
        assert_eq!(said(&nodes, 3920).0, text);
    }

    #[test]
    fn a_label_that_no_node_has_is_said_of_the_cluster() {
        let kind = FactKind::NodeRequirement {
            key: "disktype".into(),
            operator: "In".into(),
            values: vec!["ssd".into()],
            actual: None,
            holds: false,
        };
        let unlike = ("NodeAffinity", "node(s) didn't match", kind);
        let nodes: [(&str, &[Failure]); 2] = [
            ("a", &[unlike.clone(), cpu(3900)]),
            ("b", std::slice::from_ref(&unlike)),
        ];
        assert_eq!(said(&nodes, 0).0, "no node is disktype=ssd");
    }
}
