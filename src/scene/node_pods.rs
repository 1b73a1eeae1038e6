//! What is drawn on a node: its Pods, the victims of a preemption, and the places kept for Pods to come.

use std::rc::Rc;

use super::label;
use super::moment::{Moment, NodeVerdict};
use super::pod_layout::{Percent, PodLayout};
use crate::words;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// A Pod on the node.
pub struct NodePod<'a> {
    pub pod: &'a Rc<PodFrame>,
    pub is_victim: bool,
    pub is_chosen: bool,
    /// The last step placed it.
    pub is_new: bool,
}

/// The Pods of a node.
pub struct NodePods<'a> {
    pub layout: Rc<PodLayout>,
    pub pods: Vec<NodePod<'a>>,
    /// Victims that are gone.
    pub gone: Vec<&'a PodFrame>,
    pub nominated: Vec<&'a Rc<PodFrame>>,
    /// The Pod being scheduled once the node is picked, and whether it is bound.
    pub slot: Option<(&'a Rc<PodFrame>, bool)>,
}

impl<'a> Moment<'a> {
    pub fn node_pods(&self, node: &'a NodeFrame, node_verdict: &NodeVerdict) -> NodePods<'a> {
        let view = self.view;
        let pods = node
            .pods
            .iter()
            .filter_map(|key| view.pod(key))
            .map(|pod| NodePod {
                pod,
                is_victim: self.is_victim(&node.name, &pod.key),
                is_chosen: self.chosen == Some(pod.key.as_str()),
                is_new: self.placed == Some(pod.key.as_str()),
            });
        let slot = self.slot(node_verdict);
        let is_slot = |key: &String| slot.is_some_and(|(pod, _)| pod.key == *key);
        let nominated = node
            .nominated
            .iter()
            .filter(|key| !is_slot(key))
            .filter_map(|key| view.pod(key));
        let gone = view.head.victims.iter().filter(|victim| {
            victim.node.as_deref() == Some(&node.name) && !node.pods.contains(&victim.key)
        });
        NodePods {
            layout: view.pod_layout(node),
            pods: pods.collect(),
            gone: gone.collect(),
            nominated: nominated.collect(),
            slot,
        }
    }
}

/// Maximum number of Pods that a card names of those that take no room; the others are counted.
pub const LOOSE: usize = 12;
/// With more than this, their names are short.
const LOOSE_WHOLE: usize = 4;

/// The name on the chip of one of so many Pods that take no room.
pub fn loose_name(pod: &PodFrame, count: usize) -> String {
    if count > LOOSE_WHOLE {
        label::short(pod)
    } else {
        label::name(pod)
    }
}

/// What those Pods have in common.
pub fn loose_means<'p>(mut pods: impl Iterator<Item = &'p PodFrame>) -> &'static str {
    match pods.all(|pod| pod.memory_bytes == 0) {
        true => words::card::NO_REQUEST.get(),
        false => words::card::NO_CPU_REQUEST.get(),
    }
}

impl NodePods<'_> {
    /// The Pods that take no room, as they request no CPU.
    pub fn loose(&self) -> impl Iterator<Item = &NodePod<'_>> {
        let is_loose = |pod: &&NodePod<'_>| self.layout.places(&pod.pod.key).is_empty();
        self.pods.iter().filter(is_loose)
    }

    /// The layout without victims and with the Pods that are to come.
    pub fn planned(&self) -> PodLayout {
        let victims = self.pods.iter().filter(|pod| pod.is_victim);
        let victims: Vec<&str> = victims.map(|pod| pod.pod.key.as_str()).collect();
        let slot = self.slot.iter().map(|(pod, _)| *pod);
        let coming = self
            .nominated
            .iter()
            .copied()
            .chain(slot)
            .map(|pod| (pod.key.as_str(), pod.milli_cpu));
        self.layout.changed(&victims, coming)
    }
}

/// Victims that are gone, where they were, unless other Pods are there now.
pub fn evicted<'p>(
    layout: &PodLayout,
    gone: impl Iterator<Item = &'p PodFrame> + Clone,
) -> Vec<(&'p PodFrame, Vec<Percent>)> {
    let keys = gone.clone().map(|pod| (pod.key.as_str(), pod.milli_cpu));
    let then = layout.changed(&[], keys);
    let places = gone.map(|pod| (pod, then.places(&pod.key)));
    let is_inside = |(_, places): &(&PodFrame, Vec<Percent>)| {
        places.iter().all(|place| place.top + place.height <= 100.1)
    };
    places.filter(is_inside).collect()
}
