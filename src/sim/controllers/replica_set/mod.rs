//! ReplicaSets: as many alike Pods as asked for (`pkg/controller/replicaset`, Kubernetes v1.34).

mod status;
mod victims;

use std::sync::Arc;

use k8s_openapi::Metadata;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};

use super::Controller;
use super::claim::{claim, resolve, resolve_reference, selects, suitors};
use super::template::{create_pod, delete_pod, pod_of};
use crate::sim::pod_util;
use crate::sim::server::{ApiError, ApiServer};
use crate::sim::store::{Change, Key, Store, controller_of};
use crate::sim::workqueue::WorkQueue;

/// Pods created or deleted in one sync.
const BURST: usize = 500;

/// The controller of ReplicaSets.
#[derive(Clone, Debug)]
pub struct ReplicaSetController {
    queue: WorkQueue,
}

impl ReplicaSetController {
    pub fn new(queue: WorkQueue) -> Self {
        ReplicaSetController { queue }
    }

    fn observe_pod(
        &mut self,
        before: Option<&Arc<Pod>>,
        after: Option<&Arc<Pod>>,
        cache: &Store,
        now_ms: i64,
    ) {
        match (before, after) {
            (Some(before), Some(after)) if !pod_util::is_terminating(after) => {
                self.pod_updated(before, after, cache, now_ms);
            }
            (Some(_), Some(pod)) | (Some(pod), None) => self.enqueue_owner(pod, cache),
            (None, Some(pod)) if controller_of(&pod.metadata).is_some() => {
                self.enqueue_owner(pod, cache);
            }
            (None, Some(pod)) => self.enqueue_suitors(pod, cache),
            (None, None) => {}
        }
    }

    fn pod_updated(&mut self, before: &Pod, after: &Pod, cache: &Store, now_ms: i64) {
        let (old, new) = (
            controller_of(&before.metadata),
            controller_of(&after.metadata),
        );
        if old != new
            && let Some(old) = old
            && let Some(set) = owner(cache, before, old)
        {
            self.queue.add(Key::of(&set.metadata));
        }
        if new.is_none() {
            if old.is_some() || before.metadata.labels != after.metadata.labels {
                self.enqueue_suitors(after, cache);
            }
            return;
        }
        let Some(set) = resolve::<ReplicaSet>(cache, &after.metadata) else {
            return;
        };
        let key = Key::of(&set.metadata);
        self.queue.add(key.clone());
        let wait = min_ready_seconds(set);
        if wait > 0 && !pod_util::is_ready(before) && pod_util::is_ready(after) {
            // A second more, for clocks that differ.
            let delay = (i64::from(wait) + 1) * 1_000;
            self.queue.add_after(key, delay, now_ms);
        }
    }

    fn enqueue_owner(&mut self, pod: &Pod, cache: &Store) {
        if let Some(set) = resolve::<ReplicaSet>(cache, &pod.metadata) {
            self.queue.add(Key::of(&set.metadata));
        }
    }

    fn enqueue_suitors(&mut self, pod: &Pod, cache: &Store) {
        for key in suitors(cache, &pod.metadata, selector) {
            self.queue.add(key);
        }
    }
}

impl Controller for ReplicaSetController {
    fn component(&self) -> &'static str {
        "replicaset-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        if let Some((before, after)) = change.of::<ReplicaSet>() {
            if let Some(set) = after.or(before) {
                self.queue.add(Key::of(&set.metadata));
            }
        } else if let Some((before, after)) = change.of::<Pod>() {
            self.observe_pod(before, after, cache, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(set) = cache.replica_sets.get(key) else {
            return Ok(());
        };
        let Some(selector) = selector(set) else {
            return Ok(());
        };
        let candidates = cache.pods.claimable(&set.metadata);
        let active = candidates
            .into_iter()
            .filter(|pod| pod_util::is_active(pod));
        let active = claim(&**set, selector, active.collect(), api)?;
        let managed = if set.metadata.deletion_timestamp.is_none() {
            manage(set, &active, cache, api)
        } else {
            Ok(())
        };
        let set = status::update(set, &active, managed.as_ref().err(), api)?;
        let wait = min_ready_seconds(&set);
        let reached = set.status.as_ref().is_some_and(|status| {
            status.ready_replicas.unwrap_or(0) == replicas(&set)
                && status.available_replicas.unwrap_or(0) != replicas(&set)
        });
        if managed.is_ok() && wait > 0 && reached {
            let delay = i64::from(wait) * 1_000;
            self.queue.add_after(key.clone(), delay, api.now_ms());
        }
        managed
    }
}

/// Creates the Pods that are missing, or deletes those too many.
fn manage(
    set: &ReplicaSet,
    active: &[Arc<Pod>],
    cache: &Store,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let wanted = usize::try_from(replicas(set)).unwrap_or(0);
    let template = set.spec.as_ref().and_then(|spec| spec.template.as_ref());
    if active.len() < wanted {
        let Some(template) = template else {
            return Ok(());
        };
        for _ in 0..(wanted - active.len()).min(BURST) {
            create_pod(set, pod_of(set, template), api)?;
        }
        return Ok(());
    }
    let surplus = (active.len() - wanted).min(BURST);
    if surplus > 0 {
        let related = related_pods(set, cache);
        for pod in victims::choose(active, &related, surplus, api.now_ms()) {
            delete_pod(set, &pod, api)?;
        }
    }
    Ok(())
}

/// The Pods that ReplicaSets of the same owner select: where several are on a node, one goes first.
fn related_pods<'a>(set: &'a ReplicaSet, cache: &'a Store) -> Vec<&'a Arc<Pod>> {
    let Some(owner) = controller_of(&set.metadata) else {
        return Vec::new();
    };
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let siblings: Vec<&LabelSelector> = cache
        .replica_sets
        .controlled_by(&owner.uid)
        .filter_map(|sibling| selector(sibling))
        .collect();
    let pods = cache.pods.of_namespace(namespace);
    let related = pods.filter(|pod| {
        let labels = pod.metadata().labels.as_ref();
        siblings.iter().any(|selector| selects(selector, labels))
    });
    related.collect()
}

fn owner<'a>(
    cache: &'a Store,
    pod: &Pod,
    reference: &OwnerReference,
) -> Option<&'a Arc<ReplicaSet>> {
    resolve_reference(cache, &pod.metadata, reference)
}

fn selector(set: &ReplicaSet) -> Option<&LabelSelector> {
    set.spec.as_ref().map(|spec| &spec.selector)
}

/// `spec.replicas`, 1 if absent.
pub(super) fn replicas(set: &ReplicaSet) -> i32 {
    set.spec
        .as_ref()
        .and_then(|spec| spec.replicas)
        .unwrap_or(1)
}

fn min_ready_seconds(set: &ReplicaSet) -> i32 {
    let spec = set.spec.as_ref();
    spec.and_then(|spec| spec.min_ready_seconds).unwrap_or(0)
}

#[cfg(test)]
mod tests;
