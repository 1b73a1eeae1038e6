//! Invariants of claims and devices.

use std::collections::BTreeMap;

use berth_sim::pod_util;
use berth_sim::server::ApiServer;
use berth_sim::store::{Key, name_of, namespace_of, uid_of};
use k8s_openapi::api::resource::v1::ResourceClaim;

/// No device has two claims, every reservation has its Pod, and nothing is allocated or reserved for what is gone.
/// Returns the number of reservations.
pub fn assert_claims(api: &ApiServer) -> u64 {
    let mut holders = BTreeMap::new();
    let mut reservations = 0;
    for claim in api.store().resource_claims.iter() {
        reservations += assert_consumers(claim, api);
        assert_owner(claim, api);
        let status = claim.status.as_ref();
        let allocation = status.and_then(|it| it.allocation.as_ref());
        let results = allocation.and_then(|it| it.devices.as_ref()?.results.as_ref());
        for it in results.into_iter().flatten() {
            if it.admin_access == Some(true) || it.share_id.is_some() {
                continue;
            }
            let device = format!("{}/{}/{}", it.driver, it.pool, it.device);
            let other = holders.insert(device.clone(), name_of(&claim.metadata));
            assert!(other.is_none(), "{device} has {other:?} and {claim:?}");
        }
    }
    reservations
}

fn assert_consumers(claim: &ResourceClaim, api: &ApiServer) -> u64 {
    let name = name_of(&claim.metadata);
    let status = claim.status.clone().unwrap_or_default();
    let consumers = status.reserved_for.unwrap_or_default();
    assert!(
        status.allocation.is_some() || consumers.is_empty(),
        "{name} is reserved, but not allocated: {claim:?}"
    );
    let is_deleted = claim.metadata.deletion_timestamp.is_some();
    assert!(
        !is_deleted || !consumers.is_empty() || !finalizes(claim),
        "{name} is deleted and reserved for nobody, but still there: {claim:?}"
    );
    for consumer in &consumers {
        let key = Key::new(namespace_of(&claim.metadata), &*consumer.name);
        let pod = api.store().pods.get(&key);
        let pod = pod.unwrap_or_else(|| panic!("{name} is reserved for {key}, which is gone"));
        assert_eq!(uid_of(&pod.metadata), consumer.uid, "{name}: {key}");
        assert!(
            !pod_util::is_finished(pod),
            "{name} is reserved for {key}, which has ended"
        );
    }
    consumers.len() as u64
}

/// Whether the claim controller has yet to let the claim go.
fn finalizes(claim: &ResourceClaim) -> bool {
    let mut finalizers = claim.metadata.finalizers.iter().flatten();
    finalizers.any(|it| it == "resource.kubernetes.io/delete-protection")
}

/// A claim made from a template is deleted with its Pod.
fn assert_owner(claim: &ResourceClaim, api: &ApiServer) {
    let meta = &claim.metadata;
    if meta.deletion_timestamp.is_some() {
        return;
    }
    for owner in meta.owner_references.iter().flatten() {
        let key = Key::new(namespace_of(meta), &*owner.name);
        let pod = api.store().pods.get(&key);
        let uid = pod.map(|pod| uid_of(&pod.metadata).to_owned());
        assert_eq!(
            uid.as_deref(),
            Some(owner.uid.as_str()),
            "{} was made for {key}, which is gone",
            name_of(meta)
        );
    }
}
