//! The marks of the far view: how full each node is, and its outcome in the attempt.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::NodeGroup;
use berth_protocol::frame::NodeFrame;
use berth_protocol::page::NodeOutcome;

/// Number of fullness steps with a color in the style sheet.
pub const FILL_STEPS: usize = 6;
/// Bars of the histogram.
pub const BARS: usize = 10;

/// A node's outcome in the explained attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Not known, or not yet.
    #[default]
    Unknown,
    Feasible,
    Rejected,
    /// Rejected, and the Pod was never meant for it.
    Foreign,
    NotExamined,
    Chosen,
}

/// A node's requested share of a resource, from 0 to 100.
pub fn share(requested: i64, allocatable: i64) -> f64 {
    if allocatable <= 0 {
        return 0.0;
    }
    (100.0 * requested as f64 / allocatable as f64).clamp(0.0, 100.0)
}

/// The requested share of a node's CPU, from 0 to 100.
pub fn fullness(node: &NodeFrame) -> f64 {
    let cpu = node.resources.first();
    cpu.map_or(0.0, |cpu| share(cpu.requested, cpu.allocatable))
}

/// The color of a share: 0 for the first sixth, 5 for the last.
pub fn fill_step(share: f64) -> usize {
    bucket(share, FILL_STEPS)
}

/// The number of nodes in each tenth of fullness.
pub fn histogram(nodes: &[Rc<NodeFrame>]) -> [usize; BARS] {
    let mut bars = [0; BARS];
    for node in nodes {
        if let Some(bar) = bars.get_mut(bucket(fullness(node), BARS)) {
            *bar += 1;
        }
    }
    bars
}

fn bucket(share: f64, buckets: usize) -> usize {
    let bucket = (share / 100.0 * buckets as f64).max(0.0) as usize;
    bucket.min(buckets - 1)
}

/// Outcomes from `Rows::verdicts`: one per node, in document order.
pub fn outcomes(verdicts: &[NodeOutcome], chosen: Option<usize>, nodes: usize) -> Vec<Outcome> {
    let outcome = |verdict: &NodeOutcome| match verdict {
        NodeOutcome::Feasible => Outcome::Feasible,
        NodeOutcome::Rejected => Outcome::Rejected,
        NodeOutcome::NotExamined => Outcome::NotExamined,
    };
    let mut outcomes: Vec<Outcome> = verdicts.iter().map(outcome).take(nodes).collect();
    outcomes.resize(nodes, Outcome::Unknown);
    if let Some(outcome) = chosen.and_then(|chosen| outcomes.get_mut(chosen)) {
        *outcome = Outcome::Chosen;
    }
    outcomes
}

/// Sums over a group's nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Requested shares of CPU, memory and Pods, from 0 to 100.
    pub shares: [f64; 3],
    pub feasible: usize,
    pub rejected: usize,
    pub not_examined: usize,
}

/// Sums up a group's nodes.
pub fn sums(group: &NodeGroup, nodes: &[Rc<NodeFrame>], outcomes: &[Outcome]) -> Sums {
    let mut sums = Sums::default();
    let mut totals = [(0_i64, 0_i64); 3];
    for &position in &group.nodes {
        match outcomes.get(position) {
            Some(Outcome::Feasible | Outcome::Chosen) => sums.feasible += 1,
            Some(Outcome::Rejected | Outcome::Foreign) => sums.rejected += 1,
            Some(Outcome::NotExamined) => sums.not_examined += 1,
            Some(Outcome::Unknown) | None => {}
        }
        let resources = nodes
            .get(position)
            .into_iter()
            .flat_map(|node| &node.resources);
        for (total, resource) in totals.iter_mut().zip(resources) {
            total.0 = total.0.saturating_add(resource.requested);
            total.1 = total.1.saturating_add(resource.allocatable);
        }
    }
    sums.shares = totals.map(|(requested, allocatable)| share(requested, allocatable));
    sums
}

/// Positions of the nodes with these names.
pub fn positions(names: &BTreeSet<String>, nodes: &[Rc<NodeFrame>]) -> Vec<usize> {
    if names.is_empty() {
        return Vec::new();
    }
    let named = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| names.contains(&node.name));
    named.map(|(position, _)| position).collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Outcome, fill_step, histogram, outcomes, sums};
    use crate::scene::node_groups;
    use berth_protocol::frame::{NodeFrame, ResourceFrame};
    use berth_protocol::page::NodeOutcome;

    fn node(requested: i64, allocatable: i64) -> Rc<NodeFrame> {
        Rc::new(NodeFrame {
            resources: vec![ResourceFrame {
                name: "cpu".into(),
                requested,
                allocatable,
            }],
            ..NodeFrame::default()
        })
    }

    #[test]
    fn fuller_nodes_are_deeper() {
        assert_eq!(
            [0.0, 16.0, 17.0, 50.0, 100.0, 250.0].map(fill_step),
            [0, 0, 1, 3, 5, 5]
        );
        let nodes = [
            node(0, 4000),
            node(4000, 4000),
            node(9000, 4000),
            node(1, 0),
        ];
        assert_eq!(histogram(&nodes), [2, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn verdicts_become_outcomes_and_missing_ones_stay_unknown() {
        use Outcome::{Chosen, Feasible, NotExamined, Rejected, Unknown};
        assert_eq!(
            outcomes(
                &[
                    NodeOutcome::Feasible,
                    NodeOutcome::Feasible,
                    NodeOutcome::Rejected,
                    NodeOutcome::NotExamined
                ],
                Some(1),
                5
            ),
            [Feasible, Chosen, Rejected, NotExamined, Unknown]
        );
        assert_eq!(
            outcomes(&[NodeOutcome::Feasible; 3], Some(7), 2),
            [Feasible, Feasible]
        );
    }

    #[test]
    fn a_group_is_added_up() {
        let nodes = [node(1000, 4000), node(3000, 4000), Rc::default()];
        let group = &node_groups(&nodes, "zone")[0];
        let sums = sums(
            group,
            &nodes,
            &outcomes(
                &[
                    NodeOutcome::Rejected,
                    NodeOutcome::Feasible,
                    NodeOutcome::NotExamined,
                ],
                Some(1),
                3,
            ),
        );
        assert_eq!(sums.shares, [50.0, 0.0, 0.0]);
        assert_eq!((sums.feasible, sums.rejected, sums.not_examined), (1, 1, 1));
    }
}
