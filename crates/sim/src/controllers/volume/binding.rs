//! Binds a claim and a volume to each other.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of, namespace_of, uid_of};
use berth_core::api::controllers::volumes::{self, BIND_COMPLETED};

pub(super) use berth_core::api::controllers::volumes::{BOUND_BY_CONTROLLER, claim_ref};

pub(super) fn annotation<'a>(meta: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    meta.annotations.as_ref()?.get(key).map(String::as_str)
}

pub(super) fn annotate(meta: &mut ObjectMeta, key: &str, value: &str) {
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(key.to_owned(), value.to_owned());
}

/// Whether the binding of a claim is complete.
pub(super) fn is_complete(claim: &PersistentVolumeClaim) -> bool {
    annotation(&claim.metadata, BIND_COMPLETED).is_some()
}

pub(super) fn phase_of(volume: &PersistentVolume) -> &str {
    let status = volume.status.as_ref();
    status
        .and_then(|status| status.phase.as_deref())
        .unwrap_or_default()
}

/// The claim in a volume's `claimRef`.
pub(super) fn claim_key(volume: &PersistentVolume) -> Option<Key> {
    let reference = claim_ref(volume)?;
    let (namespace, name) = (reference.namespace.as_deref(), reference.name.as_deref());
    Some(Key::new(
        namespace.unwrap_or_default(),
        name.unwrap_or_default(),
    ))
}

/// Whether a volume's `claimRef` is this claim: by name, and by UID if it has one.
pub(super) fn is_for(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    claim_ref(volume).is_some_and(|reference| {
        let uid = reference.uid.as_deref().unwrap_or_default();
        reference.namespace.as_deref() == Some(namespace_of(&claim.metadata))
            && reference.name.as_deref() == Some(name_of(&claim.metadata))
            && (uid.is_empty() || uid == uid_of(&claim.metadata))
    })
}

/// Sets the volume's `claimRef` to the claim.
pub(super) fn point_at(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let mut volume = volume.clone();
    if !volumes::point_at(&mut volume, claim) {
        return Ok(());
    }
    api.update(volume).map(drop)
}

pub(super) fn set_volume_phase(
    key: &Key,
    phase: &str,
    message: Option<String>,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let Some(volume) = api.store().volumes.get(key) else {
        return Ok(());
    };
    if phase_of(volume) == phase {
        return Ok(());
    }
    let mut volume = (**volume).clone();
    let now = api.now();
    let status = volume.status.get_or_insert_default();
    status.phase = Some(phase.to_owned());
    status.message = message;
    status.last_phase_transition_time = Some(now);
    api.update_status(&volume).map(drop)
}

pub(super) fn set_claim_phase(
    claim: &PersistentVolumeClaim,
    phase: &str,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let Some(current) = api.store().claims.get(&Key::of(&claim.metadata)) else {
        return Ok(());
    };
    let mut claim = (**current).clone();
    let status = claim.status.get_or_insert_default();
    if status.phase.as_deref() == Some(phase) {
        return Ok(());
    }
    status.phase = Some(phase.to_owned());
    if phase != "Bound" {
        status.capacity = None;
        status.access_modes = None;
    }
    api.update_status(&claim).map(drop)
}

/// Binds both in the order of the real controller: the volume's spec and phase, then the claim's spec and status.
pub(super) fn bind(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    point_at(volume, claim, api)?;
    let key = Key::of(&volume.metadata);
    set_volume_phase(&key, "Bound", None, api)?;
    let Some(current) = api.store().claims.get(&Key::of(&claim.metadata)) else {
        return Ok(());
    };
    let mut claim = (**current).clone();
    volumes::complete(&mut claim, volume);
    let mut claim = (*api.update(claim)?).clone();
    volumes::show_bound(&mut claim, volume);
    api.update_status(&claim).map(drop)
}
