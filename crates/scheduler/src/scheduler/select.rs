//! The choice among the nodes with the highest total (`selectHost` of kube-scheduler v1.34).

use crate::cluster::{Cluster, NodeIx};

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
                .min_by_key(|&node| cluster.name_rank(node)),
            (TieBreak::Random, several) => {
                let position = self.random.below(several.len() as u64);
                several.get(usize::try_from(position).unwrap_or(0)).copied()
            }
        }
    }

    /// The seed, if it breaks a tie among `best`.
    pub(super) fn deciding_seed(&self, best: &[NodeIx]) -> Option<u64> {
        (self.tie_break == TieBreak::Random && best.len() > 1).then_some(self.seed)
    }
}
