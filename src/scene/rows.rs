//! A summary of all nodes of an attempt.

use std::collections::BTreeMap;

use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::fact::FactKind;
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
    rows
}

fn count_of(cycle: &Cycle, plugin: &str, reason: &str, nodes: Vec<u32>) -> ReasonCount {
    let at = |&node: &u32| cycle.nodes.get(usize::try_from(node).ok()?);
    let counted = counted(plugin, reason, nodes.iter().filter_map(at));
    ReasonCount { nodes, ..counted }
}

/// A reason against these nodes, without their positions.
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
        is_one_rule &= about_pods(best.1) == about_pods(next.1);
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
    }
}

/// The rule about other Pods that a node breaks: its topology key, and the Pods that it selects.
fn about_pods(fact: Option<&FactKind>) -> Option<(&str, &str)> {
    match fact? {
        FactKind::PodAffinity {
            topology_key,
            selector,
            ..
        } => Some((topology_key, selector)),
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
    use crate::scene::testing::{pods_near, resource};
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
}
