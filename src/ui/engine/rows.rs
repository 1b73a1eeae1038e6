//! Selects the rows of a large cycle that the page gets, and summarizes all of them.

use std::collections::BTreeMap;

use crate::scene::rows::count;
use berth_protocol::command::{MatrixQuery, Order};
use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::page::{Rows, Update};
use berth_protocol::remark::Remark;
use berth_session::{Session, explain};

/// Number of best-scored nodes that are always reported.
const BEST: usize = 20;

/// Counts all rows, and keeps the requested ones in the cycle. A small cycle keeps the others after them, because the
/// stage shows every node whatever the matrix's filter is.
pub fn choose(cycle: &mut Cycle, query: &MatrixQuery, limit: usize) -> Rows {
    let mut rows = count(cycle);
    let totals: BTreeMap<&str, i64> = cycle
        .scores
        .iter()
        .flatten()
        .map(|score| (score.node.as_str(), score.total))
        .collect();
    let filter = query.filter.to_lowercase();
    let mut order: Vec<usize> = (0..cycle.nodes.len())
        .filter(|&row| matches(&cycle.nodes[row], &filter))
        .collect();
    let by_name = |row: &usize| cycle.nodes[*row].node.clone();
    match query.order {
        Order::Document => {}
        Order::Name => order.sort_by_cached_key(by_name),
        Order::Score => order.sort_by_cached_key(|row| {
            let report = &cycle.nodes[*row];
            let total = totals.get(report.node.as_str()).copied();
            (
                !is_feasible(report),
                std::cmp::Reverse(total),
                report.failures.len(),
                *row,
            )
        }),
        Order::Reason => order.sort_by_cached_key(|row| {
            let verdict = cycle.nodes[*row].verdict.as_ref();
            verdict.map(|verdict| (verdict.plugin.clone(), verdict.reasons.clone()))
        }),
    }
    rows.matching = order.len();
    let small = cycle.nodes.len() <= limit;
    rows.from = if small {
        0
    } else {
        query.from.min(order.len())
    };
    if small {
        let others = 0..cycle.nodes.len();
        order.extend(others.filter(|&row| !matches(&cycle.nodes[row], &filter)));
    }
    let shown: Vec<usize> = order.into_iter().skip(rows.from).take(limit).collect();
    if !small {
        keep_scores(cycle, &shown);
    }
    let mut nodes: Vec<Option<NodeReport>> = std::mem::take(&mut cycle.nodes)
        .into_iter()
        .map(Some)
        .collect();
    cycle.nodes = shown
        .into_iter()
        .filter_map(|row| nodes.get_mut(row)?.take())
        .collect();
    rows
}

/// The reasons against all nodes, without the nodes themselves.
pub fn reason(session: &Session, position: usize) -> Update {
    let (early, rows) = match explain::attempt(session, position) {
        Err(message) => (Some(message), Rows::default()),
        Ok(cycle) => against(cycle),
    };
    Update::Reason {
        position,
        early,
        rows,
    }
}

/// A message that counts no nodes, or the reasons against all of them.
pub fn against(mut cycle: Cycle) -> (Option<Remark>, Rows) {
    if !cycle.error && cycle.pre_filter.code == Code::Success {
        return (None, choose(&mut cycle, &MatrixQuery::default(), 0));
    }
    let message = cycle.message.filter(|_| cycle.error);
    let message = message.map(Remark::quoted);
    let claims = || cycle.claims.map(|claims| *claims);
    let early = message.or_else(claims);
    let early = early.unwrap_or_else(|| Remark::quoted(cycle.pre_filter.message));
    (Some(early), Rows::default())
}

fn is_feasible(report: &NodeReport) -> bool {
    let verdict = report.verdict.as_ref();
    verdict.is_some_and(|verdict| verdict.code == Code::Success)
}

fn matches(report: &NodeReport, filter: &str) -> bool {
    let verdict = report.verdict.iter();
    let words = verdict.flat_map(|verdict| verdict.reasons.iter().chain([&verdict.plugin]));
    filter.is_empty()
        || report.node.to_lowercase().contains(filter)
        || words
            .into_iter()
            .any(|word| word.to_lowercase().contains(filter))
}

/// Keeps the scores of the best nodes, of the shown rows and of the selected node.
fn keep_scores(cycle: &mut Cycle, shown: &[usize]) {
    let names: std::collections::BTreeSet<&str> = shown
        .iter()
        .filter_map(|&row| cycle.nodes.get(row))
        .map(|report| report.node.as_str())
        .chain(cycle.selected.as_deref())
        .collect();
    let Some(scores) = &cycle.scores else {
        return;
    };
    let mut totals: Vec<i64> = scores.iter().map(|score| score.total).collect();
    totals.sort_unstable_by_key(|total| std::cmp::Reverse(*total));
    let least = totals.get(BEST).copied().unwrap_or(i64::MIN);
    let mut among_best = 0;
    let kept = scores.iter().filter(|score| {
        let is_best = score.total >= least && among_best < BEST;
        among_best += usize::from(is_best);
        is_best || names.contains(score.node.as_str())
    });
    cycle.scores = Some(kept.cloned().collect());
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::scene::testing;
    use berth_protocol::command::{MatrixQuery, Order};
    use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore, Verdict};
    use berth_protocol::fact::Fact;
    use berth_protocol::page::NodeOutcome;

    fn short(resource: &str) -> Fact {
        Fact::new(testing::resource(resource, 2, 3, 4))
    }

    fn cycle(nodes: usize) -> Cycle {
        let report = |index: usize| {
            let verdict = if index.is_multiple_of(2) {
                Verdict::default()
            } else {
                Verdict {
                    code: Code::Unschedulable,
                    plugin: "NodeResourcesFit".into(),
                    reasons: vec!["Insufficient cpu".into()],
                    facts: ["memory", "cpu"].map(short).into(),
                }
            };
            NodeReport {
                node: format!("node-{index}"),
                verdict: Some(verdict),
                failures: Vec::new(),
                passes: Vec::new(),
            }
        };
        let score = |index: usize| NodeScore {
            node: format!("node-{index}"),
            plugins: Vec::new(),
            total: i64::try_from(index).unwrap(),
        };
        Cycle {
            nodes: (0..nodes).map(report).collect(),
            scores: Some((0..nodes).step_by(2).map(score).collect()),
            ..Cycle::default()
        }
    }

    #[test]
    fn a_small_cycle_is_reported_in_full() {
        let mut small = cycle(8);
        let rows = choose(&mut small, &MatrixQuery::default(), 10);
        assert_eq!(small, cycle(8));
        assert_eq!((rows.feasible, rows.reasons[0].count), (4, 4));
        assert_eq!(
            rows.verdicts,
            [NodeOutcome::Feasible, NodeOutcome::Rejected].repeat(4)
        );
        let reason = &rows.reasons[0];
        assert_eq!(reason.nodes, [1, 3, 5, 7]);
        assert_eq!(reason.node, "node-1");
        assert_eq!(reason.fact, Some(short("cpu").kind));
    }

    #[test]
    fn a_filter_removes_no_node_from_a_small_cycle() {
        let mut small = cycle(8);
        let query = MatrixQuery {
            filter: "INSUFFICIENT".into(),
            order: Order::Name,
            ..MatrixQuery::default()
        };
        let rows = choose(&mut small, &query, 10);
        let names: Vec<&str> = small
            .nodes
            .iter()
            .map(|report| report.node.as_str())
            .collect();
        assert_eq!(rows.matching, 4);
        assert_eq!(names[..4], ["node-1", "node-3", "node-5", "node-7"]);
        assert_eq!(names[4..], ["node-0", "node-2", "node-4", "node-6"]);
        assert_eq!(small.scores, cycle(8).scores);
    }

    #[test]
    fn a_large_cycle_keeps_requested_rows_and_best_scores() {
        let mut large = cycle(1000);
        let query = MatrixQuery {
            from: 30,
            filter: "insufficient".into(),
            order: Order::Name,
            ..MatrixQuery::default()
        };
        let rows = choose(&mut large, &query, 10);
        assert_eq!(
            (rows.matching, rows.feasible, large.nodes.len()),
            (500, 500, 10)
        );
        assert!(
            large
                .nodes
                .iter()
                .all(|report| report.verdict.as_ref().unwrap().code != Code::Success)
        );
        assert_eq!(large.scores.unwrap().len(), super::BEST);
        let mut large = cycle(1000);
        let best_first = MatrixQuery {
            order: Order::Score,
            ..MatrixQuery::default()
        };
        choose(&mut large, &best_first, 10);
        assert_eq!(large.nodes[0].node, "node-998");
    }
}
