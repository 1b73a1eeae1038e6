//! The choice among the nodes with the highest total (`selectHost` of kube-scheduler v1.34).

use crate::cluster::node_order::NodeOrder;
use crate::cluster::{Cluster, NodeIx};

use super::ranking::Ties;
use super::{Scheduler, TieBreak};

/// The nodes with the highest total, in the order of `nodes`.
pub fn best_nodes(nodes: &[NodeIx], totals: &[i64]) -> Vec<NodeIx> {
    let highest = totals.iter().copied().max();
    nodes
        .iter()
        .zip(totals)
        .filter(|(_, total)| Some(**total) == highest)
        .map(|(&node, _)| node)
        .collect()
}

impl Scheduler {
    /// Picks one of `best`; `None` if it is empty. Draws a random number only to break a tie.
    pub(super) fn pick(&mut self, cluster: &Cluster, best: &[NodeIx]) -> Option<NodeIx> {
        if let Some(preferred) = self.preferred.filter(|node| best.contains(node)) {
            return Some(preferred);
        }
        match (self.tie_break, best) {
            (_, []) => None,
            (_, [only]) => Some(*only),
            (TieBreak::First, several) => several
                .iter()
                .copied()
                .min_by_key(|&node| cluster.name_order().place(node)),
            (TieBreak::Random, several) => several.get(self.draw(several.len())).copied(),
        }
    }

    /// Picks one of the ties that the fast path found: the same as [`Scheduler::pick`] with their list in search order.
    pub(super) fn pick_ranked(
        &mut self,
        cluster: &Cluster,
        ties: &Ties<'_>,
        start: u32,
    ) -> Option<NodeIx> {
        let by_name = cluster.name_order();
        match self.tie_break {
            TieBreak::First if std::ptr::eq(ties.order, by_name) => ties.nth_from(0, 0),
            TieBreak::First => ties.nodes().min_by_key(|&node| by_name.place(node)),
            TieBreak::Random => ties.nth_from(start, self.draw(ties.len())),
        }
    }

    /// The order in which the fast path lists nodes. A sample of the nodes follows the order of visits.
    pub(super) fn listing_order<'a>(&self, cluster: &'a Cluster, samples: bool) -> &'a NodeOrder {
        match self.tie_break {
            TieBreak::First if !samples => cluster.name_order(),
            TieBreak::First | TieBreak::Random => cluster.visiting_order(),
        }
    }

    /// A random position among several ties; 0 without a draw if there is only one.
    fn draw(&mut self, ties: usize) -> usize {
        if ties < 2 {
            return 0;
        }
        let position = self.random.below(ties as u64);
        usize::try_from(position).unwrap_or(0)
    }

    /// The seed, if it breaks a tie among `best`.
    pub(super) fn deciding_seed(&self, best: &[NodeIx]) -> Option<u64> {
        (self.tie_break == TieBreak::Random && best.len() > 1).then_some(self.seed)
    }
}
