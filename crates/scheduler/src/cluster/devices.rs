//! Dynamic resource allocation: devices of ResourceSlices, and the search that allocates them to claims.
//!
//! Mirrors `dynamic-resource-allocation/structured` of Kubernetes v1.34: `store` keeps the objects with what is
//! derived from them, `pools` gathers what a node sees, and `search` finds the first complete allocation.
//! Upstream visits pools and slices in random order; here they come in the order of their names.

mod binding;
mod capacity;
mod constraint;
mod counters;
mod pools;
mod requests;
mod result;
mod search;
mod selectors;
mod store;
mod taints;
#[cfg(test)]
mod tests;
mod verdicts;

pub use binding::{
    BINDING_TIMEOUT, EXTENDED_RESOURCES, Readiness, binding_deadline, binding_failed,
    has_binding_conditions, pre_bind_failure, readiness, stamp_allocation, unreserve,
};
pub use constraint::attribute_of;
pub use pools::{Gathering, Pool, SliceRef, count_devices, gather};
pub use search::{ClaimAllocation, DeviceResult, Failure, Features, Found, Step, allocate};
pub use selectors::Selectors;
pub use store::{DeviceId, DeviceIx, Devices, OF_CLASS, SliceInfo};
pub use taints::{keeps_away, tolerates};
pub use verdicts::{SpecsIx, Verdicts};

use k8s_openapi::api::resource::v1::{AllocationResult, DeviceRequest, ResourceClaim};

/// The requests of a claim.
pub fn requests_of(claim: &ResourceClaim) -> impl Iterator<Item = &DeviceRequest> {
    claim
        .spec
        .devices
        .iter()
        .flat_map(|it| &it.requests)
        .flatten()
}

/// The claim's allocation.
pub fn allocation_of(claim: &ResourceClaim) -> Option<&AllocationResult> {
    claim.status.as_ref()?.allocation.as_ref()
}

/// The most devices of a claim (`AllocationResultsMaxSize`).
pub const MAX_RESULTS: usize = 32;
/// The most consumers of a claim (`ResourceClaimReservedForMaxSize`).
pub const MAX_CONSUMERS: usize = 256;
