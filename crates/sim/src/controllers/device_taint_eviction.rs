//! Evicts Pods that use devices with NoExecute taints, at once or when their claim's toleration expires
//! (`pkg/controller/devicetainteviction`, Kubernetes v1.36, feature gate DRADeviceTaints).
//!
//! A toleration counts from `timeAdded` of the taint, which the API server sets. As upstream, only tolerations that name
//! the effect NoExecute delay an eviction, and the earliest untolerated taint of all devices decides.
//! DeviceTaintRules are not served: their API is off by default.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::{
    Device, DeviceRequestAllocationResult, DeviceTaint, ResourceClaim, ResourceSlice,
};

use super::Controller;
use super::eviction::Texts;
use super::resource_claim::{claims_of, consumers, name_behind};
use crate::pod_util;
use crate::server::{ApiError, ApiServer, ms_of};
use crate::store::{BeforeAndAfter, Change, Key, Store, is_controlled_by, namespace_of, uid_of};
use crate::workqueue::WorkQueue;
use berth_protocol::due::DueKind;
use berth_scheduler::cluster::devices::{allocation_of, tolerates};

const NO_EXECUTE: &str = "NoExecute";

const TEXTS: Texts = Texts {
    event: "DeviceTaintManagerEviction",
    reason: "DeletionByDeviceTaintManager",
    message: "Device Taint manager: deleting due to NoExecute taint",
};

/// The controller. Its keys are Pods.
#[derive(Clone, Debug)]
pub struct DeviceTaintEvictionController {
    queue: WorkQueue,
    /// The uids of the Pods that wait for their eviction.
    waiting: BTreeMap<Key, String>,
}

impl DeviceTaintEvictionController {
    pub fn new(queue: WorkQueue) -> Self {
        Self {
            queue,
            waiting: BTreeMap::new(),
        }
    }

    fn observe_pod(&mut self, key: &Key, (before, after): BeforeAndAfter<'_, Pod>) {
        let Some(pod) = after else {
            self.waiting.remove(key);
            return;
        };
        let made = |pod: &Pod| {
            let status = pod.status.as_ref();
            status.and_then(|it| it.resource_claim_statuses.clone())
        };
        let is_same = before.is_some_and(|before| {
            pod_util::node_of(before) == pod_util::node_of(pod) && made(before) == made(pod)
        });
        if !is_same && claims_of(pod).next().is_some() {
            self.queue.add(key.clone());
        }
    }

    fn add_consumers(&mut self, claim: &ResourceClaim) {
        let namespace = namespace_of(&claim.metadata);
        for consumer in consumers(claim) {
            if consumer.resource == "pods" {
                self.queue.add(Key::new(namespace, &*consumer.name));
            }
        }
    }

    /// Enqueues the Pods that use devices of a changed slice's pool.
    fn observe_slice(&mut self, (before, after): BeforeAndAfter<'_, ResourceSlice>, cache: &Store) {
        let Some(slice) = after.or(before) else {
            return;
        };
        // A newer generation may hide the taints of other slices.
        let pool = || slices_of(cache, &slice.spec.driver, &slice.spec.pool.name);
        let mut known = pool().chain(before.map(|it| &**it));
        if !known.any(|it| it.spec.devices.iter().flatten().any(is_evicting)) {
            return;
        }
        for claim in cache.resource_claims.iter() {
            let mut devices = devices_of(claim);
            if devices.any(|it| it.driver == slice.spec.driver && it.pool == slice.spec.pool.name) {
                self.add_consumers(claim);
            }
        }
    }
}

impl Controller for DeviceTaintEvictionController {
    fn component(&self) -> &'static str {
        "device-taint-eviction-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, _now_ms: i64) {
        if let Some(pod) = change.of::<Pod>() {
            self.observe_pod(&change.key, pod);
        } else if let Some((before, after)) = change.of::<ResourceClaim>() {
            for claim in before.into_iter().chain(after) {
                self.add_consumers(claim);
            }
        } else if let Some(slices) = change.of::<ResourceSlice>() {
            self.observe_slice(slices, cache);
        }
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(pod) = cache.pods.get(key) else {
            self.waiting.remove(key);
            return Ok(());
        };
        let Some(due_ms) = eviction_of(pod, cache) else {
            if let Some(uid) = self.waiting.remove(key) {
                self.queue.call_off(key);
                api.event(TEXTS.event(key, &uid, "Cancelling deletion"));
            }
            return Ok(());
        };
        let now = api.now_ms();
        if due_ms > now {
            self.waiting
                .insert(key.clone(), uid_of(&pod.metadata).to_owned());
            self.queue
                .add_due(DueKind::Eviction, key.clone(), due_ms - now, now);
            return Ok(());
        }
        let stored = api.store().pods.get(key);
        if stored.is_some_and(|pod| !pod_util::is_terminating(pod)) {
            TEXTS.evict(key, "Marking for deletion".to_owned(), api)?;
        }
        self.waiting.remove(key);
        Ok(())
    }
}

/// When the Pod has to go, in milliseconds since the Unix epoch: the earliest time of all its claims.
fn eviction_of(pod: &Pod, cache: &Store) -> Option<i64> {
    if pod_util::node_of(pod).is_empty() {
        return None;
    }
    let namespace = namespace_of(&pod.metadata);
    let uid = uid_of(&pod.metadata);
    let used = claims_of(pod).filter_map(|of_pod| {
        let key = Key::new(namespace, name_behind(pod, of_pod)?);
        let claim = cache.resource_claims.get(&key)?;
        let is_own = of_pod.resource_claim_name.is_some()
            || is_controlled_by(&claim.metadata, &pod.metadata);
        let is_reserved = consumers(claim).iter().any(|it| it.uid == uid);
        (is_own && is_reserved).then_some(claim)
    });
    let due = used.flat_map(|claim| devices_of(claim).flat_map(|it| evictions(it, cache)));
    due.min()
}

/// For each taint of an allocated device that evicts: when.
fn evictions<'a>(
    allocated: &'a DeviceRequestAllocationResult,
    cache: &'a Store,
) -> impl Iterator<Item = i64> + 'a {
    let taints = device_of(allocated, cache).and_then(|it| it.taints.as_ref());
    let taints = taints.into_iter().flatten().filter(|it| evicts(it));
    taints.filter_map(|taint| {
        let added = ms_of(taint.time_added.as_ref()?);
        let tolerated = allocated
            .tolerations
            .iter()
            .flatten()
            .filter(|it| it.effect.as_deref() == Some(NO_EXECUTE) && tolerates(it, taint));
        let mut patience: Option<i64> = None;
        for toleration in tolerated {
            // Without a number of seconds it is tolerated forever.
            let seconds = toleration.toleration_seconds?.max(0);
            patience = Some(patience.map_or(seconds, |known| known.min(seconds)));
        }
        Some(added.saturating_add(patience.unwrap_or(0).saturating_mul(1000)))
    })
}

fn evicts(taint: &DeviceTaint) -> bool {
    taint.effect == NO_EXECUTE
}

fn is_evicting(device: &Device) -> bool {
    device.taints.iter().flatten().any(evicts)
}

fn devices_of(claim: &ResourceClaim) -> impl Iterator<Item = &DeviceRequestAllocationResult> {
    let devices = allocation_of(claim).and_then(|it| it.devices.as_ref());
    devices
        .and_then(|it| it.results.as_ref())
        .into_iter()
        .flatten()
}

fn slices_of<'a>(
    cache: &'a Store,
    driver: &'a str,
    pool: &'a str,
) -> impl Iterator<Item = &'a ResourceSlice> {
    let slices = cache.resource_slices.iter().map(AsRef::as_ref);
    slices.filter(move |it: &&ResourceSlice| it.spec.driver == driver && it.spec.pool.name == pool)
}

/// The device as its pool's newest generation publishes it.
fn device_of<'a>(
    allocated: &'a DeviceRequestAllocationResult,
    cache: &'a Store,
) -> Option<&'a Device> {
    let pool = || slices_of(cache, &allocated.driver, &allocated.pool);
    let newest = pool().map(|it| it.spec.pool.generation).max()?;
    let current = pool().filter(|it| it.spec.pool.generation == newest);
    let mut devices = current.flat_map(|it| it.spec.devices.iter().flatten());
    devices.find(|it| it.name == allocated.device)
}
