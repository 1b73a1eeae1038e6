//! VolumeZone: keeps a Pod in the zone of its volumes.
//!
//! - **Extension points**: PreFilter, Filter.
//! - **Why**: a cloud disk can be attached only in its own zone, and volumes older than node affinity
//!   carry the zone in a label only.
//! - **How**: PreFilter collects the zone and region labels of the PersistentVolumes of the Pod's
//!   claims; Filter rejects nodes whose labels differ.
//! - **Example**: the volume has `topology.kubernetes.io/zone: a__b`: nodes in zones a and b pass, a
//!   node in zone c is rejected with `node(s) had no available volume zone`. A node without any zone
//!   or region label belongs to a cluster without zones and passes.
//! - **Upstream**: `plugins/volumezone`, v1.34.

use k8s_openapi::api::core::v1::PersistentVolume;

use super::helpers::volumes::migration::ZONE_DELIMITER;
use super::helpers::volumes::{
    annotation, claim_not_found, named_claims, uses_claim, waits_for_consumer,
};
use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, Filter, PreFilter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use crate::volumes::{bound_volume, class_of_claim};
use berth_protocol::fact::{Fact, FactKind, VolumeOutcome};

const REASON: &str = "node(s) had no available volume zone";

/// Zone and region labels, each with the alternative label that a node may have.
const TOPOLOGY_LABELS: [(&str, &str); 4] = [
    (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    (
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
];

/// The plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeZone;

impl VolumeZone {
    /// The plugin; it takes no arguments.
    pub fn new() -> Self {
        Self
    }
}

/// A topology label of a volume.
#[derive(Clone, Debug)]
struct Place {
    volume: String,
    key: &'static str,
    /// The label that a node may have in place of `key`.
    fallback_key: &'static str,
    values: Vec<String>,
}

impl Place {
    fn actual<'a>(&self, node: &'a NodeInfo) -> Option<&'a str> {
        let value = node.labels.get(self.key);
        value
            .or_else(|| node.labels.get(self.fallback_key))
            .map(String::as_str)
    }

    fn admits(&self, node: &NodeInfo) -> bool {
        let actual = self.actual(node);
        actual.is_some_and(|actual| self.values.iter().any(|value| value == actual))
    }
}

#[derive(Clone, Debug)]
struct State {
    places: Vec<Place>,
}

extends!(VolumeZone: PreFilter, Filter, EnqueueExtensions);

impl PreFilter for VolumeZone {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        match places(cx) {
            Err(rejection) => PreFiltered::Rejected(rejection),
            Ok(places) if places.is_empty() => PreFiltered::Skip,
            Ok(places) => {
                state.write(State { places });
                PreFiltered::Continue
            }
        }
    }
}

impl Filter for VolumeZone {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let is_placed = |(key, _): &(&str, &str)| node.labels.contains_key(*key);
        let collected;
        let places = match state.read::<State>() {
            Some(state) => &state.places,
            // If the profile disables PreFilter, the labels are collected here, as upstream.
            None => {
                collected = places(cx)?;
                &collected
            }
        };
        if !TOPOLOGY_LABELS.iter().any(is_placed) || places.iter().all(|place| place.admits(node)) {
            return Ok(());
        }
        Err(Rejection::unresolvable(REASON))
    }

    fn facts(&self, _cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let places = state.read::<State>().map_or(&[][..], |state| &state.places);
        let describe = |place: &Place| {
            let outcome = VolumeOutcome::Label {
                key: place.key.to_owned(),
                values: place.values.clone(),
                actual: place.actual(node).map(str::to_owned),
            };
            Fact::new(FactKind::Volume {
                name: place.volume.clone(),
                outcome,
            })
            .in_node("metadata.labels")
        };
        places.iter().map(describe).collect()
    }
}

/// The topology labels of the volumes that the Pod's claims are bound to.
fn places(cx: Context<'_>) -> Result<Vec<Place>, Rejection> {
    let volumes = cx.cluster.volumes();
    let mut places = Vec::new();
    for name in named_claims(cx.pod) {
        let claim = volumes
            .claim(&cx.pod.object.namespace, name)
            .ok_or_else(|| Rejection::unresolvable(claim_not_found(name)))?;
        let Some(volume) = bound_volume(claim) else {
            check_unbound(cx, class_of_claim(claim))?;
            continue;
        };
        let missing = || format!("persistentvolume \"{volume}\" not found");
        let volume = volumes
            .persistent_volumes
            .get(volume)
            .ok_or_else(|| Rejection::unresolvable(missing()))?;
        places.extend(places_of(volume));
    }
    Ok(places)
}

/// A claim without a volume passes only if its class delays binding.
fn check_unbound(cx: Context<'_>, class: &str) -> Result<(), Rejection> {
    if class.is_empty() {
        return Err(Rejection::unresolvable(
            "PersistentVolumeClaim had no pv name and storageClass name",
        ));
    }
    match waits_for_consumer(cx.cluster, class) {
        Some(true) => Ok(()),
        Some(false) => Err(Rejection::unresolvable("PersistentVolume had no name")),
        None => Err(Rejection::unresolvable(format!(
            "storageclass.storage.k8s.io \"{class}\" not found"
        ))),
    }
}

fn places_of(volume: &PersistentVolume) -> impl Iterator<Item = Place> {
    let labels = volume.metadata.labels.as_ref();
    TOPOLOGY_LABELS
        .into_iter()
        .filter_map(move |(key, fallback_key)| {
            let values: Vec<String> = annotation(labels, key)?
                .split(ZONE_DELIMITER)
                .map(|zone| zone.trim().to_owned())
                .collect();
            // A label with an empty zone among others is invalid and ignored.
            (!values.iter().any(String::is_empty)).then(|| Place {
                volume: volume.metadata.name.clone().unwrap_or_default(),
                key,
                fallback_key,
                values,
            })
        })
}

impl EnqueueExtensions for VolumeZone {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const ADD_OR_UPDATE: ActionType = ActionType::ADD.or(ActionType::UPDATE);
        const EVENTS: [EventToRegister; 4] = [
            EventToRegister::hinted(Resource::StorageClass, ActionType::ADD),
            EventToRegister::always(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_LABEL),
            ),
            EventToRegister::hinted(Resource::PersistentVolumeClaim, ADD_OR_UPDATE),
            EventToRegister::hinted(Resource::PersistentVolume, ADD_OR_UPDATE),
        ];
        &EVENTS
    }

    /// A class that delays binding was added, a claim of the Pod or a volume was added, or a volume's
    /// topology labels changed.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::StorageClass(class) => class.new.as_deref().is_some_and(|class| {
                class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer")
            }),
            ObjectUpdate::PersistentVolumeClaim(claim) => uses_claim(cx.pod, claim, false),
            ObjectUpdate::PersistentVolume(volume) => volume.both().is_none_or(|(old, new)| {
                let labels = |volume: &PersistentVolume, key: &str| {
                    annotation(volume.metadata.labels.as_ref(), key).map(str::to_owned)
                };
                TOPOLOGY_LABELS
                    .iter()
                    .any(|(key, _)| labels(old, key) != labels(new, key))
            }),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;
