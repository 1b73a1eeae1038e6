//! Binding conditions: what must hold of allocated devices before their Pod is bound (feature gate
//! DRADeviceBindingConditions). Drivers report them in `status.devices` of the claim.

use k8s_openapi::api::resource::v1::{
    AllocatedDeviceStatus, DeviceRequestAllocationResult, ResourceClaim,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

use super::allocation_of;
use crate::field::quote;

/// Whether the Pod may be bound, as far as a claim is concerned (`isClaimReadyForBinding`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Waiting,
    /// A failure condition is true.
    Failed {
        reason: String,
        message: String,
    },
}

/// PreBind's message when the devices were not ready in time.
pub const BINDING_TIMEOUT: &str = "device binding timeout: context deadline exceeded";
/// The annotation of a claim that the scheduler made for extended resources.
pub const EXTENDED_RESOURCES: &str = "resource.kubernetes.io/extended-resource-claim";

/// PreBind's message when a failure condition of a device is true.
pub fn binding_failed(claim: &ResourceClaim, reason: &str, message: &str) -> String {
    let name = claim.metadata.name.as_deref().unwrap_or_default();
    let message = quote(message);
    format!("claim {name} binding failed: reason={reason}, message={message}")
}

/// The error of a Pod whose PreBind fails here.
pub fn pre_bind_failure(message: &str) -> String {
    format!("running PreBind plugin \"DynamicResources\": {message}")
}

/// Removes a Pod from a claim's consumers; the allocation stays.
pub fn unreserve(claim: &mut ResourceClaim, uid: &str) {
    if let Some(status) = &mut claim.status
        && let Some(consumers) = &mut status.reserved_for
    {
        consumers.retain(|it| it.uid != uid);
        if consumers.is_empty() {
            status.reserved_for = None;
        }
    }
}

/// Whether devices of the claim have binding conditions.
pub fn has_binding_conditions(claim: &ResourceClaim) -> bool {
    results(claim).any(|it| !conditions(it).is_empty())
}

/// Whether the binding conditions of the claim's devices hold.
pub fn readiness(claim: &ResourceClaim) -> Readiness {
    if allocation_of(claim).is_none() {
        return Readiness::Waiting;
    }
    for result in results(claim).filter(|it| !conditions(it).is_empty()) {
        let Some(status) = status_of(claim, result) else {
            return Readiness::Waiting;
        };
        let mut failed = result
            .binding_failure_conditions
            .iter()
            .flatten()
            .filter_map(|it| true_condition(status, it));
        if let Some(failed) = failed.next() {
            return Readiness::Failed {
                reason: failed.reason.clone(),
                message: failed.message.clone(),
            };
        }
        let mut wanted = conditions(result).iter();
        if !wanted.all(|it| true_condition(status, it).is_some()) {
            return Readiness::Waiting;
        }
    }
    Readiness::Ready
}

/// When the devices of the claim have had their time to get ready, in milliseconds since the Unix epoch; `None` if
/// there is nothing to wait for, or the claim has no allocation time.
pub fn binding_deadline(claim: &ResourceClaim, timeout_ms: i64) -> Option<i64> {
    let allocated = allocation_of(claim)?.allocation_timestamp.as_ref()?;
    let deadline = allocated.0.as_millisecond().saturating_add(timeout_ms);
    has_binding_conditions(claim).then_some(deadline)
}

/// Notes when a claim was allocated, in whole seconds as the API server stores it.
pub fn stamp_allocation(claim: &mut ResourceClaim, now_ms: i64) {
    let allocation = claim.status.as_mut().and_then(|it| it.allocation.as_mut());
    if let Some(allocation) = allocation {
        let seconds = now_ms.div_euclid(1000);
        allocation
            .allocation_timestamp
            .get_or_insert_with(|| Time(Timestamp::from_second(seconds).unwrap_or_default()));
    }
}

fn results(claim: &ResourceClaim) -> impl Iterator<Item = &DeviceRequestAllocationResult> {
    let devices = allocation_of(claim).and_then(|it| it.devices.as_ref());
    devices.into_iter().flat_map(|it| &it.results).flatten()
}

fn conditions(result: &DeviceRequestAllocationResult) -> &[String] {
    result.binding_conditions.as_deref().unwrap_or_default()
}

fn status_of<'a>(
    claim: &'a ResourceClaim,
    result: &DeviceRequestAllocationResult,
) -> Option<&'a AllocatedDeviceStatus> {
    let devices = claim.status.as_ref()?.devices.as_ref()?;
    devices.iter().find(|it| {
        it.device == result.device && it.driver == result.driver && it.pool == result.pool
    })
}

/// The first condition of the type, if it is true.
fn true_condition<'a>(status: &'a AllocatedDeviceStatus, kind: &str) -> Option<&'a Condition> {
    let mut conditions = status.conditions.iter().flatten();
    let found = conditions.find(|it| it.type_ == kind);
    found.filter(|it| it.status == "True")
}
