//! Nodes in an order, and each node's place in it.

use super::NodeIx;

/// Existing nodes in an order.
#[derive(Clone, Debug, Default)]
pub struct NodeOrder {
    nodes: Vec<NodeIx>,
    /// By node index; `u32::MAX` for deleted nodes.
    places: Vec<u32>,
}

impl NodeOrder {
    /// `capacity`: number of indices given to nodes.
    pub(crate) fn new(nodes: Vec<NodeIx>, capacity: usize) -> Self {
        let mut places = vec![u32::MAX; capacity];
        for (place, node) in (0..).zip(&nodes) {
            places[node.0 as usize] = place;
        }
        Self { nodes, places }
    }

    /// The nodes in order.
    pub fn nodes(&self) -> &[NodeIx] {
        &self.nodes
    }

    /// The node's place, from 0.
    #[inline]
    pub fn place(&self, node: NodeIx) -> u32 {
        let place = self.places.get(node.0 as usize);
        place.copied().unwrap_or(u32::MAX)
    }
}
