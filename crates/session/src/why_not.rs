//! "Why not node X?": explains one attempt for one node.

use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore};
use berth_protocol::remark::Remark;
use berth_protocol::why_not::{ScoreDifference, WhyNot};

use crate::explain;
use crate::session::Session;

/// Why the Pod of an attempt did not go to a node. Positions as in [`crate::explain::attempt`].
///
/// # Errors
/// As [`crate::explain::attempt`]; and if there was no such node.
pub fn why_not(session: &Session, position: usize, node: &str) -> Result<WhyNot, Remark> {
    let cycle = explain::attempt(session, position)?;
    let report = cycle.nodes.iter().find(|report| report.node == node);
    let report = report.ok_or_else(|| Remark::no_node(node))?;
    Ok(of_report(&cycle, report))
}

fn of_report(cycle: &Cycle, report: &NodeReport) -> WhyNot {
    if cycle.selected.as_ref() == Some(&report.node) {
        return WhyNot::Chosen;
    }
    match &report.verdict {
        Some(verdict) if verdict.code != Code::Success => WhyNot::Rejected {
            verdict: verdict.clone(),
            failures: report.failures.clone(),
        },
        _ if cycle.error => WhyNot::Failed {
            message: cycle.message.clone().unwrap_or_default(),
        },
        Some(_) => compared(cycle, &report.node),
        None => not_examined(cycle, report),
    }
}

fn not_examined(cycle: &Cycle, report: &NodeReport) -> WhyNot {
    let failures = report.failures.clone();
    let early = &cycle.pre_filter;
    if early.code != Code::Success {
        return WhyNot::RejectedEarly {
            plugin: early.plugin.clone(),
            message: early.message.clone(),
        };
    }
    if cycle.search.nominated_only {
        return WhyNot::Nominated {
            chosen: cycle.selected.clone().unwrap_or_default(),
            failures,
        };
    }
    if let Some(nodes) = &early.nodes
        && !nodes.contains(&report.node)
    {
        return WhyNot::Excluded {
            nodes: nodes.clone(),
            failures,
        };
    }
    WhyNot::NotExamined {
        feasible: u32::try_from(cycle.feasible().count()).unwrap_or(u32::MAX),
        examined: cycle.search.examined,
        nodes: cycle.search.nodes,
        failures,
    }
}

/// Both nodes were feasible: compares their scores.
fn compared(cycle: &Cycle, node: &str) -> WhyNot {
    let chosen = cycle.selected.clone().unwrap_or_default();
    let score_of = |name: &str| {
        let mut scores = cycle.scores.iter().flatten();
        scores.find(|score| score.node == name)
    };
    let (winner, other) = (score_of(&chosen), score_of(node));
    let total = other.map_or(0, |score| score.total);
    let chosen_total = winner.map_or(0, |score| score.total);
    let differences = match (winner, other) {
        (Some(winner), Some(other)) => differences(winner, other),
        _ => Vec::new(),
    };
    if total < chosen_total {
        return WhyNot::Outscored {
            chosen,
            chosen_total,
            total,
            differences,
        };
    }
    WhyNot::Tied {
        chosen,
        total,
        among: cycle.tie_break.as_ref().map_or(1, |tie| tie.among),
        seed: cycle.tie_break.as_ref().and_then(|tie| tie.seed),
        differences,
    }
}

/// By how much each plugin scores one node over another, the largest lead first; without ties.
pub(crate) fn differences(winner: &NodeScore, other: &NodeScore) -> Vec<ScoreDifference> {
    let pairs = winner.plugins.iter().filter_map(|chosen| {
        let other = other
            .plugins
            .iter()
            .find(|score| score.plugin == chosen.plugin)?;
        Some(ScoreDifference {
            plugin: chosen.plugin.clone(),
            chosen: chosen.weighted,
            other: other.weighted,
        })
    });
    let mut differences: Vec<ScoreDifference> = pairs.filter(|pair| pair.margin() != 0).collect();
    differences.sort_by_key(|pair| std::cmp::Reverse(pair.margin()));
    differences
}

#[cfg(test)]
mod tests;
