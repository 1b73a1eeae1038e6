//! What is done beside the controllers: policies of admission, and the binding of volumes.

use k8s_openapi::api::core::v1::{
    LimitRange, PersistentVolume, PersistentVolumeClaim, ResourceQuota,
};
use k8s_openapi::api::scheduling::v1::PriorityClass;

use crate::api::controllers::volumes::{PodVolumes, bind_claims_of_pod, bind_volumes};
use crate::api::object::Object as Manifest;
use crate::sim::server::ApiServer;
use crate::sim::store::{Change, Key, Object, Stored};

/// Whether admission of Pods asks about the object.
pub(super) fn is_policy(change: &Change) -> bool {
    change.of::<PriorityClass>().is_some()
        || change.of::<LimitRange>().is_some()
        || change.of::<ResourceQuota>().is_some()
}

/// Whether the change may let a claim be bound.
pub(super) fn is_about_volumes(change: &Change) -> bool {
    matches!(
        change.object(),
        Some(
            Object::PersistentVolume(_)
                | Object::PersistentVolumeClaim(_)
                | Object::StorageClass(_)
        )
    )
}

/// Hands admission what it asks about.
pub(super) fn set_policies(api: &mut ApiServer) {
    let store = api.store();
    let classes = store.priority_classes.iter();
    let mut policies: Vec<Manifest> = classes
        .map(|it| Manifest::PriorityClass(Box::new((**it).clone())))
        .collect();
    let ranges = store.limit_ranges.iter();
    policies.extend(ranges.map(|it| Manifest::LimitRange(Box::new((**it).clone()))));
    let quotas = store.resource_quotas.iter();
    policies.extend(quotas.map(|it| Manifest::ResourceQuota(Box::new((**it).clone()))));
    api.set_policies(policies);
}

/// Binds the claims that need no Pod for it.
pub(super) fn bind_what_can_be(api: &mut ApiServer) {
    let store = api.store();
    let mut volumes: Vec<PersistentVolume> = copies(store.volumes.iter());
    let mut claims: Vec<PersistentVolumeClaim> = copies(store.claims.iter());
    let classes: Vec<_> = copies(store.storage_classes.iter());
    bind_volumes(&mut volumes, &mut claims, &classes);
    write_all(volumes, api);
    write_all(claims, api);
}

/// Binds the claims of a Pod as the scheduler decided; those to be provisioned get a new volume.
pub(super) fn bind_claims(pod: &Key, decided: &PodVolumes, api: &mut ApiServer) {
    let store = api.store();
    let wanted = |key: &str| {
        let key = Key::new(&*pod.namespace, key.split_once('/').map_or("", |it| it.1));
        store.claims.get(&key).map(|claim| (**claim).clone())
    };
    let named = decided.bindings.iter().map(|(claim, _)| claim);
    let named = named.chain(&decided.provisions);
    let mut claims: Vec<PersistentVolumeClaim> = named.filter_map(|key| wanted(key)).collect();
    let volumes = decided.bindings.iter();
    let volumes =
        volumes.filter_map(|(_, volume)| store.volumes.get(&Key::new("", volume.as_str())));
    let mut volumes: Vec<PersistentVolume> = copies(volumes);
    let classes: Vec<_> = copies(store.storage_classes.iter());
    bind_claims_of_pod(decided, &mut volumes, &mut claims, &classes);
    for volume in volumes {
        if api
            .store()
            .volumes
            .get(&Key::of(&volume.metadata))
            .is_none()
        {
            // There was none a moment ago.
            let _ = api.create(volume);
        } else {
            write_all(vec![volume], api);
        }
    }
    write_all(claims, api);
}

fn copies<'a, T: Clone + 'a>(all: impl Iterator<Item = &'a std::sync::Arc<T>>) -> Vec<T> {
    all.map(|object| (**object).clone()).collect()
}

/// Writes objects that were read a moment ago; those that are the same stay as they are.
fn write_all<T: Stored>(objects: Vec<T>, api: &mut ApiServer) {
    for object in objects {
        let status = object.clone();
        if let Ok(updated) = api.update(object) {
            let mut written = (*updated).clone();
            written.take_status(&status);
            let _ = api.update_status(&written);
        }
    }
}
