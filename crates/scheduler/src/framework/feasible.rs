//! The feasible nodes of a cycle.

use crate::cluster::NodeIx;

/// Feasible nodes. Where nodes are alike, one may stand for several.
#[derive(Clone, Copy)]
pub struct Feasible<'a> {
    nodes: &'a [NodeIx],
    /// How many nodes each of `nodes` stands for; `None`: for itself.
    counts: Option<&'a [usize]>,
}

impl<'a> Feasible<'a> {
    /// Every node by itself.
    pub fn all(nodes: &'a [NodeIx]) -> Self {
        let counts = None;
        Self { nodes, counts }
    }

    /// Nodes that stand for several: `counts[i]` belongs to `nodes[i]`.
    pub fn standing_for(nodes: &'a [NodeIx], counts: &'a [usize]) -> Self {
        let counts = Some(counts);
        Self { nodes, counts }
    }

    /// Whether no node is feasible.
    pub fn is_empty(self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes, and how many each stands for.
    pub fn iter(self) -> impl Iterator<Item = (NodeIx, usize)> {
        let count = move |position: usize| self.counts.and_then(|counts| counts.get(position));
        let nodes = self.nodes.iter().enumerate();
        nodes.map(move |(position, &node)| (node, count(position).copied().unwrap_or(1)))
    }
}
