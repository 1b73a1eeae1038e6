//! Loads the objects of a scenario into the cluster.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use crate::kubelet::static_pods;
use crate::pod_util;
use crate::server::ApiError;
use crate::store::{Key, Object, name_of, namespace_of, uid_of};
use berth_base::time::Time;
use berth_core::api::infer::{Exist, infer};
use berth_core::api::kinds::Kind;
use berth_core::api::object::Manifest;
use berth_core::api::prepare::made_uid;

use super::{SimulatedCluster, dump};

/// Kinds that the admission of other objects reads, in loading order.
const FIRST: [Kind; 15] = [
    Kind::Namespace,
    Kind::ServiceAccount,
    Kind::PriorityClass,
    Kind::RuntimeClass,
    Kind::StorageClass,
    Kind::CSIDriver,
    Kind::CSINode,
    Kind::CSIStorageCapacity,
    Kind::VolumeAttachment,
    Kind::LimitRange,
    Kind::ResourceQuota,
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::PodDisruptionBudget,
    Kind::Node,
];

/// An object that is loaded.
pub(super) struct Incoming {
    /// Its index among the loaded objects.
    pub place: usize,
    pub object: Object,
    /// The uid of a new object, if others refer to it already.
    pub uid: Option<String>,
}

impl Incoming {
    pub fn key(&self) -> Key {
        Key::of(self.object.metadata())
    }

    /// Gives a new object the uid that it has where scheduling is all that happens.
    pub fn keep_identity(&mut self) {
        let key = self.key();
        if self.uid.is_none() && self.object.metadata().uid.is_none() && !key.name().is_empty() {
            self.uid = Some(made_uid(self.object.kind(), key.namespace(), key.name()));
        }
    }
}

/// The objects of the manifests, without Berth's own documents.
fn numbered<'a>(objects: impl Iterator<Item = &'a Manifest>) -> Vec<Incoming> {
    let objects = objects.enumerate().filter_map(|(place, manifest)| {
        let object = Object::of_manifest(manifest)?.in_some_namespace();
        Some(Incoming {
            place,
            object,
            uid: None,
        })
    });
    objects.collect()
}

impl SimulatedCluster {
    /// Creates the initial objects: first the kinds that admission reads, then the others in order. An object of a dump
    /// keeps its uid, age and status. Returns the API server's refusals, each with the index of its object.
    pub fn load<'a>(
        &mut self,
        objects: impl Iterator<Item = &'a Manifest>,
    ) -> Vec<(usize, ApiError)> {
        let incoming = self.completed(objects, Exist::Dumped);
        self.begin_when_made(&incoming);
        let refused = self.bring_in_all(incoming);
        self.infer_revisions();
        // The record does not contain the initial objects.
        self.control_plane.api.take_audit_log();
        refused
    }

    /// Sets the clock to the moment of a dump.
    pub(super) fn begin_when_made(&mut self, incoming: &[Incoming]) {
        if let Some(made) = dump::made_ms(incoming.iter().map(|it| &it.object)) {
            self.go_to(Time::at_microsecond(made.saturating_mul(1_000)));
            self.began = self.now();
        }
    }

    pub(super) fn bring_in_all(&mut self, mut incoming: Vec<Incoming>) -> Vec<(usize, ApiError)> {
        let rank = |object: &Object| {
            let first = FIRST.iter().position(|kind| *kind == object.kind_of());
            first.unwrap_or(FIRST.len())
        };
        berth_base::sort::sort_by_key(&mut incoming, |it| (rank(&it.object), it.place));
        let mut refused = Vec::new();
        for Incoming { place, object, uid } in incoming {
            self.control_plane
                .api
                .ensure_namespace(namespace_of(object.metadata()));
            if let Err(error) = self.bring_in(object, uid) {
                refused.push((place, error));
            }
        }
        refused
    }

    /// The objects, with those that they lack. A dump is only a part of a cluster, so owners that it lacks count as
    /// existing.
    pub(super) fn completed<'a>(
        &mut self,
        objects: impl Iterator<Item = &'a Manifest>,
        exist: Exist,
    ) -> Vec<Incoming> {
        let manifests: Vec<&Manifest> = objects.collect();
        let mut incoming = numbered(manifests.iter().copied());
        let given = incoming.iter().map(|it| &it.object);
        let mut absent = dump::absent_owners(given.clone());
        let mut found = dump::replica_sets(given, &absent);
        let restored = found.iter().map(|set| uid_of(set.metadata()).to_owned());
        let inferred = infer(&manifests, &restored.collect(), exist);
        found.extend(inferred.objects.iter().filter_map(Object::of_manifest));
        let store = self.control_plane.api.store();
        found.retain(|it| store.get(it.kind(), &Key::of(it.metadata())).is_none());
        let end = manifests.len();
        for object in found {
            // An owner exists from now on.
            absent.remove(uid_of(object.metadata()));
            incoming.push(Incoming {
                place: end,
                object,
                uid: None,
            });
        }
        self.control_plane.api.assume_exists(absent);
        incoming
    }

    /// Creates an object; a static Pod goes to its node's manifest folder.
    fn bring_in(&mut self, object: Object, uid: Option<String>) -> Result<(), ApiError> {
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
            _ => {
                match uid.filter(|_| !api.is_implied(object.kind(), &Key::of(object.metadata()))) {
                    Some(uid) => api.create_object_as(as_it_begins(object), uid),
                    None => api.restore_object(as_it_begins(object)),
                }
            }
        }
    }
}

/// Whether the conditions in a dump show that the node's kubelet sends no heartbeats.
fn is_silent(node: &Node) -> bool {
    let mut conditions = node.status.iter().flat_map(|it| &it.conditions).flatten();
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
