//! What changed: counters, and a log from which caches catch up instead of starting over.

use super::class::ClassIx;
use super::event::Event;
use super::{Cluster, NodeIx, PodIx};

/// A Pod came to a node (1) or left it (−1).
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub node: NodeIx,
    pub class: ClassIx,
    /// 0 if the Pod is being deleted.
    pub live: i8,
    /// 0 if the Pod is not being deleted.
    pub terminating: i8,
}

impl Placement {
    /// `by`: 1 or −1.
    pub(super) fn new(node: NodeIx, class: ClassIx, terminating: bool, by: i8) -> Self {
        let (live, terminating) = if terminating { (0, by) } else { (by, 0) };
        Self {
            node,
            class,
            live,
            terminating,
        }
    }
}

/// Counters of changes and the log of placements.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// All changes that a cycle may notice.
    pub everything: u64,
    /// Changes of what existing terms select: those of namespaces.
    pub terms: u64,
    /// Placements since the cluster was created; each cache keeps the position up to which it has read.
    pub placements: Vec<Placement>,
}

impl Cluster {
    /// Changes with everything that a cycle reads of other Pods, of nodes and of other objects. While it is the same, a
    /// Pod that fits nowhere does not fit. Pods that wait are not noticed unless they are nominated.
    pub fn version(&self) -> u64 {
        self.changes.everything
    }

    /// Changes when existing terms may select other Pods than before.
    pub fn terms_version(&self) -> u64 {
        self.changes.terms
    }

    /// The Pods that came to nodes and left them since the cluster was created.
    pub fn placements(&self) -> &[Placement] {
        &self.changes.placements
    }

    /// Counts the event if other Pods' cycles may notice it. Called before it is applied.
    pub(super) fn notice(&mut self, event: &Event) {
        let is_noticed = match event {
            Event::PodAdded(pod) => pod.node_name.is_some() || pod.nominated_node.is_some(),
            Event::PodUpdated { pod, object } => {
                let is_noticed = object.node_name.is_some() || object.nominated_node.is_some();
                is_noticed || self.is_noticed(*pod)
            }
            Event::PodDeleted(pod) | Event::Nominated { pod, node: None } => self.is_noticed(*pod),
            _ => true,
        };
        self.changes.everything += u64::from(is_noticed);
    }

    /// Whether the Pod is on a node, was, or is nominated to one.
    fn is_noticed(&self, pod: PodIx) -> bool {
        self.pods.get(pod).is_some_and(|pod| {
            let object = &pod.object;
            object.node_name.is_some() || object.nominated_node.is_some()
        }) || self.nominations.of(pod).is_some()
    }
}
