//! Text about a Pod whose topology spread constraint leaves few domains: which, and what their nodes lack.

use std::collections::BTreeMap;

use berth_words::say;

use super::{clause, listed, resource_name};
use crate::scene::rows;
use crate::words::explain::bare;
use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::fact::FactKind;
use berth_protocol::page::{ReasonCount, Rows};
use berth_protocol::quantity;

/// A node's label: its name and the label's key.
pub type Label<'l> = &'l dyn Fn(&str, &str) -> Option<String>;

/// Maximum number of domains to name.
const DOMAINS: usize = 3;
/// Maximum number of reasons to name.
const REASONS: usize = 3;

/// `only zone-b may take it, as maxSkew over zone is 1; there node-b1 lacks 250m CPU and node-b2 is cordoned`. `None` if
/// no spread constraint rules out all other nodes, or if not all nodes are reported.
pub fn only_there(cycle: &Cycle, rows: &Rows, label: Label) -> Option<String> {
    if rows.feasible > 0 || cycle.nodes.len() != rows.verdicts.len() {
        return None;
    }
    let (key, max_skew) = cycle.nodes.iter().flat_map(skews).find_map(|kind| {
        let FactKind::Spread {
            topology_key,
            domain: Some(_),
            max_skew,
            ..
        } = kind
        else {
            return None;
        };
        Some((topology_key, max_skew))
    })?;
    let is_out = |report: &&NodeReport| skews(report).any(|kind| is_over(kind, key));
    let left: Vec<&NodeReport> = cycle.nodes.iter().filter(|node| !is_out(node)).collect();
    let mut domains: Vec<String> = Vec::new();
    for report in &left {
        let domain = label(&report.node, key)?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    let domains = (1..=DOMAINS).contains(&domains.len()).then_some(domains)?;
    let reasons = against(&left)?;
    let named = listed(domains.iter().map(String::as_str));
    let reasons = listed(reasons.iter().map(String::as_str));
    Some(say!(
        "only {named} may take it, as maxSkew over {key} is {max_skew}; there {reasons}",
        key = bare(key)
    ))
}

/// `in zone-a and zone-b it would be 2 ahead of the smallest zone; maxSkew allows 1`: a spread constraint that rejects
/// several nodes. `None` if not all of them are reported, or if they differ.
pub fn in_domains(cycle: &Cycle, counted: &ReasonCount) -> Option<String> {
    let FactKind::Spread { topology_key, .. } = counted.fact.as_ref()? else {
        return None;
    };
    let is_counted = |report: &&NodeReport| {
        let verdict = report.verdict.as_ref();
        verdict.is_some_and(|verdict| {
            verdict.plugin == counted.plugin && verdict.reasons.contains(&counted.reason)
        })
    };
    let reports: Vec<&NodeReport> = cycle.nodes.iter().filter(is_counted).collect();
    if reports.len() != counted.count {
        return None;
    }
    let mut domains: Vec<&str> = Vec::new();
    let mut common = None;
    for report in reports {
        let kind = skews(report).find(|kind| is_over(kind, topology_key))?;
        let FactKind::Spread {
            domain: Some(domain),
            count,
            own,
            minimum,
            max_skew,
            ..
        } = kind
        else {
            return None;
        };
        let skew = (count + own - minimum, *max_skew);
        if *common.get_or_insert(skew) != skew {
            return None;
        }
        if !domains.contains(&domain.as_str()) {
            domains.push(domain);
        }
    }
    let (skew, max_skew) = common.filter(|_| domains.len() <= DOMAINS)?;
    Some(say!(
        "in {domains} it would be {skew} ahead of the smallest {key}; maxSkew allows {max_skew}",
        domains = listed(domains.into_iter()),
        key = bare(topology_key)
    ))
}

/// The spread constraints that a node violates.
fn skews(report: &NodeReport) -> impl Iterator<Item = &FactKind> {
    let facts = report.failures.iter().flat_map(|verdict| &verdict.facts);
    let kinds = facts.map(|fact| &fact.kind);
    kinds.filter(|kind| matches!(kind, FactKind::Spread { .. }) && kind.is_violated())
}

/// Whether it is a constraint over this key, or the lack of the key.
fn is_over(kind: &FactKind, key: &str) -> bool {
    matches!(kind, FactKind::Spread { topology_key, .. } if topology_key == key)
}

/// Why these nodes are rejected, most frequent first. `None`: some are not rejected, or the reasons are too many.
fn against(left: &[&NodeReport]) -> Option<Vec<String>> {
    let mut counts: BTreeMap<(&str, &str), Vec<&NodeReport>> = BTreeMap::new();
    for report in left {
        let verdict = report.verdict.as_ref()?;
        if verdict.code == Code::Success {
            return None;
        }
        for reason in &verdict.reasons {
            let nodes = counts.entry((&verdict.plugin, reason)).or_default();
            nodes.push(report);
        }
    }
    if counts.is_empty() || counts.len() > REASONS {
        return None;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
    let clauses = counts.into_iter().map(|((plugin, reason), nodes)| {
        let counted = rows::counted(plugin, reason, nodes.into_iter());
        lacks(&counted).unwrap_or_else(|| clause(&counted))
    });
    Some(clauses.collect())
}

/// `node-b1 lacks 250m CPU`.
fn lacks(counted: &ReasonCount) -> Option<String> {
    let fact = counted.fact.as_ref()?;
    let (resource, missing) = fact.missing()?;
    if counted.count > 1 || fact.has_none() {
        return None;
    }
    Some(say!(
        "{node} lacks {missing} {resource}",
        node = counted.node,
        missing = quantity::readable(resource, missing),
        resource = resource_name(resource)
    ))
}

#[cfg(test)]
mod tests {
    use super::{in_domains, only_there};
    use crate::scene::testing::{short_of_cpu, skewed};
    use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};
    use berth_protocol::fact::{Fact, FactKind};
    use berth_protocol::page::{NodeOutcome, ReasonCount, Rows};

    const SKEW: &str = "node(s) didn't match pod topology spread constraints";

    fn spread(domain: Option<&str>) -> (&'static str, &'static str, FactKind) {
        let kind = skewed("topology.kubernetes.io/zone", domain);
        ("PodTopologySpread", SKEW, kind)
    }

    fn short() -> (&'static str, &'static str, FactKind) {
        let kind = short_of_cpu();
        ("NodeResourcesFit", "Insufficient cpu", kind)
    }

    fn cordoned() -> (&'static str, &'static str, FactKind) {
        let reason = "node(s) were unschedulable";
        ("NodeUnschedulable", reason, FactKind::Unschedulable)
    }

    /// A node that the first of these rejects, and each other would.
    fn node(name: &str, failures: &[(&str, &str, FactKind)]) -> NodeReport {
        let verdict = |(plugin, reason, kind): &(&str, &str, FactKind)| Verdict {
            code: Code::Unschedulable,
            plugin: (*plugin).into(),
            reasons: vec![(*reason).into()],
            facts: vec![Fact::new(kind.clone())],
        };
        NodeReport {
            node: name.into(),
            verdict: failures.first().map(verdict),
            failures: failures.iter().map(verdict).collect(),
            passes: Vec::new(),
        }
    }

    fn explained(nodes: Vec<NodeReport>) -> Option<String> {
        let rows = Rows {
            verdicts: vec![NodeOutcome::Rejected; nodes.len()],
            ..Rows::default()
        };
        let cycle = Cycle {
            nodes,
            ..Cycle::default()
        };
        only_there(&cycle, &rows, &|node, _| {
            node.split('-').next().map(|zone| format!("zone-{zone}"))
        })
    }

    #[test]
    fn the_domains_that_a_spread_leaves_are_named_with_what_their_nodes_lack() {
        let mut nodes = vec![
            node("a-1", &[spread(Some("zone-a"))]),
            node("b-1", &[short()]),
            node("b-2", &[cordoned()]),
            node("c-1", &[cordoned(), spread(Some("zone-c"))]),
            node("edge", &[spread(None)]),
        ];
        assert_eq!(
            explained(nodes.clone()).as_deref(),
            Some(
                "only zone-b may take it, as maxSkew over zone is 1; there b-1 lacks 250m CPU and b-2 is cordoned"
            )
        );
        nodes.push(node("d-1", &[]));
        assert_eq!(explained(nodes), None, "d-1 was not examined");
        assert_eq!(
            explained(vec![node("b-1", &[short()])]),
            None,
            "no constraint"
        );
    }

    #[test]
    fn a_constraint_names_its_domains() {
        let nodes = vec![
            node("a-1", &[spread(Some("zone-a"))]),
            node("a-2", &[spread(Some("zone-a"))]),
            node("c-1", &[spread(Some("zone-c"))]),
            node("b-1", &[short()]),
        ];
        let cycle = Cycle {
            nodes,
            ..Cycle::default()
        };
        let mut counted = ReasonCount {
            plugin: "PodTopologySpread".into(),
            reason: SKEW.into(),
            count: 3,
            fact: Some(spread(Some("zone-a")).2),
            ..ReasonCount::default()
        };
        assert_eq!(
            in_domains(&cycle, &counted).as_deref(),
            Some("in zone-a and zone-c it would be 2 ahead of the smallest zone; maxSkew allows 1")
        );
        counted.count = 4;
        assert_eq!(in_domains(&cycle, &counted), None, "not all are reported");
    }
}
