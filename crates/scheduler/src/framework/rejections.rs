//! Rejected nodes with their reasons: thousands of nodes share a handful of reasons.

use crate::cluster::NodeIx;

use super::status::{Rejected, Rejection};

berth_base::index_types! {
    /// A distinct rejection of a search.
    RejectionIx;
}

/// Rejected nodes in search order; each distinct rejection is stored once.
#[derive(Clone, Debug, Default)]
pub struct Rejections {
    kinds: Vec<Rejected>,
    nodes: Vec<(NodeIx, RejectionIx)>,
}

impl Rejections {
    /// The index of a rejection; equal rejections share one.
    pub fn kind(&mut self, plugin: &'static str, rejection: &Rejection) -> RejectionIx {
        let known = self
            .kinds
            .iter()
            .rposition(|kind| kind.plugin == plugin && kind.rejection == *rejection);
        let position = match known {
            Some(position) => position,
            None => {
                let rejection = rejection.clone();
                self.kinds.push(Rejected { plugin, rejection });
                self.kinds.len() - 1
            }
        };
        RejectionIx(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// Records the rejection of a node.
    pub fn add(&mut self, node: NodeIx, kind: RejectionIx) {
        self.nodes.push((node, kind));
    }

    /// Number of rejected nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node was rejected.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every rejected node, in search order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIx, &Rejected)> {
        self.nodes
            .iter()
            .map(|(node, kind)| (*node, &self.kinds[kind.0 as usize]))
    }

    /// The distinct rejections with their numbers of nodes.
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
