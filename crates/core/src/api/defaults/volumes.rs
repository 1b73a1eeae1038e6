//! Defaults of volumes.

use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, Volume};

use super::{downward_files, fill, image};

/// `rw-r--r--`, as a number.
const FILE_MODE: i32 = 0o644;

/// Seconds until the token of a projected volume expires.
const TOKEN_SECONDS: i64 = 3600;

/// Completes the source of a volume; one without a source is an `emptyDir`.
pub(super) fn source(volume: &mut Volume) {
    let without = Volume {
        name: volume.name.clone(),
        ..Volume::default()
    };
    if *volume == without {
        volume.empty_dir = Some(EmptyDirVolumeSource::default());
        return;
    }
    if let Some(secret) = &mut volume.secret {
        secret.default_mode.get_or_insert(FILE_MODE);
    }
    if let Some(map) = &mut volume.config_map {
        map.default_mode.get_or_insert(FILE_MODE);
    }
    if let Some(downward) = &mut volume.downward_api {
        downward.default_mode.get_or_insert(FILE_MODE);
        downward_files(downward.items.as_mut());
    }
    if let Some(projected) = &mut volume.projected {
        projected.default_mode.get_or_insert(FILE_MODE);
        for source in projected.sources.iter_mut().flatten() {
            if let Some(downward) = &mut source.downward_api {
                downward_files(downward.items.as_mut());
            }
            // Their gates are off.
            source.cluster_trust_bundle = None;
            source.pod_certificate = None;
            if let Some(token) = &mut source.service_account_token {
                token.expiration_seconds.get_or_insert(TOKEN_SECONDS);
            }
        }
    }
    if let Some(image) = &mut volume.image {
        let name = image.reference.as_deref().unwrap_or_default();
        let pull = image::pull_policy(name);
        fill(&mut image.pull_policy, pull);
    }
    if let Some(iscsi) = &mut volume.iscsi {
        fill(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(rbd) = &mut volume.rbd {
        fill(&mut rbd.pool, "rbd");
        fill(&mut rbd.user, "admin");
        fill(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(disk) = &mut volume.scale_io {
        fill(&mut disk.storage_mode, "ThinProvisioned");
        fill(&mut disk.fs_type, "xfs");
    }
    if let Some(path) = &mut volume.host_path {
        path.type_.get_or_insert_default();
    }
    let claim = volume.ephemeral.as_mut();
    if let Some(template) = claim.and_then(|it| it.volume_claim_template.as_mut()) {
        fill(&mut template.spec.volume_mode, "Filesystem");
    }
}
