//! The scheduler's writes to volumes and claims before it binds a Pod (VolumeBinding's PreBind, v1.34).

use k8s_openapi::api::core::v1::Pod;

use super::SELECTED_NODE;
use super::binding::{annotate, point_at};
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of};
use berth_core::api::controllers::volumes::PodVolumes;
use berth_protocol::key::split;

/// Writes the scheduler's decisions: the `claimRef` of volumes, and the selected node of claims to be provisioned.
/// The volume controller does the rest.
///
/// # Errors
/// If a claim or a volume was deleted in the meantime, or a write is rejected.
pub fn reserve(decisions: &PodVolumes, node: &str, api: &mut ApiServer) -> Result<(), ApiError> {
    for (claim, volume) in &decisions.bindings {
        let claim = claim_of(claim, api)?;
        let key = Key::new("", volume.as_str());
        let Some(volume) = api.store().volumes.get(&key).cloned() else {
            let kind = "PersistentVolume";
            return Err(ApiError::NotFound { kind, key });
        };
        point_at(&volume, &claim, api)?;
    }
    for claim in &decisions.provisions {
        let mut claim = claim_of(claim, api)?;
        annotate(&mut claim.metadata, SELECTED_NODE, node);
        api.update(claim)?;
    }
    Ok(())
}

fn claim_of(
    key: &str,
    api: &ApiServer,
) -> Result<k8s_openapi::api::core::v1::PersistentVolumeClaim, ApiError> {
    let (namespace, name) = split(key);
    let key = Key::new(namespace, name);
    match api.store().claims.get(&key) {
        Some(claim) => Ok((**claim).clone()),
        None => Err(ApiError::NotFound {
            kind: "PersistentVolumeClaim",
            key,
        }),
    }
}

/// The names of the claims that a Pod uses, including those of its ephemeral volumes.
pub(super) fn claim_names(pod: &Pod) -> impl Iterator<Item = String> + '_ {
    let volumes = pod
        .spec
        .iter()
        .flat_map(|spec| spec.volumes.iter().flatten());
    volumes.filter_map(|volume| {
        let claim = volume.persistent_volume_claim.as_ref();
        let own = volume.ephemeral.as_ref();
        match (claim, own) {
            (Some(claim), _) => Some(claim.claim_name.clone()),
            (None, Some(_)) => Some(format!("{}-{}", name_of(&pod.metadata), volume.name)),
            (None, None) => None,
        }
    })
}
