//! ReplicaSets and ReplicationControllers: keep the desired number of Pods (`pkg/controller/replicaset` and
//! `pkg/controller/replication`, Kubernetes v1.34).
//!
//! As upstream, one controller serves both kinds: a ReplicationController is read as a ReplicaSet.

mod replication;
mod status;
mod victims;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::Metadata;
use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetStatus};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::Controller;
use super::claim::{claim, selects};
use super::owned_pods::{PodOwner, observe_pod};
use super::template::{create_pod, delete_pod, pod_of};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, Stored, controller_of, uid_of};
use crate::strategy::Served;
use crate::workqueue::WorkQueue;

/// The maximum number of Pods created or deleted in one sync.
const BURST: usize = 500;

/// A kind that this controller serves.
pub trait Replicated: Served {
    /// The component name in its events.
    const COMPONENT: &'static str;

    /// The object as a ReplicaSet.
    fn as_set(&self) -> Cow<'_, ReplicaSet>;

    /// A copy with the status of that ReplicaSet.
    fn with_status(&self, status: ReplicaSetStatus) -> Self;
}

impl Replicated for ReplicaSet {
    const COMPONENT: &'static str = "replicaset-controller";

    fn as_set(&self) -> Cow<'_, ReplicaSet> {
        Cow::Borrowed(self)
    }

    fn with_status(&self, status: ReplicaSetStatus) -> Self {
        ReplicaSet {
            status: Some(status),
            ..self.clone()
        }
    }
}

/// The controller of the objects of one kind.
#[derive(Clone, Debug)]
pub struct ReplicaController<O> {
    queue: WorkQueue,
    kind: PhantomData<O>,
}

impl<O> ReplicaController<O> {
    pub fn new(queue: WorkQueue) -> Self {
        ReplicaController {
            queue,
            kind: PhantomData,
        }
    }
}

impl<O: Replicated + PodOwner> Controller for ReplicaController<O> {
    fn component(&self) -> &'static str {
        O::COMPONENT
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        if let Some((before, after)) = change.of::<O>() {
            if let Some(set) = after.or(before) {
                self.queue.add(Key::of(set.metadata()));
            }
        } else if let Some((before, after)) = change.of::<Pod>() {
            let after = after.map(AsRef::as_ref);
            // A terminating Pod is handled like a deleted one.
            let (before, after) = match (before, after) {
                (Some(_), Some(pod)) if pod_util::is_terminating(pod) => (Some(pod), None),
                (before, after) => (before.map(AsRef::as_ref), after),
            };
            observe_pod::<O>(before, after, cache, &mut self.queue, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(owner) = O::table(cache).get(key) else {
            return Ok(());
        };
        let Some(selector) = owner.selector() else {
            return Ok(());
        };
        let set = owner.as_set();
        let candidates = cache.pods.claimable(&set.metadata);
        let terminating = candidates
            .iter()
            .filter(|pod| {
                controller_of(&pod.metadata).is_some_and(|owner| owner.uid == uid_of(&set.metadata))
                    && pod_util::is_terminating(pod)
                    && !pod_util::is_finished(pod)
            })
            .count();
        let active = candidates
            .into_iter()
            .filter(|pod| pod_util::is_active(pod));
        let active = claim(&**owner, &selector, active.collect(), api)?;
        let managed = if set.metadata.deletion_timestamp.is_none() {
            manage(&**owner, &set, &active, cache, api)
        } else {
            Ok(())
        };
        let status = status::update(
            &**owner,
            &set,
            (&active, terminating),
            managed.as_ref().err(),
            api,
        )?;
        let wait = set.min_ready_seconds();
        let reached = status.ready_replicas.unwrap_or(0) == replicas(&set)
            && status.available_replicas.unwrap_or(0) != replicas(&set);
        if api.release().rules().controllers.wakes_when_available {
            let pods = active.iter().map(AsRef::as_ref);
            let due = pod_util::next_available_in_ms(pods, wait, api.now_ms());
            if let (Ok(()), Some(delay)) = (&managed, due) {
                self.queue.add_after(key.clone(), delay, api.now_ms());
            }
        } else if managed.is_ok() && wait > 0 && reached {
            let delay = i64::from(wait) * 1_000;
            self.queue.add_after(key.clone(), delay, api.now_ms());
        }
        managed
    }
}

/// Creates missing Pods or deletes surplus ones.
fn manage<O: Stored>(
    owner: &O,
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
            create_pod(owner, pod_of(owner, template), api)?;
        }
        return Ok(());
    }
    let surplus = (active.len() - wanted).min(BURST);
    if surplus > 0 {
        let related = related_pods(set, cache);
        for pod in victims::choose(active, &related, surplus, api.now_ms()) {
            delete_pod(owner, &pod, api)?;
        }
    }
    Ok(())
}

/// The Pods that ReplicaSets of the same owner select, for ranking by Pods per node.
fn related_pods<'a>(set: &'a ReplicaSet, cache: &'a Store) -> Vec<&'a Arc<Pod>> {
    let Some(owner) = controller_of(&set.metadata) else {
        return Vec::new();
    };
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let siblings: Vec<&LabelSelector> = cache
        .replica_sets
        .controlled_by(&owner.uid)
        .filter_map(|sibling| sibling.spec.as_ref().map(|spec| &spec.selector))
        .collect();
    let pods = cache.pods.of_namespace(namespace);
    let related = pods.filter(|pod| {
        let labels = pod.metadata().labels.as_ref();
        siblings.iter().any(|selector| selects(selector, labels))
    });
    related.collect()
}

/// `spec.replicas`, 1 if absent.
pub(super) fn replicas(set: &ReplicaSet) -> i32 {
    set.spec
        .as_ref()
        .and_then(|spec| spec.replicas)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests;
