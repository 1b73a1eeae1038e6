//! Loads the objects of a scenario into the cluster.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Namespace, Node};

use crate::kubelet::static_pods;
use crate::pod_util;
use crate::server::ApiError;
use crate::store::{Key, Object, name_of, namespace_of, uid_of};
use berth_core::api::object::Manifest;
use berth_core::base::time::Time;

use super::{SimulatedCluster, dump};

/// Kinds that the admission of other objects reads, in loading order.
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
    /// Creates the initial objects: first the kinds that admission reads, then the others in order. An object of a dump
    /// keeps its uid, age and status. Returns the API server's refusals, each with the index of its object.
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
        berth_core::base::sort::sort_by_key(&mut objects, |(place, object)| (rank(object), *place));
        let mut refused = Vec::new();
        for (place, object) in objects {
            self.ensure_namespace(namespace_of(object.metadata()));
            if let Err(error) = self.bring_in(object) {
                refused.push((place, error));
            }
        }
        // The record does not contain the initial objects.
        self.control_plane.api.take_journal();
        refused
    }

    /// Adds what a dump leaves out. A dump is only a part of a cluster, so owners that it lacks count as existing.
    fn complete(&mut self, objects: &mut Vec<(usize, Object)>) {
        let told = objects.iter().map(|(_, object)| object);
        let mut absent = dump::absent_owners(told.clone());
        if absent.is_empty() {
            return;
        }
        let sets = dump::replica_sets(told, &absent);
        let end = objects.len();
        for set in sets {
            // This owner exists from now on.
            absent.remove(uid_of(set.metadata()));
            objects.push((end, set));
        }
        self.control_plane.api.take_on_trust(absent);
    }

    /// Creates an object; a static Pod goes to its node's manifest folder.
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

    /// Creates a namespace that an object uses, unless it exists.
    fn ensure_namespace(&mut self, name: &str) {
        let api = &mut self.control_plane.api;
        if name.is_empty() || api.store().namespaces.get(&Key::new("", name)).is_some() {
            return;
        }
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.to_owned());
        // The namespace does not exist yet. An invalid name is reported with the object.
        let _ = api.create(namespace);
    }
}

/// Whether the conditions in a dump show that the node's kubelet sends no heartbeats.
fn is_silent(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|it| &it.conditions);
    let mut conditions = conditions.flatten();
    conditions.any(|it| it.type_ == "Ready" && it.status == "Unknown")
}

/// A new Pod is pending.
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
