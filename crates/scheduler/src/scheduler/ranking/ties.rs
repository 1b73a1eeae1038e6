//! The nodes that share the highest total, without listing them.

use crate::cluster::NodeIx;
use crate::cluster::node_order::NodeOrder;

/// Nodes with the highest total, as sorted lists of places in an order. No place is in two lists.
pub struct Ties<'a> {
    pub order: &'a NodeOrder,
    pub lists: Vec<&'a [u32]>,
}

impl Ties<'_> {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.lists.iter().map(|list| list.len()).sum()
    }

    /// The nodes, in no order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIx> {
        let places = self.lists.iter().copied().flatten();
        places.filter_map(|&place| self.order.nodes().get(place as usize).copied())
    }

    /// The node at this position, from 0, when nodes are visited from the place `start` on, wrapping around.
    pub fn nth_from(&self, start: u32, position: usize) -> Option<NodeIx> {
        let skipped = self.before(start);
        let rank = (skipped + position) % self.len().max(1);
        self.nth(rank)
    }

    /// The node at this position, from 0, in the order.
    fn nth(&self, rank: usize) -> Option<NodeIx> {
        let place = match self.lists.as_slice() {
            [only] => only.get(rank).copied()?,
            _ => self.place_of(rank),
        };
        self.order.nodes().get(place as usize).copied()
    }

    /// The place that has this number of places before it: found by halving the places in question.
    fn place_of(&self, rank: usize) -> u32 {
        let nodes = self.order.nodes().len();
        let (mut low, mut high) = (0, u32::try_from(nodes).unwrap_or(u32::MAX));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.before(middle + 1) > rank {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Number of nodes before a place.
    fn before(&self, place: u32) -> usize {
        let before = |list: &&[u32]| list.partition_point(|&known| known < place);
        self.lists.iter().map(before).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Ties;
    use crate::cluster::NodeIx;
    use crate::cluster::node_order::NodeOrder;

    #[test]
    fn ties_are_found_in_the_order_of_visits() {
        let nodes: Vec<NodeIx> = (0..20).rev().map(NodeIx).collect();
        let order = NodeOrder::new(nodes, 20);
        let all: [&[u32]; 3] = [&[1, 5, 19], &[0, 7], &[6]];
        for count in 1..=3 {
            let lists = all[..count].to_vec();
            let mut places = lists.concat();
            places.sort_unstable();
            let ties = Ties {
                order: &order,
                lists,
            };
            assert_eq!(ties.len(), places.len());
            for start in 0..20 {
                let (before, after): (Vec<u32>, Vec<u32>) =
                    places.iter().partition(|&&place| place < start);
                let visits = after.into_iter().chain(before);
                for (position, place) in visits.enumerate() {
                    let node = order.nodes()[place as usize];
                    assert_eq!(ties.nth_from(start, position), Some(node));
                }
            }
        }
    }
}
