//! The chips of a card: taints, then the labels that distinguish nodes.

use std::collections::BTreeSet;

use super::moment::Moment;
use super::{CARDS, ZONE};
use crate::words;
use berth_protocol::frame::{NodeFrame, TaintFrame};

/// Labels that a card omits because it shows their information anyway, unless a rule of the Pod reads them.
const REDUNDANT: [&str; 3] = [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
];
const ROLE: &str = "node-role.kubernetes.io/";
/// The width of a letter, of a chip's padding and border with the gap, and of the count, in rem.
const LETTER: f64 = 0.42;
const AROUND: f64 = 1.0;
const COUNT: f64 = 1.6;

impl Moment<'_> {
    /// The order of label keys on cards: first those that the explained Pod's rules read, of these first those whose
    /// values differ; then the others whose values differ.
    pub fn label_order(&self) -> Vec<String> {
        let view = self.view;
        let pod = self.chosen.or(self.cycle.map(|cycle| cycle.pod.as_str()));
        let pod = pod.and_then(|key| view.pod(key));
        let read = pod.map(|pod| pod.node_keys.clone()).unwrap_or_default();
        // A card's chips need no more than this; the far view has none.
        let nodes = view.nodes.as_slice();
        let nodes = if nodes.len() <= CARDS { nodes } else { &[] };
        let is_same = |key: &String| {
            nodes.split_first().is_some_and(|(first, others)| {
                let value = first.labels.get(key);
                others.iter().all(|node| node.labels.get(key) == value)
            })
        };
        let mut keys = read;
        keys.sort_by_key(is_same);
        // Keys that each node has with a value of its own group nothing, but distinguish nodes.
        let all = nodes.iter().flat_map(|node| node.labels.keys());
        // Most nodes have the same keys.
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        for key in view.topology_keys.iter().chain(all) {
            let is_new = seen.insert(key) && !keys.contains(key);
            if is_new && !REDUNDANT.contains(&key.as_str()) && !is_same(key) {
                keys.push(key.clone());
            }
        }
        keys
    }
}

/// A node's chips, taints first.
pub struct Chips<'n> {
    /// Number of taints.
    pub taints: usize,
    /// Keys and values.
    pub labels: Vec<(&'n str, &'n str)>,
    /// The text of every chip.
    pub texts: Vec<String>,
    /// The number of letters of each.
    pub letters: Vec<usize>,
}

impl<'n> Chips<'n> {
    pub fn of(node: &'n NodeFrame, label_order: &[String]) -> Self {
        let labels = labels(node, label_order);
        let taints = node.taints.iter().map(taint_text);
        let texts = labels
            .iter()
            .map(|(key, value)| joined(words::short_key(key), value));
        let texts: Vec<String> = taints.chain(texts).collect();
        Self {
            taints: node.taints.len(),
            letters: texts.iter().map(|text| text.chars().count()).collect(),
            labels,
            texts,
        }
    }
}

/// The node's labels in that order, the others after them.
fn labels<'n>(node: &'n NodeFrame, label_order: &[String]) -> Vec<(&'n str, &'n str)> {
    let place = |key: &str| label_order.iter().position(|known| known == key);
    let is_shown = |key: &str| {
        let is_known = REDUNDANT.contains(&key) || key.starts_with(ROLE);
        key != ZONE && (place(key).is_some() || !is_known)
    };
    let labels = node.labels.iter().filter(|(key, _)| is_shown(key));
    let mut labels: Vec<(&str, &str)> = labels
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    labels.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
    labels
}

/// How many chips of these lengths fit; at least one, which may be cut.
pub fn fitting(letters: &[usize], room: f64) -> usize {
    let width = |letters: &usize| *letters as f64 * LETTER + AROUND;
    let all = letters.len();
    let mut used = 0.0;
    let mut fit = 0;
    for (place, letters) in letters.iter().enumerate() {
        used += width(letters);
        let rest = if place + 1 == all { 0.0 } else { COUNT };
        if place > 0 && used + rest > room {
            break;
        }
        fit += 1;
    }
    fit
}

pub fn joined(key: &str, value: &str) -> String {
    match value {
        "" => key.to_owned(),
        value => format!("{key}={value}"),
    }
}

fn taint_text(taint: &TaintFrame) -> String {
    joined(words::short_key(&taint.key), &taint.value)
}

#[cfg(test)]
mod tests {
    use super::{fitting, labels};
    use berth_protocol::frame::NodeFrame;

    #[test]
    fn labels_that_tell_nodes_apart_come_first() {
        let pairs = [
            ("arch", "amd64"),
            ("kubernetes.io/arch", "arm64"),
            ("pool", "db"),
        ];
        let node = NodeFrame {
            labels: pairs
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            ..NodeFrame::default()
        };
        assert_eq!(
            labels(&node, &["pool".to_owned()]),
            [("pool", "db"), ("arch", "amd64")]
        );
        let read = ["kubernetes.io/arch".to_owned()];
        assert_eq!(labels(&node, &read)[0], ("kubernetes.io/arch", "arm64"));
    }

    #[test]
    fn a_chip_is_whole_or_counted() {
        assert_eq!(fitting(&[12, 9, 9], 9.0), 1);
        assert_eq!(fitting(&[5, 5], 9.0), 2);
        assert_eq!(fitting(&[40, 3], 5.5), 1);
        assert_eq!(fitting(&[], 5.5), 0);
    }
}
