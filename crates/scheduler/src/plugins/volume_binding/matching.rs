//! The PersistentVolumes that a claim may take. Mirrors `FindMatchingVolume` of component-helpers v1.34.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec,
};

use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::selector::compiled::{Labels, NodeTerms, Selector};
use crate::volumes::{
    capacity, class_of_claim, class_of_volume, has_access_modes, requested_storage,
    same_attributes_class, same_volume_mode,
};
use berth_base::quantity::Quantity;
use berth_base::sort;

/// The volumes that match a claim on some node, computed once per cycle.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Volumes whose `claimRef` names the claim, by name. The first one is used, whatever else is free.
    reserved: Vec<Candidate>,
    /// Free volumes, smallest first, then by name.
    free: Vec<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    volume: String,
    affinity: Option<NodeTerms>,
}

impl Candidate {
    fn new(name: &str, volume: &PersistentVolume) -> Self {
        Self {
            volume: name.to_owned(),
            affinity: node_affinity(volume),
        }
    }

    fn fits(&self, node: &NodeInfo) -> bool {
        admits(self.affinity.as_ref(), node)
    }
}

/// A volume's required node affinity; `None` if it has none.
pub(super) fn node_affinity(volume: &PersistentVolume) -> Option<NodeTerms> {
    let affinity = volume.spec.as_ref()?.node_affinity.as_ref()?;
    affinity.required.as_ref().map(NodeTerms::new)
}

/// Whether a volume with this node affinity can be used on the node. Only labels are matched: upstream
/// does not pass the node's name to this check.
pub(super) fn admits(affinity: Option<&NodeTerms>, node: &NodeInfo) -> bool {
    affinity.is_none_or(|terms| terms.matches(&node.labels, ""))
}

impl Candidates {
    /// The volumes of the claim's class that match it on some node.
    pub fn find(cluster: &Cluster, claim: &PersistentVolumeClaim) -> Self {
        let wanted = ClaimRequirements::new(claim);
        let mut candidates = Self::default();
        let mut free: Vec<(Option<Quantity>, Candidate)> = Vec::new();
        for (name, volume) in &cluster.volumes().persistent_volumes {
            if class_of_volume(volume) != wanted.class {
                continue;
            }
            match wanted.judge(volume) {
                Fit::No => {}
                Fit::Reserved => candidates.reserved.push(Candidate::new(name, volume)),
                Fit::Free => free.push((capacity(volume), Candidate::new(name, volume))),
            }
        }
        // Stable: volumes of equal size stay ordered by name.
        sort::sort_by_key(&mut free, |(capacity, _)| *capacity);
        candidates.free = free.into_iter().map(|(_, candidate)| candidate).collect();
        candidates
    }

    /// The volume for the claim on a node; `taken` holds the volumes of the Pod's other claims.
    pub fn choose(&self, node: &NodeInfo, taken: &BTreeSet<String>) -> Option<&str> {
        let is_left = |candidate: &&Candidate| !taken.contains(&candidate.volume);
        let chosen = match self.reserved.iter().find(is_left) {
            Some(reserved) => Some(reserved).filter(|candidate| candidate.fits(node)),
            None => self
                .free
                .iter()
                .find(|candidate| is_left(candidate) && candidate.fits(node)),
        };
        chosen.map(|candidate| candidate.volume.as_str())
    }
}

enum Fit {
    No,
    /// The volume's `claimRef` names the claim.
    Reserved,
    Free,
}

/// The requirements of a claim on a volume.
struct ClaimRequirements<'a> {
    claim: &'a PersistentVolumeClaim,
    spec: Option<&'a PersistentVolumeClaimSpec>,
    /// `None` sorts below every quantity, as does an absent capacity.
    storage: Option<Quantity>,
    class: &'a str,
    selector: Option<Selector>,
}

impl<'a> ClaimRequirements<'a> {
    fn new(claim: &'a PersistentVolumeClaim) -> Self {
        let spec = claim.spec.as_ref();
        let selector = spec.and_then(|spec| spec.selector.as_ref());
        Self {
            claim,
            spec,
            storage: requested_storage(claim),
            class: class_of_claim(claim),
            selector: selector.map(|selector| Selector::new(Some(selector))),
        }
    }

    fn judge(&self, volume: &PersistentVolume) -> Fit {
        let Some(spec) = &volume.spec else {
            return Fit::No;
        };
        let reserved = spec.claim_ref.is_some();
        let misfit = (reserved && !self.is_named_by(spec))
            || capacity(volume) < self.storage
            || !same_volume_mode(spec, self.spec)
            || !same_attributes_class(spec, self.spec)
            || volume.metadata.deletion_timestamp.is_some();
        if misfit {
            return Fit::No;
        }
        if reserved {
            return Fit::Reserved;
        }
        if is_available(volume) && self.selects(volume) && has_access_modes(spec, self.spec) {
            return Fit::Free;
        }
        Fit::No
    }

    fn is_named_by(&self, volume: &PersistentVolumeSpec) -> bool {
        let Some(reference) = &volume.claim_ref else {
            return false;
        };
        let metadata = &self.claim.metadata;
        let uid = reference.uid.as_deref().unwrap_or_default();
        reference.name == metadata.name
            && reference.namespace.as_deref().unwrap_or("default")
                == metadata.namespace.as_deref().unwrap_or("default")
            && (uid.is_empty() || Some(uid) == metadata.uid.as_deref())
    }

    fn selects(&self, volume: &PersistentVolume) -> bool {
        let none = Labels::new();
        let labels = volume.metadata.labels.as_ref().unwrap_or(&none);
        self.selector
            .as_ref()
            .is_none_or(|selector| selector.matches(labels))
    }
}

fn is_available(volume: &PersistentVolume) -> bool {
    let status = volume.status.as_ref();
    status.and_then(|status| status.phase.as_deref()) == Some("Available")
}
