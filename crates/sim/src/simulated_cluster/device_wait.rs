//! PreBind of DynamicResources waits until the binding conditions of a Pod's devices hold
//! (`dynamicresources.go`, Kubernetes v1.36): it looks every five seconds, and gives up after `bindingTimeout`.
//!
//! Drivers set the conditions. There are none here: patch the claim's status in their place.

#[cfg(test)]
mod tests;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::audit_log::{Event, Level};
use crate::server::{ApiServer, time_at};
use crate::store::{Key, uid_of};
use berth_scheduler::cluster::devices::{
    BINDING_TIMEOUT, EXTENDED_RESOURCES, Readiness, binding_deadline, binding_failed, readiness,
    unreserve,
};
use berth_scheduler::framework::plugin::AwaitedDevices;

const INTERVAL_MS: i64 = 5_000;

/// A Pod's wait for its devices.
#[derive(Clone, Debug)]
pub(super) struct DeviceWait {
    claims: Vec<Key>,
    since_ms: i64,
    timeout_ms: i64,
}

/// What PreBind sees when it looks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    Ready,
    Waiting,
    Failed(String),
}

impl DeviceWait {
    pub fn new(awaited: &AwaitedDevices, since_ms: i64) -> Self {
        let claims = awaited
            .claims
            .iter()
            .map(|(namespace, name)| Key::new(namespace.as_str(), name.as_str()));
        Self {
            claims: claims.collect(),
            since_ms,
            timeout_ms: awaited.timeout_ms,
        }
    }

    /// What PreBind sees now; between two looks it waits.
    pub fn look(&self, api: &ApiServer) -> Look {
        let waited_ms = api.now_ms().saturating_sub(self.since_ms);
        if waited_ms >= self.timeout_ms {
            return Look::Failed(BINDING_TIMEOUT.to_owned());
        }
        match waited_ms.checked_rem(INTERVAL_MS) {
            Some(0) => self.state(api, api.now_ms()),
            _ => Look::Waiting,
        }
    }

    /// When PreBind next sees something else than it does now, unless the claims change.
    pub fn next_due_ms(&self, api: &ApiServer) -> i64 {
        let now_ms = api.now_ms();
        let end_ms = self.since_ms.saturating_add(self.timeout_ms);
        let decided_ms = match self.state(api, now_ms) {
            // It was looked at in this moment, if it was time.
            Look::Ready | Look::Failed(_) => now_ms.saturating_add(1),
            Look::Waiting => self.expiry_ms(api).unwrap_or(end_ms),
        };
        let waited_ms = decided_ms.saturating_sub(self.since_ms).max(1);
        let looks = (waited_ms.saturating_add(INTERVAL_MS - 1)).div_euclid(INTERVAL_MS);
        let next_ms = self
            .since_ms
            .saturating_add(looks.saturating_mul(INTERVAL_MS));
        next_ms.min(end_ms)
    }

    /// `isPodReadyForBinding`: the first claim that is not ready decides.
    fn state(&self, api: &ApiServer, now_ms: i64) -> Look {
        for key in &self.claims {
            let Some(claim) = api.store().resource_claims.get(key) else {
                return Look::Failed(format!("could not find ResourceClaim \"{key}\""));
            };
            match readiness(claim) {
                Readiness::Ready => {}
                Readiness::Failed { reason, message } => {
                    return Look::Failed(binding_failed(claim, &reason, &message));
                }
                Readiness::Waiting => {
                    let expiry = expiry_ms(claim, self.timeout_ms);
                    return match expiry.is_some_and(|expiry| expiry <= now_ms) {
                        true => Look::Failed(format!("claim {} binding timeout", key.name())),
                        false => Look::Waiting,
                    };
                }
            }
        }
        Look::Ready
    }

    /// When the first claim that is not ready has had its time.
    fn expiry_ms(&self, api: &ApiServer) -> Option<i64> {
        let claims = self
            .claims
            .iter()
            .filter_map(|key| api.store().resource_claims.get(key));
        let mut waiting = claims.filter(|claim| readiness(claim) == Readiness::Waiting);
        expiry_ms(waiting.next()?, self.timeout_ms)
    }

    /// Removes the Pod's reservations (Unreserve). The allocations stay; a claim that the scheduler made for
    /// extended resources is deleted.
    pub fn unreserve(&self, pod: &Pod, api: &mut ApiServer) {
        let uid = uid_of(&pod.metadata);
        for key in &self.claims {
            let Some(claim) = api.store().resource_claims.get(key).cloned() else {
                continue;
            };
            let mut free = (*claim).clone();
            unreserve(&mut free, uid);
            // Cannot conflict: the claim was just read.
            let _ = api.update_status(&free);
            let annotations = claim.metadata.annotations.as_ref();
            if annotations.is_some_and(|it| it.contains_key(EXTENDED_RESOURCES)) {
                let _ = api.delete::<ResourceClaim>(key);
            }
        }
    }
}

/// The first moment after the claim's time, in milliseconds of virtual time.
fn expiry_ms(claim: &ResourceClaim, timeout_ms: i64) -> Option<i64> {
    let epoch_ms = time_at(0).0.as_millisecond();
    let deadline = binding_deadline(claim, timeout_ms)?;
    Some(deadline.saturating_sub(epoch_ms).saturating_add(1))
}

/// The event of a Pod whose devices PreBind waits for.
pub(super) fn pending_event(pod: &Pod, node: &str, profile: String) -> Event {
    let text = format!("waiting for binding conditions for device on node {node}");
    Event::scheduling(
        pod,
        Level::Normal,
        "BindingConditionsPending",
        text,
        profile,
    )
}
