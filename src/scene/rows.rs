//! A summary of all nodes of an attempt.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::meant::Meant;
use berth_protocol::page::{NodeOutcome, ReasonCount, Rows};

/// Counts the verdicts of all nodes, and the reasons against them.
pub fn count(cycle: &Cycle) -> Rows {
    let mut rows = Rows::default();
    let mut reasons: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    for (position, report) in (0_u32..).zip(&cycle.nodes) {
        let outcome = match &report.verdict {
            None => {
                rows.not_examined += 1;
                NodeOutcome::NotExamined
            }
            Some(verdict) if verdict.code == Code::Success => {
                rows.feasible += 1;
                NodeOutcome::Feasible
            }
            Some(verdict) => {
                for reason in &verdict.reasons {
                    let nodes = reasons.entry((&verdict.plugin, reason)).or_default();
                    nodes.push(position);
                }
                NodeOutcome::Rejected
            }
        };
        rows.verdicts.push(outcome);
    }
    let counts = reasons
        .into_iter()
        .map(|((plugin, reason), nodes)| count_of(cycle, plugin, reason, nodes));
    rows.reasons = counts.collect();
    rows.reasons
        .sort_by_key(|reason| std::cmp::Reverse(reason.count));
    if let Some(meant) = &cycle.meant {
        rows.decisive = decisive(cycle, meant);
        rows.meant = Some(meant.clone());
    }
    rows.even = even(cycle);
    rows
}

/// What rules out the nodes that the Pod was meant for. A reason counts on every node on which it holds, also where an
/// earlier plugin was first: one that holds on all of them decides alone.
#[inline(never)]
fn decisive(cycle: &Cycle, meant: &Meant) -> Vec<ReasonCount> {
    let mut reasons: BTreeMap<(usize, &str, &str), Vec<u32>> = BTreeMap::new();
    let order = |plugin: &str| cycle.filter_plugins.iter().position(|it| it == plugin);
    for &position in &meant.nodes {
        let report = usize::try_from(position).ok();
        let Some(report) = report.and_then(|at| cycle.nodes.get(at)) else {
            continue;
        };
        let alone = report.failures.iter();
        // A node may be ruled out only because of nominated Pods.
        let first = report.verdict.iter().filter(|_| report.failures.is_empty());
        let is_cordoned = |fact: &Fact| fact.kind == FactKind::Unschedulable;
        let cordoned = alone.clone().flat_map(|it| &it.facts).any(is_cordoned);
        for verdict in alone.chain(first) {
            // A cordon has a taint as well.
            if cordoned && verdict.facts.iter().any(is_cordon_taint) {
                continue;
            }
            let at = order(&verdict.plugin).unwrap_or(usize::MAX);
            for reason in &verdict.reasons {
                let nodes = reasons.entry((at, &verdict.plugin, reason)).or_default();
                nodes.push(position);
            }
        }
    }
    let counts = reasons
        .into_iter()
        .map(|((_, plugin, reason), nodes)| count_of(cycle, plugin, reason, nodes));
    let mut counts: Vec<ReasonCount> = counts.collect();
    counts.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    counts
}

fn is_cordon_taint(fact: &Fact) -> bool {
    matches!(&fact.kind, FactKind::Taint { key, .. } if key == "node.kubernetes.io/unschedulable")
}

/// The Score plugins that give every node the same points.
fn even(cycle: &Cycle) -> Vec<String> {
    let mut nodes = cycle.scores.iter().flatten();
    let Some(first) = nodes.next() else {
        return Vec::new();
    };
    let mut even: Vec<bool> = first.plugins.iter().map(|_| true).collect();
    for node in nodes {
        let parts = first.plugins.iter().zip(&node.plugins);
        for (even, (one, other)) in even.iter_mut().zip(parts) {
            *even &= one.weighted == other.weighted;
        }
    }
    let plugins = first.plugins.iter().zip(even);
    plugins
        .filter(|(_, even)| *even)
        .map(|(score, _)| score.plugin.clone())
        .collect()
}

fn count_of(cycle: &Cycle, plugin: &str, reason: &str, nodes: Vec<u32>) -> ReasonCount {
    let at = |&node: &u32| cycle.nodes.get(usize::try_from(node).ok()?);
    let counted = counted(plugin, reason, nodes.iter().filter_map(at));
    let taints = match &counted.fact {
        Some(FactKind::Taint { .. }) => 1,
        None if counted.count > 1 => taints_of(cycle, plugin, reason, &nodes),
        _ => 0,
    };
    ReasonCount {
        nodes,
        taints,
        ..counted
    }
}

/// Number of different taints behind a reason.
#[inline(never)]
fn taints_of(cycle: &Cycle, plugin: &str, reason: &str, nodes: &[u32]) -> usize {
    let reports = nodes
        .iter()
        .filter_map(|&node| cycle.nodes.get(usize::try_from(node).ok()?));
    let taints = reports.filter_map(|report| match report.fact_behind(plugin, reason)? {
        FactKind::Taint { key, value, effect } => Some((key, value, effect)),
        _ => None,
    });
    taints.collect::<BTreeSet<_>>().len()
}

/// A reason against these nodes, without their positions and taints.
pub fn counted<'c>(
    plugin: &str,
    reason: &str,
    reports: impl Iterator<Item = &'c NodeReport>,
) -> ReasonCount {
    let mut count = 0;
    let mut without = 0;
    let mut is_one_rule = true;
    let reports = reports
        .map(|report| (report, report.fact_behind(plugin, reason)))
        .inspect(|(_, fact)| {
            count += 1;
            without += usize::from(fact.is_some_and(FactKind::has_none));
        });
    // Of several with the most, the first.
    let most = reports.reduce(|best, next| {
        is_one_rule &= rule(best.1) == rule(next.1);
        match left(next.1) > left(best.1) {
            true => next,
            false => best,
        }
    });
    ReasonCount {
        plugin: plugin.to_owned(),
        reason: reason.to_owned(),
        node: most.map_or_else(String::new, |(report, _)| report.node.clone()),
        fact: most
            .and_then(|(_, fact)| fact.cloned())
            .filter(|_| is_one_rule),
        nodes: Vec::new(),
        count,
        without,
        taints: 0,
    }
}

/// What of a fact is the same for all nodes that one rule is about: of a Pod's rule a topology key and the Pods that it
/// selects, or a label and its values; a taint.
fn rule(fact: Option<&FactKind>) -> Option<(&str, &str, &str, &[String])> {
    match fact? {
        FactKind::PodAffinity {
            topology_key,
            selector,
            ..
        } => Some((topology_key, selector, "", &[])),
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => Some((key, operator, "", values)),
        FactKind::Taint { key, value, effect } => Some((key, value, effect, &[])),
        _ => None,
    }
}

/// How much of a resource is left on a node; `None` if it has none at all, or lacks something else.
fn left(fact: Option<&FactKind>) -> Option<i64> {
    match fact? {
        FactKind::Resource {
            used, allocatable, ..
        } if *allocatable > 0 => Some(allocatable.saturating_sub(*used)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::count;
    use crate::scene::testing::{pods_near, resource, taint};
    use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};
    use berth_protocol::fact::{AffinityTermKind, Fact, FactKind};

    #[test]
    fn a_reason_of_several_rules_about_pods_names_none_of_them() {
        let report = |selector: &str| NodeReport {
            node: "a".into(),
            verdict: Some(Verdict {
                code: Code::Unschedulable,
                plugin: "InterPodAffinity".into(),
                reasons: vec!["node(s) didn't match pod anti-affinity rules".into()],
                facts: vec![Fact::new(pods_near(
                    AffinityTermKind::AntiAffinity,
                    "zone",
                    1,
                    selector,
                ))],
            }),
            failures: Vec::new(),
            passes: Vec::new(),
        };
        let named = |nodes: Vec<NodeReport>| {
            let cycle = Cycle {
                nodes,
                ..Cycle::default()
            };
            count(&cycle).reasons.remove(0).fact.is_some()
        };
        assert!(named(vec![report("app=web"), report("app=web")]));
        assert!(!named(vec![report("app=web"), report("app=db")]));
    }

    #[test]
    fn a_reason_names_the_node_with_the_most_left() {
        let report = |node: &str, used: i64, allocatable: i64| NodeReport {
            node: node.into(),
            verdict: Some(Verdict {
                code: Code::Unschedulable,
                plugin: "NodeResourcesFit".into(),
                reasons: vec!["Insufficient nvidia.com/gpu".into()],
                facts: vec![Fact::new(resource("nvidia.com/gpu", 4, used, allocatable))],
            }),
            failures: Vec::new(),
            passes: Vec::new(),
        };
        let summary = |nodes: Vec<NodeReport>| {
            let cycle = Cycle {
                nodes,
                ..Cycle::default()
            };
            let reason = count(&cycle).reasons.remove(0);
            let allocatable = match reason.fact {
                Some(FactKind::Resource { allocatable, .. }) => allocatable,
                _ => -1,
            };
            (reason.node, allocatable, reason.without)
        };
        let none = || report("none", 0, 0);
        let some = vec![
            none(),
            report("full", 8, 8),
            report("a", 6, 8),
            report("b", 2, 4),
        ];
        assert_eq!(summary(some), ("a".to_owned(), 8, 1));
        let full = vec![none(), report("full", 8, 8)];
        assert_eq!(
            summary(full),
            ("full".to_owned(), 8, 1),
            "it has some, if none is left"
        );
        assert_eq!(
            summary(vec![none(), report("other", 0, 0)]),
            ("none".to_owned(), 0, 2)
        );
    }

    #[test]
    fn one_reason_of_several_taints_names_none_of_them() {
        let report = |key: &str| NodeReport {
            node: "a".into(),
            verdict: Some(Verdict {
                code: Code::Unschedulable,
                plugin: "TaintToleration".into(),
                reasons: vec!["node(s) had untolerated taint(s)".into()],
                facts: vec![Fact::new(taint(key, "", "NoSchedule"))],
            }),
            failures: Vec::new(),
            passes: Vec::new(),
        };
        let of = |keys: &[&str]| {
            let nodes = keys.iter().map(|key| report(key)).collect();
            let rows = count(&Cycle {
                nodes,
                ..Cycle::default()
            });
            (rows.reasons[0].taints, rows.reasons[0].fact.is_some())
        };
        assert_eq!(of(&["spot", "spot"]), (1, true));
        assert_eq!(of(&["spot", "gpu", "spot"]), (2, false));
    }
}
