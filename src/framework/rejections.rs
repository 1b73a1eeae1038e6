//! Which nodes were rejected and why: thousands of nodes, a handful of reasons.

use crate::cluster::NodeIx;

use super::status::{Rejected, Rejection};

crate::index_types! {
    /// One of the different rejections of a search.
    RejectionIx;
}

/// Rejected nodes in the order of the search; each different rejection is kept once.
#[derive(Clone, Debug, Default)]
pub struct Rejections {
    kinds: Vec<Rejected>,
    nodes: Vec<(NodeIx, RejectionIx)>,
}

impl Rejections {
    /// The index of a rejection; an equal one is found again.
    pub fn kind(&mut self, plugin: &'static str, rejection: &Rejection) -> RejectionIx {
        let known = self.kinds.iter();
        let mut known = known
            .rev()
            .map(|kind| kind.plugin == plugin && kind.rejection == *rejection);
        let position = match known.position(|same| same) {
            Some(from_end) => self.kinds.len() - 1 - from_end,
            None => {
                let rejection = rejection.clone();
                self.kinds.push(Rejected { plugin, rejection });
                self.kinds.len() - 1
            }
        };
        RejectionIx(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// Notes that a node was rejected.
    pub fn add(&mut self, node: NodeIx, kind: RejectionIx) {
        self.nodes.push((node, kind));
    }

    /// How many nodes were rejected.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node was rejected.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every rejected node, in the order of the search.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIx, &Rejected)> {
        self.nodes
            .iter()
            .map(|(node, kind)| (*node, &self.kinds[kind.0 as usize]))
    }

    /// The different rejections with the number of nodes.
    pub fn counts(&self) -> impl Iterator<Item = (usize, &Rejected)> {
        let mut counts = vec![0; self.kinds.len()];
        for (_, kind) in &self.nodes {
            counts[kind.0 as usize] += 1;
        }
        counts
            .into_iter()
            .zip(&self.kinds)
            .filter(|(count, _)| *count > 0)
    }
}
