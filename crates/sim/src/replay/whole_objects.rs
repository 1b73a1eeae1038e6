//! `create`, `update` and `delete` of whole objects on the API server.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::dynamic::Visitor;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Object, Stored};
use crate::strategy::Served;
use berth_core::api::object::Manifest;

use super::key::ObjectKey;
use super::operations::remove_node;

/// Creates an object.
pub(super) fn create(object: &Manifest, api: &mut ApiServer) -> Result<(), ApiError> {
    match Object::of_manifest(object) {
        Some(object) => api.create_object(pending(object)).map(drop),
        None => Ok(()),
    }
}

/// A new Pod is pending.
pub(super) fn pending(object: Object) -> Object {
    match object {
        Object::Pod(pod) => {
            let mut pod = Arc::unwrap_or_clone(pod);
            pod.status = Some(PodStatus {
                phase: Some("Pending".to_owned()),
                ..PodStatus::default()
            });
            Object::Pod(Arc::new(pod))
        }
        other => other,
    }
}

/// Replaces an object with the manifest; `None` if there is no such object.
pub(super) fn update(object: &Manifest, api: &mut ApiServer) -> Option<Result<(), ApiError>> {
    match &Object::of_manifest(object)? {
        Object::Node(node) => update_node(node, api),
        Object::Pod(pod) => update_pod(pod, api),
        Object::PersistentVolume(volume) => update_volume(volume, api),
        Object::PersistentVolumeClaim(claim) => update_claim(claim, api),
        other => other.visit(&mut Replace(api)),
    }
}

struct Replace<'a>(&'a mut ApiServer);

impl Visitor for Replace<'_> {
    type Output = Option<Result<(), ApiError>>;

    fn visit<T: Served>(&mut self, object: &Arc<T>) -> Self::Output {
        replace(&**object, self.0)
    }
}

/// A node's status is written, too.
fn update_node(node: &Node, api: &mut ApiServer) -> Option<Result<(), ApiError>> {
    let done = replace(node, api)?;
    let key = Key::of(&node.metadata);
    let mut written = (**api.store().nodes.get(&key)?).clone();
    written.status.clone_from(&node.status);
    let status = api.update_status(&written);
    Some(done.and_then(|()| status.map(drop)))
}

/// A volume keeps its claim.
fn update_volume(volume: &PersistentVolume, api: &mut ApiServer) -> Option<Result<(), ApiError>> {
    let current = api.store().volumes.get(&in_namespace(volume))?;
    let claim = current.spec.as_ref().and_then(|it| it.claim_ref.clone());
    let mut new = volume.clone();
    new.spec.get_or_insert_default().claim_ref = claim;
    replace(&new, api)
}

/// A claim keeps its volume.
fn update_claim(
    claim: &PersistentVolumeClaim,
    api: &mut ApiServer,
) -> Option<Result<(), ApiError>> {
    let current = api.store().claims.get(&in_namespace(claim))?;
    let volume = current.spec.as_ref().and_then(|it| it.volume_name.clone());
    let mut new = claim.clone();
    new.spec.get_or_insert_default().volume_name = volume;
    replace(&new, api)
}

/// A Pod keeps its node.
fn update_pod(pod: &Pod, api: &mut ApiServer) -> Option<Result<(), ApiError>> {
    let current = api.store().pods.get(&in_namespace::<Pod>(pod))?.clone();
    let mut asked = pod.clone();
    asked.metadata = kept(&current.metadata, &pod.metadata);
    // `admit` takes new objects only.
    asked.metadata.uid = None;
    asked.metadata.resource_version = None;
    let mut admitted = match api.admit(asked) {
        Ok(admitted) => admitted,
        Err(error) => return Some(Err(error)),
    };
    let node = current
        .spec
        .as_ref()
        .and_then(|spec| spec.node_name.clone());
    admitted.spec.get_or_insert_default().node_name = node;
    replace(&admitted, api)
}

fn replace<T: Served>(object: &T, api: &mut ApiServer) -> Option<Result<(), ApiError>> {
    let current = T::table(api.store()).get(&in_namespace(object))?;
    let mut new = object.clone();
    *new.metadata_mut() = kept(current.metadata(), object.metadata());
    let updated = api.update(new);
    Some(updated.map(drop))
}

/// The current metadata with what a manifest may change.
fn kept(current: &ObjectMeta, asked: &ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        labels: asked.labels.clone(),
        annotations: asked.annotations.clone(),
        ..current.clone()
    }
}

/// The key of a manifest's object; a missing namespace is `default`.
fn in_namespace<T: Stored>(object: &T) -> Key {
    let key = Key::of(object.metadata());
    if !T::NAMESPACED {
        Key::new("", key.name())
    } else if key.namespace().is_empty() {
        Key::new("default", key.name())
    } else {
        key
    }
}

/// Deletes an object; `false` if there is none. The Pods of a node are removed with it.
pub(super) fn delete(key: &ObjectKey, api: &mut ApiServer) -> bool {
    let name = Key::new(&*key.namespace, &*key.name);
    match key.kind.as_str() {
        "Node" => remove_node(&key.name, api).is_ok(),
        kind => api.delete_object(kind, &name).is_ok(),
    }
}
