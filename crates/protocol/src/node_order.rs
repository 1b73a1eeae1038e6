//! The order in which nodes are visited: zone by zone in turn, as in kube-scheduler's node tree.

use std::collections::BTreeMap;

type Labels = BTreeMap<String, String>;

/// One node from each zone in turn; `nodes` are labels and what is returned. Zones are ordered by their first node; within
/// a zone, nodes keep their order (`nodeTree.list`).
pub fn interleaved<'a, T: Copy>(nodes: impl Iterator<Item = (&'a Labels, T)>) -> Vec<T> {
    let mut zones: Vec<Vec<T>> = Vec::new();
    let mut positions: BTreeMap<Option<(&str, &str)>, usize> = BTreeMap::new();
    for (labels, node) in nodes {
        let position = *positions.entry(zone_key(labels)).or_insert_with(|| {
            zones.push(Vec::new());
            zones.len() - 1
        });
        zones[position].push(node);
    }
    let longest = zones.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .flat_map(|turn| zones.iter().filter_map(move |zone| zone.get(turn).copied()))
        .collect()
}

/// Region and zone; `None` if a node has neither (`GetZoneKey`).
pub fn zone_key(labels: &Labels) -> Option<(&str, &str)> {
    let label = |new: &str, old: &str| {
        let value = labels.get(new).or_else(|| labels.get(old));
        value.map_or("", String::as_str)
    };
    let region = label(
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/region",
    );
    let zone = label(
        "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/zone",
    );
    (!region.is_empty() || !zone.is_empty()).then_some((region, zone))
}
