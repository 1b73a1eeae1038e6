//! Binding of volumes and claims: by the PersistentVolume controller (v1.34), and for a Pod's claims
//! after the scheduler has placed it.

use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, ObjectReference, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeSpec, PersistentVolumeStatus,
};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

mod matching;

use berth_scheduler::volumes::{bound_volume, class_of_claim, class_of_volume};
use matching::Candidates;

/// Annotation of a claim whose binding is complete.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// Annotation of a volume or claim whose reference to the other was set by the controller.
pub const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";

const AVAILABLE: &str = "Available";
const BOUND: &str = "Bound";
const PENDING: &str = "Pending";
const LOST: &str = "Lost";

/// The scheduler's decisions about the unbound claims of a Pod (VolumeBinding's Reserve).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodVolumes {
    /// Claims (`namespace/name`) with the name of the PersistentVolume chosen for each.
    pub bindings: Vec<(String, String)>,
    /// Claims (`namespace/name`) to be provisioned.
    pub provisions: Vec<String>,
}

/// A claim that was bound to a volume, as indices into the given slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundClaim {
    pub claim: usize,
    pub volume: usize,
}

/// Binds the claims that need no Pod, as the PV controller does, and sets phases.
///
/// Claims with a `volumeName` go first, then the others, both in order. Claims of a class that
/// waits for the first consumer stay Pending, and so do claims of a class with a provisioner:
/// no dynamic provisioning happens here. May be called again after any change.
pub fn bind_volumes(
    volumes: &mut [PersistentVolume],
    claims: &mut [PersistentVolumeClaim],
    classes: &[StorageClass],
) {
    for volume in &mut *volumes {
        let status = volume.status.get_or_insert_default();
        if status.phase.as_deref().unwrap_or_default().is_empty() {
            status.phase = Some(AVAILABLE.to_owned());
        }
    }
    let mut candidates = Candidates::new(volumes);
    let (named, unnamed): (Vec<_>, Vec<_>) =
        (0..claims.len()).partition(|&index| claims.get(index).and_then(bound_volume).is_some());
    for index in named {
        let Some(claim) = claims.get_mut(index) else {
            continue;
        };
        let volume = bound_volume(claim).and_then(|name| candidates.by_name(name));
        match volume.and_then(|index| volumes.get_mut(index)) {
            Some(volume) if is_unclaimed_or_for(volume, claim) => bind(volume, claim),
            _ => wait(claim),
        }
    }
    candidates.refresh(volumes);
    for index in unnamed {
        let Some(claim) = claims.get_mut(index) else {
            continue;
        };
        let chosen = candidates.claiming(claim).or_else(|| {
            let waits = waits_for_first_consumer(claim, classes);
            if waits {
                None
            } else {
                candidates.smallest_for(claim, volumes)
            }
        });
        match chosen.and_then(|index| volumes.get_mut(index)) {
            Some(volume) => bind(volume, claim),
            None => wait(claim),
        }
    }
}

/// The best volume for a claim among the free ones of its class: the smallest that satisfies it.
pub fn best_volume<'a>(
    claim: &PersistentVolumeClaim,
    volumes: impl Iterator<Item = &'a PersistentVolume>,
) -> Option<&'a PersistentVolume> {
    let fits = |volume: &&PersistentVolume| {
        matching::is_free(volume)
            && class_of_volume(volume) == class_of_claim(claim)
            && matching::satisfies(volume, claim)
    };
    volumes
        .filter(fits)
        .min_by(|a, b| matching::preference(a, b))
}

pub use matching::mismatch;

/// Binds or provisions the claims of a Pod that has just been bound to a node.
///
/// A provisioned volume is named `pvc-NAMESPACE-NAME`, has the requested size, is accessible from
/// every node, and belongs to the class's CSI driver. Decisions about claims or volumes that do not
/// exist (any longer) are ignored.
pub fn bind_claims_of_pod(
    decisions: &PodVolumes,
    volumes: &mut Vec<PersistentVolume>,
    claims: &mut [PersistentVolumeClaim],
    classes: &[StorageClass],
) -> Vec<BoundClaim> {
    let mut bound = Vec::new();
    for (key, name) in &decisions.bindings {
        let volume = volumes
            .iter()
            .position(|volume| volume.metadata.name.as_ref() == Some(name));
        let claim = claims.iter().position(|claim| is_key_of(key, claim));
        bound.extend(
            volume
                .zip(claim)
                .map(|(volume, claim)| BoundClaim { claim, volume }),
        );
    }
    for key in &decisions.provisions {
        let Some(index) = claims.iter().position(|claim| is_key_of(key, claim)) else {
            continue;
        };
        if let Some(claim) = claims.get(index) {
            bound.push(BoundClaim {
                claim: index,
                volume: volumes.len(),
            });
            volumes.push(provisioned(claim, classes));
        }
    }
    for BoundClaim { claim, volume } in &bound {
        if let (Some(volume), Some(claim)) = (volumes.get_mut(*volume), claims.get_mut(*claim)) {
            bind(volume, claim);
        }
    }
    bound
}

/// The volume that is provisioned for a claim.
fn provisioned(claim: &PersistentVolumeClaim, classes: &[StorageClass]) -> PersistentVolume {
    let meta = &claim.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let name = format!(
        "pvc-{namespace}-{}",
        meta.name.as_deref().unwrap_or_default()
    );
    let class = class_of_claim(claim).to_owned();
    let provisioner = find_class(classes, &class).map(|class| class.provisioner.clone());
    let spec = claim.spec.clone().unwrap_or_default();
    let requests = spec.resources.and_then(|resources| resources.requests);
    PersistentVolume {
        metadata: ObjectMeta {
            uid: Some(crate::api::meta::made_uid("PersistentVolume", "", &name)),
            creation_timestamp: meta.creation_timestamp.clone(),
            name: Some(name.clone()),
            ..ObjectMeta::default()
        },
        spec: Some(PersistentVolumeSpec {
            capacity: requests,
            access_modes: spec.access_modes,
            storage_class_name: Some(class),
            volume_mode: spec.volume_mode,
            csi: Some(CSIPersistentVolumeSource {
                driver: provisioner.unwrap_or_default(),
                volume_handle: name,
                ..CSIPersistentVolumeSource::default()
            }),
            ..PersistentVolumeSpec::default()
        }),
        status: Some(PersistentVolumeStatus::default()),
    }
}

/// Makes the volume and the claim refer to each other.
fn bind(volume: &mut PersistentVolume, claim: &mut PersistentVolumeClaim) {
    point_at(volume, claim);
    complete(claim, volume);
    show_bound(claim, volume);
    volume.status.get_or_insert_default().phase = Some(BOUND.to_owned());
}

/// The first step of a binding: the volume refers to the claim. `false` if it does already.
pub fn point_at(volume: &mut PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let before = claim_ref(volume);
    if before.is_some_and(|it| it.uid.is_some() && it.uid == claim.metadata.uid) {
        return false;
    }
    if before.is_none() {
        annotate(&mut volume.metadata, BOUND_BY_CONTROLLER);
    }
    volume.spec.get_or_insert_default().claim_ref = Some(reference_to(claim));
    true
}

/// What the volume of a claim has as its `claimRef`.
pub fn reference_to(claim: &PersistentVolumeClaim) -> ObjectReference {
    ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("PersistentVolumeClaim".to_owned()),
        namespace: claim.metadata.namespace.clone(),
        name: claim.metadata.name.clone(),
        uid: claim.metadata.uid.clone(),
        resource_version: claim.metadata.resource_version.clone(),
        ..ObjectReference::default()
    }
}

/// The second step: the claim refers to the volume, and says that its binding is complete.
pub fn complete(claim: &mut PersistentVolumeClaim, volume: &PersistentVolume) {
    if bound_volume(claim).is_none() {
        let spec = claim.spec.get_or_insert_default();
        spec.volume_name.clone_from(&volume.metadata.name);
        annotate(&mut claim.metadata, BOUND_BY_CONTROLLER);
    }
    annotate(&mut claim.metadata, BIND_COMPLETED);
}

/// The third step: the claim's status shows what the volume has.
pub fn show_bound(claim: &mut PersistentVolumeClaim, volume: &PersistentVolume) {
    let status = claim.status.get_or_insert_default();
    status.phase = Some(BOUND.to_owned());
    let spec = volume.spec.as_ref();
    status.access_modes = spec.and_then(|spec| spec.access_modes.clone());
    status.capacity = spec.and_then(|spec| spec.capacity.clone());
}

/// The claim that a volume refers to.
pub fn claim_ref(volume: &PersistentVolume) -> Option<&ObjectReference> {
    volume.spec.as_ref()?.claim_ref.as_ref()
}

/// An unbound claim waits, unless it is lost.
fn wait(claim: &mut PersistentVolumeClaim) {
    let status = claim.status.get_or_insert_default();
    if status.phase.as_deref() != Some(LOST) {
        status.phase = Some(PENDING.to_owned());
    }
}

fn annotate(meta: &mut ObjectMeta, key: &str) {
    meta.annotations
        .get_or_insert_default()
        .insert(key.to_owned(), "yes".to_owned());
}

fn is_key_of(key: &str, claim: &PersistentVolumeClaim) -> bool {
    let namespace = claim.metadata.namespace.as_deref();
    key.split_once('/') == namespace.zip(claim.metadata.name.as_deref())
}

fn is_unclaimed_or_for(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    volume
        .spec
        .as_ref()
        .and_then(|spec| spec.claim_ref.as_ref())
        .is_none_or(|reference| {
            reference.namespace == claim.metadata.namespace && reference.name == claim.metadata.name
        })
}

fn find_class<'a>(classes: &'a [StorageClass], name: &str) -> Option<&'a StorageClass> {
    classes
        .iter()
        .find(|class| class.metadata.name.as_deref() == Some(name))
}

/// Whether binding waits for a Pod; without a known class, binding is immediate.
fn waits_for_first_consumer(claim: &PersistentVolumeClaim, classes: &[StorageClass]) -> bool {
    find_class(classes, class_of_claim(claim))
        .and_then(|class| class.volume_binding_mode.as_deref())
        .is_some_and(|mode| mode == "WaitForFirstConsumer")
}

#[cfg(test)]
mod tests;
