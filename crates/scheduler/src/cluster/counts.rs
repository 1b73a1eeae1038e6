//! Pod counts by node.

use super::NodeIx;

/// The count on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeCount {
    pub node: NodeIx,
    /// Pods that are not being deleted.
    pub live: u32,
    /// Pods that are being deleted.
    pub terminating: u32,
}

impl NodeCount {
    /// All Pods, terminating or not.
    pub fn all(&self) -> u32 {
        self.live + self.terminating
    }
}

/// Sparse counts, sorted by node: reading them is one pass over the nodes with Pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    entries: Vec<NodeCount>,
}

impl NodeCounts {
    /// The nodes with at least one Pod, in index order.
    pub fn entries(&self) -> &[NodeCount] {
        &self.entries
    }

    /// The count on a node; `None` without Pods.
    pub fn on(&self, node: NodeIx) -> Option<&NodeCount> {
        let position = self.entries.binary_search_by_key(&node, |entry| entry.node);
        position
            .ok()
            .and_then(|position| self.entries.get(position))
    }

    /// Adds Pods to the counts of `node`.
    pub fn add(&mut self, node: NodeIx, live: u32, terminating: u32) {
        if live == 0 && terminating == 0 {
            return;
        }
        match self.entries.binary_search_by_key(&node, |entry| entry.node) {
            Ok(position) => {
                let entry = &mut self.entries[position];
                entry.live += live;
                entry.terminating += terminating;
            }
            Err(position) => self.entries.insert(
                position,
                NodeCount {
                    node,
                    live,
                    terminating,
                },
            ),
        }
    }

    /// Removes one Pod from the counts of `node`.
    pub fn remove(&mut self, node: NodeIx, terminating: bool) {
        let Ok(position) = self.entries.binary_search_by_key(&node, |entry| entry.node) else {
            return;
        };
        let entry = &mut self.entries[position];
        let count = if terminating {
            &mut entry.terminating
        } else {
            &mut entry.live
        };
        *count = count.saturating_sub(1);
        if entry.all() == 0 {
            self.entries.remove(position);
        }
    }

    /// Adds all counts of `other`.
    pub fn add_all(&mut self, other: &NodeCounts) {
        for entry in &other.entries {
            self.add(entry.node, entry.live, entry.terminating);
        }
    }
}
