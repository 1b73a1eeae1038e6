//! HorizontalPodAutoscalers: set the replicas of a workload by its metrics (`pkg/controller/podautoscaler`,
//! Kubernetes v1.36).
//!
//! Each autoscaler is synced every 15 seconds, first 15 seconds after its creation. A change of it, its Pods or its
//! metrics does not bring a sync forward. Annotations stand in for the metrics APIs (`metrics`).

mod calculator;
mod conditions;
mod history;
mod limits;
mod metrics;
mod proposal;
mod requests;
mod sync;
mod target;
mod values;

use std::collections::BTreeMap;

use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;

use super::Controller;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;
use berth_protocol::due::DueKind;
use berth_scheduler::selector::compiled::Selector;

use history::History;

/// Time between two syncs of an autoscaler (`--horizontal-pod-autoscaler-sync-period`).
const SYNC_PERIOD_MS: i64 = 15_000;

/// The controller of HorizontalPodAutoscalers.
#[derive(Clone, Debug)]
pub struct PodAutoscalerController {
    queue: WorkQueue,
    /// Earlier recommendations and changes. Those of a deleted autoscaler are forgotten when its next sync is due.
    histories: BTreeMap<Key, History>,
    /// The selectors of the targets, to find Pods that several autoscalers scale; nothing before the first sync.
    selectors: BTreeMap<Key, Selector>,
}

impl PodAutoscalerController {
    pub fn new(queue: WorkQueue) -> Self {
        PodAutoscalerController {
            queue,
            histories: BTreeMap::new(),
            selectors: BTreeMap::new(),
        }
    }

    /// Adds the next sync, unless one is due earlier.
    fn sync_later(&mut self, key: &Key, now_ms: i64) {
        let key = key.clone();
        self.queue
            .add_due(DueKind::Sync, key, SYNC_PERIOD_MS, now_ms);
    }
}

impl Controller for PodAutoscalerController {
    fn component(&self) -> &'static str {
        "horizontal-pod-autoscaler"
    }

    fn observe(&mut self, change: &Change, _: &Store, now_ms: i64) {
        let Some((_, after)) = change.of::<HorizontalPodAutoscaler>() else {
            return;
        };
        if after.is_some() {
            self.sync_later(&change.key, now_ms);
            let selector = self.selectors.entry(change.key.clone());
            selector.or_insert(Selector::Nothing);
        } else {
            self.selectors.remove(&change.key);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    /// Failures are events and conditions of the autoscaler: the next try is the next sync.
    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(autoscaler) = cache.autoscalers.get(key) else {
            self.histories.remove(key);
            return Ok(());
        };
        let history = self.histories.entry(key.clone()).or_default();
        sync::Sync::new(autoscaler, cache, api, history, &mut self.selectors).run();
        self.sync_later(key, api.now_ms());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
