//! The admission plugin PodTopologyLabels: a Pod that gets a node gets the node's zone and region as labels
//! (`plugin/pkg/admission/podtopologylabels`, v1.35).

use std::collections::BTreeMap;

use crate::release::{Gate, Release};

/// The labels that are copied.
pub const TOPOLOGY_LABELS: [&str; 2] = [
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

type Labels = BTreeMap<String, String>;

/// The labels of a Pod on a node; `None` if the Pod has them already, or the release does not copy labels.
pub fn labels_on(release: &Release, labels: &Labels, node: &Labels) -> Option<Labels> {
    if !release.is_on(Gate::PodTopologyLabelsAdmission) {
        return None;
    }
    let given = TOPOLOGY_LABELS
        .into_iter()
        .filter_map(|key| Some((key, node.get(key)?)));
    let new = given.filter(|(key, value)| labels.get(*key) != Some(value));
    let mut changed: Option<Labels> = None;
    for (key, value) in new {
        let all = changed.get_or_insert_with(|| labels.clone());
        all.insert(key.to_owned(), value.clone());
    }
    changed
}
