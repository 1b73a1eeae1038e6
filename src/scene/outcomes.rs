//! The outcome of every node in an attempt, from the verdicts and counts that cover all nodes: in a large cluster the
//! engine reports only some nodes in full.

use crate::scene::marks::{self, Outcome};
use crate::scene::progress::{Point, Revealed};
use crate::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::page::{Explained, Rows};

/// The outcome of every node up to the current step. `nodes`: the number of nodes; `position`: the position of the node
/// with a name.
pub fn outcomes(
    explained: Option<&Explained>,
    revealed: &Revealed,
    nodes: usize,
    position: impl FnOnce(&str) -> Option<usize>,
) -> Vec<Outcome> {
    let shown = explained.and_then(|shown| Some((&shown.rows, shown.result.as_ref().ok()?)));
    let Some((rows, cycle)) = shown.filter(|_| revealed.reached(Point::Filter)) else {
        return vec![Outcome::Unknown; nodes];
    };
    if !revealed.reached(Point::PostFilter) {
        return so_far(rows, cycle, revealed, nodes);
    }
    let chosen = cycle.selected.as_deref();
    let chosen = chosen.filter(|_| revealed.reached(Point::Select));
    let mut outcomes = marks::outcomes(&rows.verdicts, chosen.and_then(position), nodes);
    let meant = rows.meant.iter();
    for &node in meant.flat_map(|meant| &meant.foreign) {
        let outcome = outcomes.get_mut(usize::try_from(node).unwrap_or(usize::MAX));
        if let Some(outcome @ Outcome::Rejected) = outcome {
            *outcome = Outcome::Foreign;
        }
    }
    outcomes
}

/// Outcomes at a Filter step: a reason's nodes are rejected once its plugin has run.
fn so_far(rows: &Rows, cycle: &Cycle, revealed: &Revealed, nodes: usize) -> Vec<Outcome> {
    let mut outcomes = marks::outcomes(&rows.verdicts, None, nodes);
    for outcome in &mut outcomes {
        *outcome = match outcome {
            Outcome::Feasible | Outcome::Rejected => Outcome::Feasible,
            // Which nodes are examined is known only at the end.
            _ => Outcome::Unknown,
        };
    }
    let last = cycle.filter_plugins.len().saturating_sub(1);
    for reason in &rows.reasons {
        let mut plugins = cycle.filter_plugins.iter();
        let column = plugins.position(|plugin| *plugin == reason.plugin);
        if !revealed.filtered(column.unwrap_or(last)) {
            continue;
        }
        for &node in &reason.nodes {
            let node = usize::try_from(node).unwrap_or(usize::MAX);
            if let Some(outcome) = outcomes.get_mut(node) {
                *outcome = Outcome::Rejected;
            }
        }
    }
    outcomes
}

/// A node's reasons for rejection, in short.
pub fn reasons(rows: &Rows, position: usize) -> String {
    let position = u32::try_from(position).unwrap_or(u32::MAX);
    // Positions are sorted.
    let is_of = |nodes: &[u32]| nodes.binary_search(&position).is_ok();
    let reasons: Vec<String> = rows
        .reasons
        .iter()
        .filter(|reason| is_of(&reason.nodes))
        .map(|reason| reason.reason.clone())
        .collect();
    words::reasons_in_short(&reasons)
}

#[cfg(test)]
mod tests {
    use super::{outcomes, reasons};
    use crate::scene::marks::Outcome;
    use crate::scene::progress::{Point, Revealed, Stop};
    use berth_protocol::cycle::Cycle;
    use berth_protocol::meant::Meant;
    use berth_protocol::page::{Explained, NodeOutcome, ReasonCount, Rows};

    fn explained() -> Explained {
        let count = |plugin: &str, reason: &str, nodes: &[u32]| ReasonCount {
            plugin: plugin.into(),
            reason: reason.into(),
            count: nodes.len(),
            nodes: nodes.to_vec(),
            ..ReasonCount::default()
        };
        let fit = "NodeResourcesFit";
        Explained {
            position: 0,
            made: true,
            at_ms: None,
            result: Ok(Cycle {
                filter_plugins: ["NodeName", "TaintToleration", fit]
                    .map(String::from)
                    .into(),
                selected: Some("c".into()),
                ..Cycle::default()
            }),
            rows: Rows {
                verdicts: vec![
                    NodeOutcome::Rejected,
                    NodeOutcome::Rejected,
                    NodeOutcome::Feasible,
                    NodeOutcome::NotExamined,
                ],
                reasons: vec![
                    count(fit, "Insufficient cpu", &[1]),
                    count(fit, "Insufficient memory", &[1]),
                    count("TaintToleration", "node(s) had untolerated taint", &[0]),
                ],
                ..Rows::default()
            },
        }
    }

    fn at(point: Point, plugin: Option<usize>) -> Vec<Outcome> {
        let revealed = Revealed {
            stop: Some(Stop { point, plugin }),
        };
        outcomes(Some(&explained()), &revealed, 4, |_| Some(2))
    }

    #[test]
    fn a_node_is_rejected_once_its_plugin_has_run() {
        use Outcome::{Chosen, Feasible, NotExamined, Rejected, Unknown};
        assert_eq!(at(Point::PreFilter, None), [Unknown; 4]);
        let none_out = [Feasible, Feasible, Feasible, Unknown];
        assert_eq!(at(Point::Filter, Some(0)), none_out);
        let one_out = [Rejected, Feasible, Feasible, Unknown];
        assert_eq!(at(Point::Filter, Some(1)), one_out);
        let both_out = [Rejected, Rejected, Feasible, Unknown];
        assert_eq!(at(Point::Filter, Some(2)), both_out);
        let scored = [Rejected, Rejected, Feasible, NotExamined];
        assert_eq!(at(Point::Score, Some(0)), scored);
        let done = [Rejected, Rejected, Chosen, NotExamined];
        assert_eq!(at(Point::Bind, None), done);
        let all = outcomes(Some(&explained()), &Revealed::all(), 4, |_| Some(2));
        assert_eq!(all, done);
        let none = outcomes(None, &Revealed::all(), 2, |_| None);
        assert_eq!(none, [Unknown; 2]);
    }

    #[test]
    fn nodes_that_the_pod_was_never_meant_for_are_told_apart_at_the_end() {
        let mut explained = explained();
        explained.rows.meant = Some(Box::new(Meant {
            foreign: vec![0, 2],
            ..Meant::default()
        }));
        let at = |point| {
            let stop = Some(Stop {
                point,
                plugin: Some(2),
            });
            outcomes(Some(&explained), &Revealed { stop }, 4, |_| Some(2))
        };
        use Outcome::{Chosen, Feasible, Foreign, NotExamined, Rejected, Unknown};
        let filtered = [Rejected, Rejected, Feasible, Unknown];
        assert_eq!(at(Point::Filter), filtered);
        assert_eq!(at(Point::Bind), [Foreign, Rejected, Chosen, NotExamined]);
    }

    #[test]
    fn reasons_are_those_of_the_node() {
        let rows = explained().rows;
        assert_eq!(reasons(&rows, 0), "had untolerated taint");
        assert_eq!(reasons(&rows, 1), "Insufficient cpu, Insufficient memory");
        assert_eq!(reasons(&rows, 2), "");
    }
}
