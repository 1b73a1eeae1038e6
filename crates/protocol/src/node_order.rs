//! The order in which nodes are visited: zone by zone in turn, as in kube-scheduler's node tree.

use std::collections::BTreeMap;

use super::{NodeInfo, NodeIx};

/// One node from each zone in turn. Zones are ordered by their first node; within a zone, nodes
/// keep their order (`nodeTree.list`).
pub fn interleaved<'a>(nodes: impl Iterator<Item = &'a NodeInfo>) -> Vec<NodeIx> {
    let mut zones: Vec<Vec<NodeIx>> = Vec::new();
    let mut positions: BTreeMap<Option<(String, String)>, usize> = BTreeMap::new();
    for node in nodes {
        let position = *positions.entry(node.zone_key()).or_insert_with(|| {
            zones.push(Vec::new());
            zones.len() - 1
        });
        zones[position].push(node.ix);
    }
    let longest = zones.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .flat_map(|turn| zones.iter().filter_map(move |zone| zone.get(turn).copied()))
        .collect()
}
