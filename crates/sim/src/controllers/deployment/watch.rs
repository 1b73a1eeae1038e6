//! Enqueues the Deployments that a change affects.

use std::borrow::Cow;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::controllers::claim::{matching_owners, resolve, resolve_reference};
use crate::store::{Change, Key, Store, controller_of, is_controlled_by};
use crate::workqueue::WorkQueue;

pub(super) fn observe(change: &Change, cache: &Store, queue: &mut WorkQueue) {
    if let Some((before, after)) = change.of::<Deployment>() {
        if let Some(deployment) = after.or(before) {
            queue.add(Key::of(&deployment.metadata));
        }
    } else if let Some((before, after)) = change.of::<ReplicaSet>() {
        observe_set(
            before.map(AsRef::as_ref),
            after.map(AsRef::as_ref),
            cache,
            queue,
        );
    } else if let Some((Some(pod), None)) = change.of::<Pod>() {
        pod_gone(pod, cache, queue);
    }
}

fn observe_set(
    before: Option<&ReplicaSet>,
    after: Option<&ReplicaSet>,
    cache: &Store,
    queue: &mut WorkQueue,
) {
    let Some(set) = after.or(before) else { return };
    let owner = controller_of(&set.metadata);
    let old = before.and_then(|before| controller_of(&before.metadata));
    if let Some(old) = old.filter(|old| owner != Some(*old))
        && let Some(deployment) = resolve_reference::<Deployment>(cache, &set.metadata, old)
    {
        queue.add(Key::of(&deployment.metadata));
    }
    if owner.is_some() {
        if let Some(deployment) = resolve::<Deployment>(cache, &set.metadata) {
            queue.add(Key::of(&deployment.metadata));
        }
        return;
    }
    let relabeled = before.is_none_or(|before| before.metadata.labels != set.metadata.labels);
    if after.is_some() && (relabeled || old.is_some()) {
        for key in matching_owners::<Deployment>(cache, &set.metadata, |it| {
            selector(it).map(Cow::Borrowed)
        }) {
            queue.add(key);
        }
    }
}

fn selector(deployment: &Deployment) -> Option<&LabelSelector> {
    deployment.spec.as_ref().map(|spec| &spec.selector)
}

/// Enqueues a `Recreate` Deployment when the last of its Pods is gone.
fn pod_gone(pod: &Pod, cache: &Store, queue: &mut WorkQueue) {
    let set = resolve::<ReplicaSet>(cache, &pod.metadata);
    let deployment = set.and_then(|set| resolve::<Deployment>(cache, &set.metadata));
    let Some(deployment) = deployment else { return };
    let strategy = deployment
        .spec
        .as_ref()
        .and_then(|spec| spec.strategy.as_ref());
    if strategy.is_none_or(|strategy| strategy.type_.as_deref() != Some("Recreate")) {
        return;
    }
    let has_pods = |set: &ReplicaSet| {
        let uid = set.metadata.uid.as_deref().unwrap_or_default();
        cache.pods.controlled_by(uid).next().is_some()
    };
    let mut own = cache
        .replica_sets
        .iter()
        .filter(|set| is_controlled_by(&set.metadata, &deployment.metadata));
    if !own.any(|set| has_pods(set)) {
        queue.add(Key::of(&deployment.metadata));
    }
}
