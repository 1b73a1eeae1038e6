//! The best volume for a claim.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec};

use berth_base::sort;
use berth_scheduler::selector;
use berth_scheduler::volumes::{
    capacity, class_of_claim, class_of_volume, has_access_modes, requested_storage,
    same_attributes_class, same_volume_mode,
};

use super::AVAILABLE;

/// The volumes of a cluster, indexed for claims.
pub(super) struct Candidates {
    by_name: HashMap<String, usize>,
    /// Volumes whose claimRef names a claim, by (namespace, name).
    by_claim: HashMap<(String, String), usize>,
    /// Unclaimed volumes by class, best first.
    free_by_class: BTreeMap<String, Vec<usize>>,
}

impl Candidates {
    pub(super) fn new(volumes: &[PersistentVolume]) -> Self {
        let mut by_name = HashMap::new();
        for (index, volume) in volumes.iter().enumerate() {
            by_name
                .entry(volume.metadata.name.clone().unwrap_or_default())
                .or_insert(index);
        }
        let mut all = Candidates {
            by_name,
            by_claim: HashMap::new(),
            free_by_class: BTreeMap::new(),
        };
        all.refresh(volumes);
        all
    }

    /// Rebuilds the indices from the volumes.
    pub(super) fn refresh(&mut self, volumes: &[PersistentVolume]) {
        self.by_claim.clear();
        self.free_by_class.clear();
        if !volumes.is_empty() {
            self.add(volumes);
        }
    }

    #[inline(never)]
    fn add(&mut self, volumes: &[PersistentVolume]) {
        for (index, volume) in volumes.iter().enumerate() {
            let claim_ref = volume.spec.as_ref().and_then(|spec| spec.claim_ref.clone());
            if let Some(claim) = claim_ref {
                let key = (
                    claim.namespace.unwrap_or_default(),
                    claim.name.unwrap_or_default(),
                );
                self.by_claim.entry(key).or_insert(index);
            } else if is_available(volume) {
                let class = class_of_volume(volume).to_owned();
                self.free_by_class.entry(class).or_default().push(index);
            }
        }
        let nothing = PersistentVolume::default();
        let volume = |index: &usize| volumes.get(*index).unwrap_or(&nothing);
        for free in self.free_by_class.values_mut() {
            sort::sort_by(free, |a, b| preference(volume(a), volume(b)));
        }
    }

    pub(super) fn by_name(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The volume that is reserved for this claim.
    pub(super) fn claiming(&self, claim: &PersistentVolumeClaim) -> Option<usize> {
        let meta = &claim.metadata;
        let key = (
            meta.namespace.clone().unwrap_or_default(),
            meta.name.clone().unwrap_or_default(),
        );
        self.by_claim.get(&key).copied()
    }

    /// Takes the best free volume that satisfies the claim.
    pub(super) fn smallest_for(
        &mut self,
        claim: &PersistentVolumeClaim,
        volumes: &[PersistentVolume],
    ) -> Option<usize> {
        let free = self.free_by_class.get_mut(class_of_claim(claim))?;
        let position = free.iter().position(|index| {
            volumes
                .get(*index)
                .is_some_and(|volume| satisfies(volume, claim))
        })?;
        Some(free.remove(position))
    }
}

/// Whether the volume is neither bound nor reserved.
pub(super) fn is_free(volume: &PersistentVolume) -> bool {
    let claim = volume
        .spec
        .as_ref()
        .and_then(|spec| spec.claim_ref.as_ref());
    claim.is_none() && is_available(volume)
}

/// Why a claim cannot be bound to the volume that it names: the PV controller's message.
pub fn mismatch(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Option<&'static str> {
    let (Some(of_volume), Some(spec)) = (&volume.spec, &claim.spec) else {
        return None;
    };
    let spec = Some(spec);
    if is_too_small(volume, claim) {
        Some("requested PV is too small")
    } else if class_of_volume(volume) != class_of_claim(claim) {
        Some("storageClassName does not match")
    } else if !same_volume_mode(of_volume, spec) {
        Some("incompatible volumeMode")
    } else if !has_access_modes(of_volume, spec) {
        Some("incompatible accessMode")
    } else {
        None
    }
}

/// A size that is absent counts as 0.
fn is_too_small(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    capacity(volume).unwrap_or_default() < requested_storage(claim).unwrap_or_default()
}

fn is_available(volume: &PersistentVolume) -> bool {
    let phase = volume
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    phase == Some(AVAILABLE) && volume.metadata.deletion_timestamp.is_none()
}

/// Fewest access modes first, then the smallest, then by name.
pub(super) fn preference(a: &PersistentVolume, b: &PersistentVolume) -> Ordering {
    access_modes(a)
        .len()
        .cmp(&access_modes(b).len())
        .then_with(|| {
            let (one, other) = (capacity(a), capacity(b));
            one.unwrap_or_default().cmp(&other.unwrap_or_default())
        })
        .then_with(|| a.metadata.name.cmp(&b.metadata.name))
}

/// Whether size, access modes, volume mode, selector and VolumeAttributesClass match.
pub(super) fn satisfies(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let (Some(of_volume), Some(spec)) = (&volume.spec, &claim.spec) else {
        return false;
    };
    let no_labels = BTreeMap::new();
    let labels = volume.metadata.labels.as_ref().unwrap_or(&no_labels);
    let selector = spec.selector.as_ref();
    let spec = Some(spec);
    !is_too_small(volume, claim)
        && has_access_modes(of_volume, spec)
        && same_volume_mode(of_volume, spec)
        && selector.is_none_or(|selector| selector::matches(selector, labels))
        && same_attributes_class(of_volume, spec)
}

fn access_modes(volume: &PersistentVolume) -> &[String] {
    let modes = volume
        .spec
        .as_ref()
        .and_then(|spec: &PersistentVolumeSpec| spec.access_modes.as_deref());
    modes.unwrap_or_default()
}
