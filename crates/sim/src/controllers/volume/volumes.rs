//! Syncs one volume: its binding, its release and its reclaim policy.

use std::sync::Arc;

use k8s_openapi::api::core::v1::PersistentVolume;

use super::binding::{annotation, claim_key, claim_ref, phase_of, set_volume_phase};
use super::provision::PROVISIONED_BY;
use super::{VolumeController, Work};
use crate::audit_log::{Event, Level};
use crate::controllers::volume::binding::BOUND_BY_CONTROLLER;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of, uid_of};
use berth_scheduler::volumes::bound_volume;

impl VolumeController {
    pub(super) fn sync_volume(
        &mut self,
        volume: &Arc<PersistentVolume>,
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        let key = Key::of(&volume.metadata);
        let reference = claim_ref(volume).and_then(|reference| reference.uid.clone());
        let (Some(uid), Some(claim)) = (reference, claim_key(volume)) else {
            // It is unbound, or reserved for a future claim.
            return set_volume_phase(&key, "Available", None, api);
        };
        let claim = api.store().claims.get(&claim);
        let claim = claim
            .filter(|claim| uid_of(&claim.metadata) == uid)
            .cloned();
        let Some(claim) = claim else {
            if !matches!(phase_of(volume), "Released" | "Failed") {
                set_volume_phase(&key, "Released", None, api)?;
            }
            return self.reclaim(volume, api);
        };
        match bound_volume(&claim) {
            None => {
                // The claim is about to be bound.
                self.queue.add(Key::of(&claim.metadata));
                Ok(())
            }
            Some(name) if name == key.name() => set_volume_phase(&key, "Bound", None, api),
            Some(_) if is_provisioned(volume) && policy_of(volume) == "Delete" => {
                // The claim was bound to another volume in the meantime.
                set_volume_phase(&key, "Released", None, api)?;
                self.reclaim(volume, api)
            }
            Some(_) => unbind(volume, api),
        }
    }

    /// Applies the reclaim policy to a released volume.
    fn reclaim(
        &mut self,
        volume: &Arc<PersistentVolume>,
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        let key = Key::of(&volume.metadata);
        if phase_of(volume) == "Failed" || volume.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let (problem, reason) = match policy_of(volume) {
            "Delete" => (cannot_delete(volume), "VolumeFailedDelete"),
            "Recycle" => (cannot_recycle(volume), "VolumeFailedRecycle"),
            _ => return Ok(()),
        };
        if let Some(problem) = problem {
            let event = Event::new(&**volume, Level::Warning, reason, problem.clone());
            api.event(event);
            return set_volume_phase(&key, "Failed", Some(problem), api);
        }
        if self.is_done(&key, api.now_ms()) != Work::Done {
            return Ok(());
        }
        if policy_of(volume) == "Delete" {
            return match api.delete::<PersistentVolume>(&key) {
                Err(ApiError::NotFound { .. }) => Ok(()),
                outcome => outcome,
            };
        }
        let event = Event::new(
            &**volume,
            Level::Normal,
            "VolumeRecycled",
            "Volume recycled",
        );
        api.event(event);
        unbind(volume, api)
    }
}

fn policy_of(volume: &PersistentVolume) -> &str {
    let spec = volume.spec.as_ref();
    let policy = spec.and_then(|spec| spec.persistent_volume_reclaim_policy.as_deref());
    policy.unwrap_or("Retain")
}

fn is_provisioned(volume: &PersistentVolume) -> bool {
    annotation(&volume.metadata, PROVISIONED_BY).is_some()
}

/// Why a volume cannot be deleted: without a provisioner, only `hostPath` volumes below `/tmp` have an in-tree
/// deleter.
fn cannot_delete(volume: &PersistentVolume) -> Option<String> {
    if is_provisioned(volume) {
        return None;
    }
    match volume
        .spec
        .as_ref()
        .and_then(|spec| spec.host_path.as_ref())
    {
        Some(host) if host.path.starts_with("/tmp/") && host.path.len() > "/tmp/".len() => None,
        Some(host) => Some(format!(
            "host_path deleter only supports /tmp/.+ but received provided {}",
            host.path
        )),
        None => Some(format!(
            "error getting deleter volume plugin for volume {:?}: no deletable volume plugin matched",
            name_of(&volume.metadata)
        )),
    }
}

/// Why a volume cannot be recycled: only `nfs` and `hostPath` have a recycler.
fn cannot_recycle(volume: &PersistentVolume) -> Option<String> {
    let spec = volume.spec.as_ref();
    let can = spec.is_some_and(|spec| spec.nfs.is_some() || spec.host_path.is_some());
    (!can).then(|| "No recycler plugin found for the volume!".to_owned())
}

/// Makes a volume available again. A `claimRef` from the volume's manifest is kept, without its UID.
fn unbind(volume: &PersistentVolume, api: &mut ApiServer) -> Result<(), ApiError> {
    let key = Key::of(&volume.metadata);
    let Some(current) = api.store().volumes.get(&key) else {
        return Ok(());
    };
    let mut volume = (**current).clone();
    let is_ours = annotation(&volume.metadata, BOUND_BY_CONTROLLER).is_some();
    let spec = volume.spec.get_or_insert_default();
    if is_ours {
        spec.claim_ref = None;
    } else if let Some(reference) = &mut spec.claim_ref {
        reference.uid = None;
        reference.resource_version = None;
    }
    if let Some(annotations) = &mut volume.metadata.annotations {
        annotations.remove(BOUND_BY_CONTROLLER);
    }
    api.update(volume)?;
    set_volume_phase(&key, "Available", None, api)
}
