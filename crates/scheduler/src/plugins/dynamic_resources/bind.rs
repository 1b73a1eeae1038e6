//! What PreBind writes to the Pod's claims, one after the other, and where it fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimConsumerReference};

use super::{Claims, extended};
use crate::cluster::devices::{
    BINDING_TIMEOUT, ClaimAllocation, Features, MAX_CONSUMERS, Readiness, allocation_of,
    binding_deadline, binding_failed, has_binding_conditions, pre_bind_failure, readiness,
    stamp_allocation, unreserve,
};
use crate::cluster::object_key;
use crate::framework::plugin::{AwaitedDevices, ClaimWrite, Context, VolumeDecisions};
use berth_protocol::fact::DeviceOutcome;

/// Keeps an allocated claim from being deleted.
pub const FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// Writes the allocations and reserves all claims for the Pod. If a write fails, the allocations written before
/// stay, and the Pod's reservations are removed (Unreserve).
#[inline(never)]
pub fn decide(
    cx: Context<'_>,
    claims: &Claims,
    open: &[Arc<ResourceClaim>],
    found: Vec<ClaimAllocation>,
    timeout_ms: i64,
) -> VolumeDecisions {
    let mut decisions = VolumeDecisions::default();
    let mut written: BTreeMap<(String, String), ResourceClaim> = BTreeMap::new();
    let mut allocations = found.into_iter();
    let mut writes: Vec<ClaimWrite> = Vec::new();
    for claim in &claims.all {
        let open = allocation_of(claim).is_none();
        let allocation = if open { allocations.next() } else { None };
        if is_reserved(claim, &cx.pod.object.uid) {
            continue;
        }
        let key = object_key(&claim.metadata);
        let fresh = written.get(&key).unwrap_or(claim);
        match bound(cx, fresh, allocation) {
            Ok(bound) => {
                let write = ClaimWrite {
                    allocated: open,
                    reserved: true,
                    claim: Arc::new(bound.clone()),
                };
                let known = writes
                    .iter_mut()
                    .find(|it| object_key(&it.claim.metadata) == key);
                match known {
                    Some(known) => {
                        known.claim = write.claim;
                        known.allocated |= write.allocated;
                    }
                    None => writes.push(write),
                }
                written.insert(key, bound);
            }
            Err(message) => {
                decisions.failure = Some(pre_bind_failure(&message));
                break;
            }
        }
    }
    // What is left was allocated for extended resources.
    let extended = open.iter().find(|claim| extended::is_placeholder(claim));
    if let (None, Some(claim), Some(allocation)) =
        (&decisions.failure, extended, allocations.next())
    {
        let nothing = extended::without_requests(claim, cx.pod);
        decisions.failure = nothing.map(|message| pre_bind_failure(&message));
        let claim = extended::named(claim, cx.pod);
        if let Ok(claim) = bound(cx, &claim, Some(allocation)) {
            decisions.created = Some(Arc::new(claim));
        }
    }
    if decisions.failure.is_none() {
        let all = claims.all.iter().map(|claim| {
            let key = object_key(&claim.metadata);
            written.get(&key).unwrap_or(claim)
        });
        let created = decisions.created.clone();
        let all: Vec<&ResourceClaim> = all.chain(created.as_deref()).collect();
        wait_for_devices(cx, &all, timeout_ms, &mut decisions);
    }
    if decisions.failure.is_some() {
        decisions.created = None;
        unreserve_all(&mut writes, &cx.pod.object.uid);
    }
    decisions.claims = writes;
    decisions
}

/// Removes the Pod's reservations (Unreserve).
fn unreserve_all(writes: &mut [ClaimWrite], uid: &str) {
    for write in writes {
        let mut claim = (*write.claim).clone();
        unreserve(&mut claim, uid);
        write.claim = Arc::new(claim);
        write.reserved = false;
    }
}

/// Waits for the devices' binding conditions. Without an API server none of them can change, so
/// that the time runs out.
fn wait_for_devices(
    cx: Context<'_>,
    claims: &[&ResourceClaim],
    timeout_ms: i64,
    decisions: &mut VolumeDecisions,
) {
    let waits = claims.iter().any(|claim| has_binding_conditions(claim));
    if !waits || !Features::of(cx.release()).binding {
        return;
    }
    if cx.cluster.clock_ms().is_some() {
        decisions.awaits = Some(AwaitedDevices {
            claims: claims.iter().map(|it| object_key(&it.metadata)).collect(),
            timeout_ms,
        });
        return;
    }
    for claim in claims {
        let failure = match readiness(claim) {
            Readiness::Ready => continue,
            Readiness::Waiting => BINDING_TIMEOUT.to_owned(),
            Readiness::Failed { reason, message } => binding_failed(claim, &reason, &message),
        };
        decisions.failure = Some(pre_bind_failure(&failure));
        return;
    }
}

/// Why an allocated claim cannot be waited for: its devices failed, or had their time.
pub fn lost(cx: Context<'_>, claim: &ResourceClaim, timeout_ms: i64) -> Option<DeviceOutcome> {
    if allocation_of(claim).is_none() || !Features::of(cx.release()).binding {
        return None;
    }
    match readiness(claim) {
        Readiness::Ready => None,
        Readiness::Failed { reason, message } => {
            Some(DeviceOutcome::BindingFailed { reason, message })
        }
        Readiness::Waiting => {
            let deadline = binding_deadline(claim, timeout_ms)?;
            let is_over = deadline < cx.cluster.clock_ms()?;
            is_over.then_some(DeviceOutcome::BindingTimedOut)
        }
    }
}

fn is_reserved(claim: &ResourceClaim, uid: &str) -> bool {
    let consumers = claim.status.iter().flat_map(|it| &it.reserved_for);
    consumers.flatten().any(|it| it.uid == uid)
}

/// The claim, allocated and reserved for the Pod.
fn bound(
    cx: Context<'_>,
    claim: &ResourceClaim,
    allocation: Option<ClaimAllocation>,
) -> Result<ResourceClaim, String> {
    let (namespace, name) = object_key(&claim.metadata);
    let mut bound = claim.clone();
    if let Some(allocation) = allocation {
        if allocation_of(claim).is_some() {
            return Err(format!(
                "claim {namespace}/{name} got allocated elsewhere in the meantime"
            ));
        }
        let finalizers = bound.metadata.finalizers.get_or_insert_default();
        if !finalizers.iter().any(|it| it == FINALIZER) {
            finalizers.push(FINALIZER.to_owned());
        }
        bound.status.get_or_insert_default().allocation = Some(allocation.result);
    }
    let consumers = bound
        .status
        .get_or_insert_default()
        .reserved_for
        .get_or_insert_default();
    let object = &cx.pod.object;
    let again = consumers.iter().any(|it| it.uid == *object.uid);
    consumers.push(ResourceClaimConsumerReference {
        api_group: None,
        name: object.name.to_string(),
        resource: "pods".to_owned(),
        uid: object.uid.to_string(),
    });
    let count = consumers.len();
    let problem = if count > MAX_CONSUMERS {
        format!("status.reservedFor: Too many: {count}: must have at most {MAX_CONSUMERS} items")
    } else if again {
        let last = count - 1;
        format!(
            "status.reservedFor[{last}].uid: Duplicate value: \"{}\"",
            object.uid
        )
    } else {
        if let Some(now_ms) = cx
            .cluster
            .clock_ms()
            .filter(|_| Features::of(cx.release()).binding)
        {
            stamp_allocation(&mut bound, now_ms);
        }
        return Ok(bound);
    };
    Err(format!(
        "add reservation to claim {namespace}/{name}: ResourceClaim.resource.k8s.io \"{name}\" is invalid: {problem}"
    ))
}
