//! StatefulSets: numbered Pods with stable names, their own claims, and an order (`pkg/controller/statefulset`,
//! Kubernetes v1.34).

mod history;
mod identity;
mod replicas;
mod retention;
mod status;
mod update;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, StatefulSet, StatefulSetSpec, StatefulSetStatus,
};
use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};

use super::Controller;
use super::claim::claim;
use super::owned_pods::{PodOwner, observe_pod};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of};
use crate::workqueue::WorkQueue;

use history::Revisions;

/// The controller of StatefulSets.
#[derive(Clone, Debug)]
pub struct StatefulSetController {
    queue: WorkQueue,
    /// When the real controller would next sync sets for which nothing is scheduled here.
    looks: BTreeMap<Key, i64>,
}

impl StatefulSetController {
    pub fn new(queue: WorkQueue) -> Self {
        StatefulSetController {
            queue,
            looks: BTreeMap::new(),
        }
    }

    /// Schedules the next check for available Pods. The real controller syncs every `minReadySeconds` until all
    /// replicas are available. While no Pod is ready but unavailable, that has no effect, so nothing is scheduled.
    /// The time of the real controller's sync is kept, since it determines when the next Pod is found to be
    /// available.
    fn look_again(
        &mut self,
        key: &Key,
        status: &StatefulSetStatus,
        wanted: i32,
        wait_ms: i64,
        now_ms: i64,
    ) {
        let kept = self.looks.remove(key);
        let available = status.available_replicas.unwrap_or(0);
        if wait_ms <= 0 || available == wanted {
            return;
        }
        let due = kept.map_or(i64::MAX, |at| {
            let missed = now_ms.saturating_sub(at).div_euclid(wait_ms) + 1;
            at.saturating_add(missed.max(0).saturating_mul(wait_ms))
        });
        let due = due.min(now_ms.saturating_add(wait_ms));
        if available < status.ready_replicas.unwrap_or(0) {
            self.queue.add_after(key.clone(), due - now_ms, now_ms);
        } else if !self.queue.is_delayed(key) {
            self.looks.insert(key.clone(), due);
        }
    }
}

impl Controller for StatefulSetController {
    fn component(&self) -> &'static str {
        "statefulset-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        if let Some((before, after)) = change.of::<StatefulSet>() {
            if let Some(set) = after.or(before) {
                self.queue.add(Key::of(&set.metadata));
            }
        } else if let Some((before, after)) = change.of::<Pod>() {
            let (before, after) = (before.map(AsRef::as_ref), after.map(AsRef::as_ref));
            observe_pod::<StatefulSet>(before, after, cache, &mut self.queue, now_ms);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(set) = cache.stateful_sets.get(key) else {
            self.looks.remove(key);
            return Ok(());
        };
        let Some(spec) = set.spec.clone() else {
            return Ok(());
        };
        let candidates = cache.pods.claimable(&set.metadata).into_iter();
        let members = candidates.filter(|pod| identity::is_member(set, pod));
        let own = claim(&**set, &spec.selector, members.collect(), api)?;
        let candidates = cache.controller_revisions.claimable(&set.metadata);
        let known = claim(&**set, &spec.selector, candidates, api)?;
        let revisions = history::revisions(set, &spec, &known, api)?;
        let mut sync = Sync {
            set,
            spec,
            revisions,
            api,
        };
        let status = sync.run(&own)?;
        let wanted = sync.replicas();
        let surplus = history::surplus(&sync, &own, &known);
        for key in surplus {
            api.delete::<ControllerRevision>(&key)?;
        }
        if api.release().rules().controllers.wakes_when_available {
            let pods = own.iter().map(AsRef::as_ref);
            let wait = set.min_ready_seconds();
            if let Some(due) = pod_util::next_available_in_ms(pods, wait, api.now_ms()) {
                self.queue.add_after(key.clone(), due, api.now_ms());
            }
            return Ok(());
        }
        let wait_ms = i64::from(set.min_ready_seconds()) * 1_000;
        self.look_again(key, &status, wanted, wait_ms, api.now_ms());
        Ok(())
    }
}

/// One sync of a StatefulSet.
struct Sync<'a> {
    set: &'a Arc<StatefulSet>,
    spec: StatefulSetSpec,
    revisions: Revisions,
    api: &'a mut ApiServer,
}

impl Sync<'_> {
    /// `spec.replicas`, 1 if absent.
    fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1)
    }

    /// The first ordinal.
    fn start(&self) -> i32 {
        let ordinals = self.spec.ordinals.as_ref();
        ordinals.and_then(|ordinals| ordinals.start).unwrap_or(0)
    }

    /// Whether Pods are created and deleted one after the other.
    fn is_ordered(&self) -> bool {
        self.spec.pod_management_policy.as_deref() != Some("Parallel")
    }

    fn is_rolling_update(&self) -> bool {
        let strategy = self.spec.update_strategy.as_ref();
        let kind = strategy.and_then(|strategy| strategy.type_.as_deref());
        kind.unwrap_or("RollingUpdate") == "RollingUpdate"
    }

    /// Pods with lower ordinals keep the current revision.
    fn partition(&self) -> i32 {
        let strategy = self.spec.update_strategy.as_ref();
        let rolling = strategy.and_then(|strategy| strategy.rolling_update.as_ref());
        rolling.and_then(|rolling| rolling.partition).unwrap_or(0)
    }

    fn is_available(&self, pod: &Pod) -> bool {
        let wait = self.spec.min_ready_seconds.unwrap_or(0);
        pod_util::is_running_and_ready(pod) && pod_util::is_available(pod, wait, self.api.now_ms())
    }

    fn event(&mut self, level: Level, reason: impl Into<Cow<'static, str>>, message: String) {
        self.api
            .event(Event::new(&**self.set, level, reason, message));
    }

    /// Deletes a Pod and records an event.
    fn delete(&mut self, pod: &Pod) -> Result<(), ApiError> {
        let key = Key::of(&pod.metadata);
        match self.api.delete::<Pod>(&key) {
            Err(ApiError::NotFound { .. }) => Ok(()),
            outcome => {
                self.record_outcome("Delete", key.name(), outcome.as_ref().err());
                outcome
            }
        }
    }

    /// Records an event such as `create Pod web-0 in StatefulSet web successful`.
    /// A verb at the beginning of an event, as the release writes it.
    fn verb(&self, noun: &str) -> String {
        let rules = self.api.release().rules();
        match rules.controllers.capital_stateful_events {
            true => noun.to_owned(),
            false => noun.to_lowercase(),
        }
    }

    fn record_outcome(&mut self, noun: &str, pod: &str, failure: Option<&ApiError>) {
        let set = name_of(&self.set.metadata);
        let verb = self.verb(noun);
        match failure {
            None => {
                let message = format!("{verb} Pod {pod} in StatefulSet {set} successful");
                self.event(Level::Normal, format!("Successful{noun}"), message);
            }
            Some(error) => {
                let message =
                    format!("{verb} Pod {pod} in StatefulSet {set} failed error: {error}");
                self.event(Level::Warning, format!("Failed{noun}"), message);
            }
        }
    }
}

/// A revision with its template.
#[derive(Clone, Debug)]
struct Version {
    revision: Arc<ControllerRevision>,
    template: PodTemplateSpec,
}

impl Version {
    fn name(&self) -> &str {
        name_of(&self.revision.metadata)
    }
}

#[cfg(test)]
mod tests;
