//! PodDisruptionBudgets: count healthy Pods and allowed disruptions (`pkg/controller/disruption`, Kubernetes v1.34).
//!
//! The counts of a budget are updated incrementally: a change costs at most one step per budget of its namespace, and
//! a sync one step per controller of the budget's Pods.

mod members;
mod scale;
pub mod stale;
mod status;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::Controller;
use crate::audit_log::{Event, Level};
use crate::server::{ApiError, ApiServer};
use crate::store::{BeforeAndAfter, Change, Key, Store, namespace_of};
use crate::workqueue::WorkQueue;

use members::Members;

/// An evicted Pod that still exists after this time is no longer expected to be deleted.
const DELETION_TIMEOUT_MS: i64 = 120_000;

/// The controller of PodDisruptionBudgets.
#[derive(Clone, Debug)]
pub struct DisruptionController {
    queue: WorkQueue,
    /// The Pods of each budget.
    members: BTreeMap<Key, Members>,
    /// Pods that were just observed to match several budgets.
    ambiguous: BTreeSet<Key>,
}

impl DisruptionController {
    pub fn new(queue: WorkQueue) -> Self {
        DisruptionController {
            queue,
            members: BTreeMap::new(),
            ambiguous: BTreeSet::new(),
        }
    }

    fn observe_budget(
        &mut self,
        (before, after): BeforeAndAfter<'_, PodDisruptionBudget>,
        cache: &Store,
    ) {
        let Some(budget) = after.or(before) else {
            return;
        };
        let key = Key::of(&budget.metadata);
        self.queue.add(key.clone());
        if after.is_none() {
            self.members.remove(&key);
            return;
        }
        let was = before.and_then(|before| selector_of(before));
        if before.is_some() && was == selector_of(budget) {
            return;
        }
        let mut members = Members::new(selector_of(budget).cloned());
        for pod in cache.pods.of_namespace(key.namespace()) {
            if members.selects(pod) {
                members.put(pod);
            }
        }
        self.members.insert(key, members);
    }

    /// Enqueues each budget that selects the Pod, or did. (The real controller enqueues one at random, so each is
    /// synced eventually.)
    fn observe_pod(&mut self, (before, after): BeforeAndAfter<'_, Pod>) {
        let Some(pod) = after.or(before) else { return };
        let namespace = namespace_of(&pod.metadata);
        let mut count = 0;
        for (key, members) in self.members.range_mut(Key::new(namespace, "")..) {
            if key.namespace() != namespace {
                break;
            }
            let selected = after.filter(|after| members.selects(after));
            let was = members.remove(pod);
            if let Some(after) = selected {
                members.put(after);
                count += 1;
            }
            if was || selected.is_some() {
                self.queue.add(key.clone());
            }
        }
        if count > 1 {
            self.ambiguous.insert(Key::of(&pod.metadata));
        }
    }

    fn record_ambiguous(&mut self, cache: &Store, api: &mut ApiServer) {
        for key in std::mem::take(&mut self.ambiguous) {
            let Some(pod) = cache.pods.get(&key) else {
                continue;
            };
            let mut budgets = self
                .members
                .range(Key::new(key.namespace(), "")..)
                .take_while(|(it, _)| it.namespace() == key.namespace());
            let Some((first, _)) = budgets.find(|(_, members)| members.selects(pod)) else {
                continue;
            };
            let message = format!(
                "Pod {:?}/{:?} matches multiple PodDisruptionBudgets.  Chose {:?} arbitrarily.",
                key.namespace(),
                key.name(),
                first.name()
            );
            let reason = "MultiplePodDisruptionBudgets";
            api.event(Event::new(&**pod, Level::Warning, reason, message));
        }
    }
}

impl Controller for DisruptionController {
    fn component(&self) -> &'static str {
        "controllermanager"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some(budget) = change.of::<PodDisruptionBudget>() {
            self.observe_budget(budget, cache);
        } else if let Some(pod) = change.of::<Pod>() {
            self.observe_pod(pod);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        self.record_ambiguous(cache, api);
        let budget = cache.budgets.get(key);
        let Some((budget, members)) = budget.zip(self.members.get(key)) else {
            return Ok(());
        };
        let recheck_ms = status::sync(budget, members, cache, api)?;
        if let Some(at_ms) = recheck_ms {
            let now = api.now_ms();
            self.queue.add_after(key.clone(), at_ms - now, now);
        }
        Ok(())
    }
}

fn selector_of(budget: &PodDisruptionBudget) -> Option<&LabelSelector> {
    budget.spec.as_ref()?.selector.as_ref()
}

#[cfg(test)]
mod tests;
