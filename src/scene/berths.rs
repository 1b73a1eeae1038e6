//! What is on a node's quay: its Pods, the victims of a preemption, and the places kept for Pods to come.

use std::rc::Rc;

use super::moment::{Moment, Standing};
use super::quay::{Percent, Quay};
use berth_protocol::frame::{NodeFrame, PodFrame};

/// A Pod on the node.
pub struct Berth<'a> {
    pub pod: &'a Rc<PodFrame>,
    pub is_victim: bool,
    pub is_chosen: bool,
    /// The last step placed it.
    pub is_new: bool,
}

/// The Pods of a quay.
pub struct Berths<'a> {
    pub quay: Rc<Quay>,
    pub pods: Vec<Berth<'a>>,
    /// Victims that are gone.
    pub gone: Vec<&'a PodFrame>,
    pub nominated: Vec<&'a Rc<PodFrame>>,
    /// The Pod being scheduled once the node is picked, and whether it is bound.
    pub slot: Option<(&'a Rc<PodFrame>, bool)>,
}

impl<'a> Moment<'a> {
    pub fn berths(&self, node: &'a NodeFrame, standing: &Standing) -> Berths<'a> {
        let view = self.view;
        let pods = node.pods.iter().filter_map(|key| view.pod(key));
        let pods = pods.map(|pod| Berth {
            pod,
            is_victim: self.is_victim(&node.name, &pod.key),
            is_chosen: self.chosen == Some(pod.key.as_str()),
            is_new: self.placed == Some(pod.key.as_str()),
        });
        let slot = self.slot(standing);
        let is_slot = |key: &String| slot.is_some_and(|(pod, _)| pod.key == *key);
        let nominated = node.nominated.iter().filter(|key| !is_slot(key));
        let nominated = nominated.filter_map(|key| view.pod(key));
        let victims = view.head.victims.iter();
        let gone = victims.filter(|victim| {
            victim.node.as_deref() == Some(&node.name) && !node.pods.contains(&victim.key)
        });
        Berths {
            quay: view.quay(node),
            pods: pods.collect(),
            gone: gone.collect(),
            nominated: nominated.collect(),
            slot,
        }
    }
}

impl Berths<'_> {
    /// The quay without victims and with the Pods that are to come.
    pub fn planned(&self) -> Quay {
        let victims = self.pods.iter().filter(|berth| berth.is_victim);
        let victims: Vec<&str> = victims.map(|berth| berth.pod.key.as_str()).collect();
        let slot = self.slot.iter().map(|(pod, _)| *pod);
        let coming = self.nominated.iter().copied().chain(slot);
        let coming = coming.map(|pod| (pod.key.as_str(), pod.milli_cpu));
        self.quay.changed(&victims, coming)
    }
}

/// Victims that are gone, where they were, unless other Pods are there now.
pub fn evicted<'p>(
    quay: &Quay,
    gone: impl Iterator<Item = &'p PodFrame> + Clone,
) -> Vec<(&'p PodFrame, Vec<Percent>)> {
    let keys = gone.clone().map(|pod| (pod.key.as_str(), pod.milli_cpu));
    let then = quay.changed(&[], keys);
    let places = gone.map(|pod| (pod, then.places(&pod.key)));
    let is_inside = |(_, places): &(&PodFrame, Vec<Percent>)| {
        places.iter().all(|place| place.top + place.height <= 100.1)
    };
    places.filter(is_inside).collect()
}
