//! The objects of a scenario come into the cluster.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Namespace, Node};

use crate::api::object::Manifest;
use crate::base::time::Time;
use crate::sim::kubelet::static_pods;
use crate::sim::pod_util;
use crate::sim::server::ApiError;
use crate::sim::store::{Key, Object, name_of, namespace_of, uid_of};

use super::{SimulatedCluster, dump};

/// Kinds that others ask about when they come.
const FIRST: [&str; 11] = [
    "Namespace",
    "PriorityClass",
    "StorageClass",
    "CSIDriver",
    "CSINode",
    "LimitRange",
    "ResourceQuota",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "Node",
];

impl SimulatedCluster {
    /// Brings in what exists at the beginning: first what others ask about, then the others as they come.
    /// An object of a dump keeps its uid, age and status. What the API server refuses is told, by its place
    /// among the objects.
    pub fn load<'a>(
        &mut self,
        objects: impl Iterator<Item = &'a Manifest>,
    ) -> Vec<(usize, ApiError)> {
        let objects = objects.enumerate();
        let objects = objects.filter_map(|(place, it)| Some((place, Object::of_manifest(it)?)));
        let mut objects: Vec<(usize, Object)> = objects.collect();
        self.complete(&mut objects);
        if let Some(made) = dump::made_ms(objects.iter().map(|(_, object)| object)) {
            self.go_to(Time::at_microsecond(made.saturating_mul(1_000)));
            self.began = self.now();
        }
        let rank = |object: &Object| {
            let first = FIRST.iter().position(|kind| *kind == object.kind());
            first.unwrap_or(FIRST.len())
        };
        crate::base::sort::sort_by_key(&mut objects, |(place, object)| (rank(object), *place));
        let mut refused = Vec::new();
        for (place, object) in objects {
            self.ensure_namespace(namespace_of(object.metadata()));
            if let Err(error) = self.bring_in(object) {
                refused.push((place, error));
            }
        }
        // The documents tell of themselves.
        self.control_plane.api.take_journal();
        refused
    }

    /// A dump tells a part of a cluster: owners that it does not tell of are not gone.
    fn complete(&mut self, objects: &mut Vec<(usize, Object)>) {
        let told = objects.iter().map(|(_, object)| object);
        let mut absent = dump::absent_owners(told.clone());
        if absent.is_empty() {
            return;
        }
        let sets = dump::replica_sets(told, &absent);
        let end = objects.len();
        for set in sets {
            // From now on it is known.
            absent.remove(uid_of(set.metadata()));
            objects.push((end, set));
        }
        self.control_plane.api.take_on_trust(absent);
    }

    /// A Pod that belongs to a node's manifest folder goes there.
    fn bring_in(&mut self, object: Object) -> Result<(), ApiError> {
        let (kubelet, api) = (&mut self.data_plane.kubelet, &mut self.control_plane.api);
        match &object {
            Object::Pod(pod) if static_pods::is_manifest(pod) => {
                let node = pod_util::node_of(pod).to_owned();
                let pod = (**pod).clone();
                kubelet.add_static_pod(&node, pod, api).map(drop)
            }
            Object::Node(node) if is_silent(node) => {
                let name = name_of(&node.metadata).to_owned();
                api.restore_object(object)?;
                api.silence_node(&name)
            }
            _ => api.restore_object(as_it_begins(object)),
        }
    }

    /// A namespace that is used exists.
    fn ensure_namespace(&mut self, name: &str) {
        let api = &mut self.control_plane.api;
        if name.is_empty() || api.store().namespaces.get(&Key::new("", name)).is_some() {
            return;
        }
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.to_owned());
        // There was none a moment ago.
        let _ = api.create(namespace);
    }
}

/// Whether nothing is heard of the node's kubelet, as a dump says.
fn is_silent(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|it| &it.conditions);
    let mut conditions = conditions.flatten();
    conditions.any(|it| it.type_ == "Ready" && it.status == "Unknown")
}

/// A Pod that is new waits.
fn as_it_begins(object: Object) -> Object {
    match object {
        Object::Pod(pod) if pod.metadata.uid.is_none() && pod_util::phase_of(&pod).is_empty() => {
            let mut pod = Arc::unwrap_or_clone(pod);
            pod.status.get_or_insert_default().phase = Some("Pending".to_owned());
            Object::Pod(Arc::new(pod))
        }
        other => other,
    }
}
