//! The objects of a scenario come into the cluster.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;

use crate::api::object::Object as Manifest;
use crate::sim::controllers::pods;
use crate::sim::server::ApiError;
use crate::sim::store::{Key, Object, namespace_of};

use super::{World, beside};

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

/// Namespaces that every cluster has.
const SYSTEM_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl World {
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
        let rank = |object: &Object| {
            let first = FIRST.iter().position(|kind| *kind == object.kind());
            first.unwrap_or(FIRST.len())
        };
        crate::base::sort::sort_by_key(&mut objects, |(place, object)| (rank(object), *place));
        beside::set_policies(&mut self.plane.api);
        let mut refused = Vec::new();
        for (place, object) in objects {
            self.ensure_namespace(namespace_of(object.metadata()));
            let is_policy = rank(&object) < FIRST.len();
            if let Err(error) = self.plane.api.restore_object(as_it_begins(object)) {
                refused.push((place, error));
            }
            if is_policy {
                beside::set_policies(&mut self.plane.api);
            }
        }
        // The documents tell of themselves.
        self.plane.api.take_journal();
        refused
    }

    /// A namespace that is used exists, and so do those that every cluster has.
    fn ensure_namespace(&mut self, name: &str) {
        let api = &mut self.plane.api;
        for name in SYSTEM_NAMESPACES.into_iter().chain([name]) {
            let key = Key::new("", name);
            if name.is_empty() || api.store().namespaces.get(&key).is_some() {
                continue;
            }
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some(name.to_owned());
            // There was none a moment ago.
            let _ = api.create(namespace);
        }
    }
}

/// A Pod that is new waits; a namespace is there and bears its name; budgets and workloads of manifests have
/// no status yet.
fn as_it_begins(object: Object) -> Object {
    match object {
        Object::Pod(pod) if pod.metadata.uid.is_none() && pods::phase_of(&pod).is_empty() => {
            let mut pod = Arc::unwrap_or_clone(pod);
            pod.status.get_or_insert_default().phase = Some("Pending".to_owned());
            Object::Pod(Arc::new(pod))
        }
        other => other,
    }
}
