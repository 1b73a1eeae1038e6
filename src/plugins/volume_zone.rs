//! VolumeZone: keeps a Pod in the zone of its volumes.
//!
//! **What it does.** PreFilter collects the zone and region labels of the PersistentVolumes behind
//! the Pod's claims; Filter refuses a node whose labels say otherwise.
//!
//! **Why it exists.** A cloud disk can be attached only in its own zone. Volumes from before node
//! affinity carry no more than a label that says where they are.
//!
//! **Example.** The volume has `topology.kubernetes.io/zone: a__b`: nodes in zones a and b can take
//! the Pod, a node in zone c answers `node(s) had no available volume zone`. A node without any zone
//! or region label is taken for a cluster without zones and passes.
//!
//! **Upstream.** `plugins/volumezone` of kube-scheduler v1.34.

use k8s_openapi::api::core::v1::PersistentVolume;

use super::helpers::volumes::migration::ZONE_DELIMITER;
use super::helpers::volumes::{
    annotation, bound_volume, claim_class, claim_not_found, named_claims, uses_claim,
    waits_for_consumer,
};
use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, Change, EnqueueExtensions, EventToRegister, Hint, Resource,
};
use crate::framework::plugin::{Context, Filter, Plugin, PreFilter};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use crate::protocol::fact::{Fact, FactKind};

const REASON: &str = "node(s) had no available volume zone";

/// Labels that say where a node or a volume is; each with the label that a node may have instead.
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

/// One label of one volume.
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

impl Plugin for VolumeZone {
    fn name(&self) -> &'static str {
        "VolumeZone"
    }
    fn as_pre_filter(&self) -> Option<&dyn PreFilter> {
        Some(self)
    }
    fn as_filter(&self) -> Option<&dyn Filter> {
        Some(self)
    }
    fn as_enqueue_extensions(&self) -> Option<&dyn EnqueueExtensions> {
        Some(self)
    }
}

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
            // PreFilter may be disabled in the profile; upstream collects the labels here then.
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
            let actual = place.actual(node).unwrap_or("nothing");
            let text = format!(
                "{} is {}, the node has {actual}",
                place.key,
                place.values.join(" or ")
            );
            Fact::new(FactKind::Volume {
                name: place.volume.clone(),
                text,
            })
            .in_node("metadata.labels")
        };
        places.iter().map(describe).collect()
    }
}

/// The labels of the volumes that the Pod's claims are bound to.
fn places(cx: Context<'_>) -> Result<Vec<Place>, Rejection> {
    let volumes = cx.cluster.volumes();
    let mut places = Vec::new();
    for name in named_claims(cx.pod) {
        let claim = volumes
            .claim(&cx.pod.object.namespace, name)
            .ok_or_else(|| Rejection::unresolvable(claim_not_found(name)))?;
        let Some(volume) = bound_volume(claim) else {
            check_unbound(cx, claim_class(claim))?;
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

/// A claim without a volume is fine only if the scheduler is to find one.
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
            let zones = annotation(labels, key)?.split(ZONE_DELIMITER);
            let values: Vec<String> = zones.map(|zone| zone.trim().to_owned()).collect();
            // A label with an empty zone among others cannot be read and is ignored.
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

    /// A class that leaves binding to the scheduler, a claim of the Pod, a new volume, or one that
    /// says otherwise where it is.
    fn hint(&self, cx: Context<'_>, change: &Change) -> Hint {
        Hint::queue_if(match change {
            Change::StorageClass(class) => class.new.as_deref().is_some_and(|class| {
                class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer")
            }),
            Change::PersistentVolumeClaim(claim) => uses_claim(cx.pod, claim, false),
            Change::PersistentVolume(volume) => volume.both().is_none_or(|(old, new)| {
                let labels = |volume: &PersistentVolume, key: &str| {
                    annotation(volume.metadata.labels.as_ref(), key).map(str::to_owned)
                };
                let keys = TOPOLOGY_LABELS.iter();
                let mut keys = keys.map(|(key, _)| *key);
                keys.any(|key| labels(old, key) != labels(new, key))
            }),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;
