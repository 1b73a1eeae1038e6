//! One node as the scheduler sees it: its properties and the sums over its Pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Taint};

use super::resources::{Resources, amount};
use super::spec::{HostPort, SpecInfo};
use super::{NodeIx, PodIx};
use crate::selector::compiled::Labels;

/// A node and the sums over its Pods. Mirrors `framework.NodeInfo`.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    pub ix: NodeIx,
    /// Whether the node exists; the index of a deleted node is never reused.
    pub alive: bool,
    pub name: Arc<str>,
    /// The object as it was applied.
    pub object: Arc<Node>,
    pub labels: Arc<Labels>,
    pub taints: Arc<Vec<Taint>>,
    pub unschedulable: bool,
    pub allocatable: Resources,
    /// `status.allocatable.pods`.
    pub allowed_pods: i64,
    /// Image name, as the node writes it, to size in bytes.
    pub images: Arc<BTreeMap<String, i64>>,
    /// Sum of the Pods' requests.
    pub requested: Resources,
    /// Sum of the Pods' non-zero requests: milli-CPU and memory bytes.
    pub non_zero_requested: (i64, i64),
    /// The Pods on the node, in order of arrival.
    pub pods: Vec<PodIx>,
    /// Host ports of its Pods, each once: when two Pods hold the same port and one of them is removed,
    /// the port counts as free, as in upstream's `HostPortInfo`.
    pub used_ports: Vec<HostPort>,
}

impl NodeInfo {
    /// A node without Pods.
    pub fn new(ix: NodeIx, object: Arc<Node>) -> Self {
        let spec = object.spec.clone().unwrap_or_default();
        let status = object.status.clone().unwrap_or_default();
        let allocatable = status.allocatable.unwrap_or_default();
        let mut images = BTreeMap::new();
        for image in status.images.iter().flatten() {
            for name in image.names.iter().flatten() {
                // If a name is listed twice, the first entry counts.
                images
                    .entry(name.clone())
                    .or_insert(image.size_bytes.unwrap_or(0));
            }
        }
        Self {
            ix,
            alive: true,
            name: object.metadata.name.clone().unwrap_or_default().into(),
            labels: Arc::new(object.metadata.labels.clone().unwrap_or_default()),
            taints: Arc::new(spec.taints.unwrap_or_default()),
            unschedulable: spec.unschedulable.unwrap_or(false),
            allowed_pods: allocatable
                .get("pods")
                .map_or(0, |quantity| amount("pods", quantity)),
            allocatable: Resources::from_list(&allocatable),
            images: Arc::new(images),
            requested: Resources::default(),
            non_zero_requested: (0, 0),
            pods: Vec::new(),
            used_ports: Vec::new(),
            object,
        }
    }

    /// Adds a Pod to the sums.
    pub fn add_pod(&mut self, pod: PodIx, spec: &SpecInfo) {
        self.pods.push(pod);
        self.requested.add(&spec.counted);
        self.change_non_zero(spec.non_zero, i64::wrapping_add);
        for port in &spec.host_ports {
            if !self.used_ports.iter().any(|used| used.is_same(port)) {
                self.used_ports.push(port.clone());
            }
        }
    }

    /// Removes a Pod from the sums. The last Pod takes its place, as upstream: the order of Pods
    /// decides between equally important victims of preemption.
    pub fn remove_pod(&mut self, pod: PodIx, spec: &SpecInfo) {
        let Some(position) = self.pods.iter().position(|&known| known == pod) else {
            return;
        };
        self.pods.swap_remove(position);
        self.requested.subtract(&spec.counted);
        self.change_non_zero(spec.non_zero, i64::wrapping_sub);
        for port in &spec.host_ports {
            self.used_ports.retain(|used| !used.is_same(port));
        }
    }

    fn change_non_zero(&mut self, by: (i64, i64), change: fn(i64, i64) -> i64) {
        let (milli_cpu, memory_bytes) = self.non_zero_requested;
        self.non_zero_requested = (change(milli_cpu, by.0), change(memory_bytes, by.1));
    }
}
