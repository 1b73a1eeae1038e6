//! A summary of all nodes of an attempt.

use std::collections::BTreeMap;

use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::fact::FactKind;
use berth_protocol::page::{ReasonCount, Rows};

/// Counts the verdicts of all nodes, and the reasons against them.
pub fn count(cycle: &Cycle) -> Rows {
    let mut rows = Rows::default();
    let mut reasons: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    for (position, report) in (0_u32..).zip(&cycle.nodes) {
        let letter = match &report.verdict {
            None => {
                rows.not_examined += 1;
                'n'
            }
            Some(verdict) if verdict.code == Code::Success => {
                rows.feasible += 1;
                'f'
            }
            Some(verdict) => {
                for reason in &verdict.reasons {
                    let nodes = reasons.entry((&verdict.plugin, reason)).or_default();
                    nodes.push(position);
                }
                'r'
            }
        };
        rows.verdicts.push(letter);
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
    let first = nodes.first().and_then(|&first| usize::try_from(first).ok());
    let first = first.and_then(|first| cycle.nodes.get(first));
    ReasonCount {
        plugin: plugin.to_owned(),
        reason: reason.to_owned(),
        count: nodes.len(),
        nodes,
        first: first.map_or_else(String::new, |report| report.node.clone()),
        fact: first.and_then(|report| fact(report, plugin, reason)),
    }
}

/// The fact behind a reason. Only verdicts of plugins run separately have facts.
fn fact(report: &NodeReport, plugin: &str, reason: &str) -> Option<FactKind> {
    let verdicts = report.failures.iter().chain(&report.verdict);
    let facts = verdicts
        .filter(|verdict| verdict.plugin == plugin)
        .flat_map(|verdict| &verdict.facts);
    facts
        .map(|fact| &fact.kind)
        .find(|kind| kind.is_behind(reason) && kind.speaks_against())
        .cloned()
}
