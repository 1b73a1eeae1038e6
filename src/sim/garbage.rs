//! The garbage collector: what belongs to an object that is gone goes as well.
//!
//! Mirrors background deletion (kube-controller-manager v1.34 `garbagecollector`), without its delay.

use super::server::ApiServer;
use super::store::{Change, Key, Store, Stored, uid_of};

/// Deletes what the deleted object controlled.
pub(super) fn collect(change: &Change, api: &mut ApiServer) {
    let (Some(gone), None) = (&change.before, &change.after) else {
        return;
    };
    let uid = uid_of(gone.metadata()).to_owned();
    delete_all::<k8s_openapi::api::apps::v1::ReplicaSet>(&uid, api);
    delete_all::<k8s_openapi::api::apps::v1::ControllerRevision>(&uid, api);
    delete_all::<k8s_openapi::api::batch::v1::Job>(&uid, api);
    delete_all::<k8s_openapi::api::core::v1::Pod>(&uid, api);
}

fn delete_all<T: Stored>(uid: &str, api: &mut ApiServer) {
    if uid.is_empty() {
        return;
    }
    let keys: Vec<Key> = keys::<T>(api.store(), uid);
    for key in keys {
        // It was there a moment ago.
        let _ = api.delete::<T>(&key);
    }
}

fn keys<T: Stored>(store: &Store, uid: &str) -> Vec<Key> {
    let dependents = T::table(store).controlled_by(uid);
    dependents
        .map(|dependent| Key::of(dependent.metadata()))
        .collect()
}
