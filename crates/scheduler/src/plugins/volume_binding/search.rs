//! Filter: searches volumes for the Pod's claims on one node. Mirrors `FindPodVolumes`.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::api::storage::v1::CSINode;

use super::claims::{BoundClaim, PodClaims, Provisioning, WaitingClaim};
use super::matching::admits;
use crate::cluster::node::NodeInfo;
use crate::selector::compiled::Labels;
use crate::volumes::requested_storage;
use berth_base::sort;
use berth_protocol::fact::VolumeOutcome;

/// The result of the search for one claim. Strings are volume names unless noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Its volume can be used on the node.
    Usable(String),
    AffinityConflict(String),
    VolumeMissing(String),
    /// Its volume is being provisioned for the named node.
    SelectedElsewhere(String),
    /// It gets this free volume.
    Takes(String),
    /// It gets a new volume from the named provisioner.
    Provisions(String),
    /// No free volume matches and the class cannot provision.
    Nothing,
    /// The named provisioner may not provision for this node.
    TopologyForbids(String),
    /// The named driver has published no sufficient capacity for this node.
    NoStorage(String),
}

impl Finding {
    /// The finding as a fact shows it.
    pub(super) fn outcome(&self) -> VolumeOutcome {
        match self.clone() {
            Self::Usable(volume) => VolumeOutcome::Usable { volume },
            Self::AffinityConflict(volume) => VolumeOutcome::AffinityConflict { volume },
            Self::VolumeMissing(volume) => VolumeOutcome::VolumeMissing { volume },
            Self::SelectedElsewhere(node) => VolumeOutcome::SelectedElsewhere { node },
            Self::Takes(volume) => VolumeOutcome::Takes { volume },
            Self::Provisions(provisioner) => VolumeOutcome::Provisions { provisioner },
            Self::Nothing => VolumeOutcome::Nothing,
            Self::TopologyForbids(provisioner) => VolumeOutcome::TopologyForbids { provisioner },
            Self::NoStorage(driver) => VolumeOutcome::NoStorage { driver },
        }
    }
}

/// The findings by claim name. As upstream, each of the three steps (bound claims, free volumes,
/// provisioning) stops at its first rejection. `Err` ends the cycle with an error.
pub(super) fn search<'a>(
    claims: &'a PodClaims,
    node: &NodeInfo,
    csi_node: Option<&CSINode>,
) -> Result<Vec<(&'a str, Finding)>, String> {
    let mut findings = Vec::new();
    for claim in &claims.bound {
        let finding = bound(claim, node, csi_node)?;
        let refused = !matches!(finding, Finding::Usable(_));
        findings.push((claim.name.as_str(), finding));
        if refused {
            break;
        }
    }
    let elsewhere = claims.waiting.iter().find_map(|claim| {
        let selected = claim.selected_node.as_ref()?;
        (**selected != *node.name)
            .then(|| Finding::SelectedElsewhere(selected.clone()))
            .map(|finding| (claim.name.as_str(), finding))
    });
    if let Some(elsewhere) = elsewhere {
        findings.push(elsewhere);
        return Ok(findings);
    }
    let unmatched = match_free(&claims.waiting, node, &mut findings);
    for claim in unmatched {
        let finding = provision(claim, node);
        let refused = !matches!(finding, Finding::Provisions(_));
        findings.push((claim.name.as_str(), finding));
        if refused {
            break;
        }
    }
    Ok(findings)
}

fn bound(
    claim: &BoundClaim,
    node: &NodeInfo,
    csi_node: Option<&CSINode>,
) -> Result<Finding, String> {
    let volume = claim.volume.clone();
    let Some(place) = &claim.place else {
        return Ok(Finding::VolumeMissing(volume));
    };
    let affinity = match &place.migrated {
        Some((plugin, translated)) if plugin.is_migrated_on(csi_node) => {
            let translated = translated.as_ref();
            translated.map_err(|error| format!("could not translate pv: {error}"))?
        }
        _ => &place.affinity,
    };
    if admits(affinity.as_ref(), node) {
        Ok(Finding::Usable(volume))
    } else {
        Ok(Finding::AffinityConflict(volume))
    }
}

/// Assigns free volumes to claims, smallest claim first, so that it gets the smallest volume. Returns
/// the claims that need a new volume, those whose volume is being provisioned here first.
fn match_free<'a>(
    claims: &'a [WaitingClaim],
    node: &NodeInfo,
    findings: &mut Vec<(&'a str, Finding)>,
) -> Vec<&'a WaitingClaim> {
    let (mut to_provision, mut to_match): (Vec<_>, Vec<_>) = claims
        .iter()
        .partition(|claim| claim.selected_node.is_some());
    sort::sort_by_key(&mut to_match, |claim| requested_storage(&claim.claim));
    let mut taken = BTreeSet::new();
    for claim in to_match {
        match claim.candidates.choose(node, &taken) {
            Some(volume) => {
                taken.insert(volume.to_owned());
                findings.push((claim.name.as_str(), Finding::Takes(volume.to_owned())));
            }
            None => to_provision.push(claim),
        }
    }
    to_provision
}

fn provision(claim: &WaitingClaim, node: &NodeInfo) -> Finding {
    let provisioning = &claim.provisioning;
    let Some(provisioner) = provisioning.provisioner.clone() else {
        return Finding::Nothing;
    };
    if !topology_allows(&provisioning.topologies, &node.labels) {
        Finding::TopologyForbids(provisioner)
    } else if !has_room(provisioning, &node.labels) {
        Finding::NoStorage(provisioner)
    } else {
        Finding::Provisions(provisioner)
    }
}

fn has_room(provisioning: &Provisioning, labels: &Labels) -> bool {
    let rooms = provisioning.rooms.as_ref();
    rooms.is_none_or(|rooms| rooms.iter().any(|room| room.matches(labels)))
}

/// Without terms everything is allowed; otherwise one term must match, and an empty one never does.
fn topology_allows(terms: &[TopologySelectorTerm], labels: &Labels) -> bool {
    let holds = |term: &TopologySelectorTerm| {
        let requirements = term.match_label_expressions.as_deref().unwrap_or(&[]);
        !requirements.is_empty()
            && requirements.iter().all(|requirement| {
                let label = labels.get(&requirement.key);
                label.is_some_and(|label| requirement.values.contains(label))
            })
    };
    terms.is_empty() || terms.iter().any(holds)
}
