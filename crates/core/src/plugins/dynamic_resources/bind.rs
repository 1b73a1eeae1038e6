//! What PreBind writes to the Pod's claims, one after the other, and where it fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimConsumerReference};

use super::{Claims, extended};
use crate::cluster::devices::{ClaimAllocation, MAX_CONSUMERS, allocation_of};
use crate::cluster::object_key;
use crate::framework::plugin::{ClaimWrite, Context, VolumeDecisions};

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
                decisions.failure = Some(format!(
                    "running PreBind plugin \"DynamicResources\": {message}"
                ));
                break;
            }
        }
    }
    // What is left was allocated for extended resources.
    let extended = open.iter().find(|claim| extended::is_placeholder(claim));
    if let (None, Some(claim), Some(allocation)) =
        (&decisions.failure, extended, allocations.next())
    {
        let claim = extended::named(claim, cx.pod);
        if let Ok(claim) = bound(cx, &claim, Some(allocation)) {
            decisions.created = Some(Arc::new(claim));
        }
    }
    if decisions.failure.is_some() {
        for write in &mut writes {
            let mut claim = (*write.claim).clone();
            unreserve(&mut claim, &cx.pod.object.uid);
            write.claim = Arc::new(claim);
            write.reserved = false;
        }
    }
    decisions.claims = writes;
    decisions
}

fn is_reserved(claim: &ResourceClaim, uid: &str) -> bool {
    let consumers = claim.status.iter().flat_map(|it| &it.reserved_for);
    consumers.flatten().any(|it| it.uid == uid)
}

fn unreserve(claim: &mut ResourceClaim, uid: &str) {
    if let Some(status) = &mut claim.status
        && let Some(consumers) = &mut status.reserved_for
    {
        consumers.retain(|it| it.uid != uid);
        if consumers.is_empty() {
            status.reserved_for = None;
        }
    }
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
    let problem = if consumers.len() > MAX_CONSUMERS {
        let count = consumers.len();
        format!("status.reservedFor: Too many: {count}: must have at most {MAX_CONSUMERS} items")
    } else if again {
        let last = consumers.len() - 1;
        format!(
            "status.reservedFor[{last}].uid: Duplicate value: \"{}\"",
            object.uid
        )
    } else {
        return Ok(bound);
    };
    Err(format!(
        "add reservation to claim {namespace}/{name}: ResourceClaim.resource.k8s.io \"{name}\" is invalid: {problem}"
    ))
}
