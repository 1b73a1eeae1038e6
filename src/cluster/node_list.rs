//! The order in which nodes are visited: zone by zone in turn, as kube-scheduler's node tree has it.

use std::collections::BTreeMap;

use super::{NodeInfo, NodeIx};

/// The nodes of the first zone, the second, …, one from each in turn. Zones come in the order in
/// which their first node appears; within a zone the nodes keep their order (`nodeTree.list`).
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
