//! PreFilter: checks the Pod's claims and splits them into bound and waiting ones.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, TopologySelectorTerm};
use k8s_openapi::api::storage::v1::CSIStorageCapacity;

use super::matching::{Candidates, node_affinity};
use crate::cluster::Cluster;
use crate::framework::plugin::Context;
use crate::framework::status::Rejection;
use crate::plugins::helpers::volumes::migration::InTree;
use crate::plugins::helpers::volumes::{
    PodClaim, annotation, check_owner, claim_not_found, claim_of, volumes, waits_for_consumer,
};
use crate::selector::compiled::{NodeTerms, Selector};
use crate::volumes::{bound_volume, class_of_claim, requested_storage};
use berth_base::quantity::Quantity;

const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// On a claim: the node for which an earlier attempt chose to provision its volume.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// A Pod's claims, in the order of its volumes.
#[derive(Debug, Default)]
pub(super) struct PodClaims {
    pub bound: Vec<BoundClaim>,
    /// Claims that wait for their first consumer.
    pub waiting: Vec<WaitingClaim>,
}

/// A claim that is bound to a volume.
#[derive(Debug)]
pub(super) struct BoundClaim {
    pub name: String,
    pub volume: String,
    /// `None` if the volume does not exist.
    pub place: Option<Place>,
}

/// The nodes where a bound volume can be used.
#[derive(Debug)]
pub(super) struct Place {
    /// `None`: all nodes.
    pub affinity: Option<NodeTerms>,
    /// For in-tree volumes: the affinity on nodes whose kubelet has migrated the plugin.
    pub migrated: Option<(InTree, Result<Option<NodeTerms>, String>)>,
}

/// A claim that is bound once a node is chosen.
#[derive(Debug)]
pub(super) struct WaitingClaim {
    pub name: String,
    pub claim: Arc<PersistentVolumeClaim>,
    /// The node for which an earlier attempt had the volume provisioned.
    pub selected_node: Option<String>,
    pub candidates: Candidates,
    pub provisioning: Provisioning,
}

/// Whether and where the claim's class can provision a volume.
#[derive(Debug)]
pub(super) struct Provisioning {
    /// `None`: the class cannot provision.
    pub provisioner: Option<String>,
    /// `allowedTopologies`; empty allows all.
    pub topologies: Vec<TopologySelectorTerm>,
    /// The nodes for which the driver has published enough capacity; `None` if it does not track its capacity.
    pub rooms: Option<Vec<Selector>>,
}

/// The Pod's claims; `None` if it has none. `Err` if the claims rule out every node.
pub(super) fn pod_claims(cx: Context<'_>) -> Result<Option<PodClaims>, Rejection> {
    let references = volumes(cx.pod).iter().filter_map(|v| claim_of(cx.pod, v));
    let mut found = Vec::new();
    for reference in references {
        found.push(checked_claim(cx, &reference).map_err(Rejection::unresolvable)?);
    }
    if found.is_empty() {
        return Ok(None);
    }
    sorted(cx, found).map(Some)
}

/// The claims by what they wait for. Cold: kept out of the first download.
#[inline(never)]
fn sorted(
    cx: Context<'_>,
    found: Vec<&Arc<PersistentVolumeClaim>>,
) -> Result<PodClaims, Rejection> {
    let mut claims = PodClaims::default();
    let mut immediate_unbound = false;
    for claim in found {
        let waits = waits_for_consumer(cx.cluster, class_of_claim(claim)) == Some(true);
        match bound_volume(claim) {
            Some(volume) if is_bind_completed(claim) => {
                claims.bound.push(bound_claim(cx.cluster, claim, volume));
            }
            None if waits => claims.waiting.push(waiting_claim(cx.cluster, claim)),
            _ => immediate_unbound = true,
        }
    }
    if immediate_unbound {
        return Err(Rejection::unresolvable(
            "pod has unbound immediate PersistentVolumeClaims",
        ));
    }
    Ok(claims)
}

fn is_bind_completed(claim: &PersistentVolumeClaim) -> bool {
    annotation(claim.metadata.annotations.as_ref(), BIND_COMPLETED).is_some()
}

/// The claim, if the Pod can use it.
#[inline(never)]
fn checked_claim<'a>(
    cx: Context<'a>,
    reference: &PodClaim<'_>,
) -> Result<&'a Arc<PersistentVolumeClaim>, String> {
    let name = &reference.name;
    let claim = reference.find(cx.cluster, cx.pod).ok_or_else(|| {
        if reference.ephemeral {
            format!(
                "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\""
            )
        } else {
            claim_not_found(name)
        }
    })?;
    let status = claim.status.as_ref();
    if status.and_then(|status| status.phase.as_deref()) == Some("Lost") {
        let volume = bound_volume(claim).unwrap_or_default();
        return Err(format!(
            "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{volume}\""
        ));
    }
    if claim.metadata.deletion_timestamp.is_some() {
        return Err(format!("persistentvolumeclaim \"{name}\" is being deleted"));
    }
    if reference.ephemeral {
        check_owner(cx.pod, claim)?;
    }
    Ok(claim)
}

fn bound_claim(cluster: &Cluster, claim: &PersistentVolumeClaim, volume: &str) -> BoundClaim {
    let object = cluster.volumes().persistent_volumes.get(volume);
    BoundClaim {
        name: claim.metadata.name.clone().unwrap_or_default(),
        volume: volume.to_owned(),
        place: object.map(|volume| place(volume)),
    }
}

fn place(volume: &PersistentVolume) -> Place {
    let migrated = InTree::of_persistent(volume)
        .filter(|plugin| plugin.is_translated())
        .map(|plugin| {
            let affinity = InTree::handle(volume).map(|_| {
                plugin
                    .translated_affinity(volume)
                    .as_ref()
                    .map(NodeTerms::new)
            });
            (plugin, affinity)
        });
    Place {
        affinity: node_affinity(volume),
        migrated,
    }
}

fn waiting_claim(cluster: &Cluster, claim: &Arc<PersistentVolumeClaim>) -> WaitingClaim {
    let selected = annotation(claim.metadata.annotations.as_ref(), SELECTED_NODE);
    WaitingClaim {
        name: claim.metadata.name.clone().unwrap_or_default(),
        claim: Arc::clone(claim),
        selected_node: selected.map(str::to_owned),
        candidates: Candidates::find(cluster, claim),
        provisioning: provisioning(cluster, claim),
    }
}

fn provisioning(cluster: &Cluster, claim: &PersistentVolumeClaim) -> Provisioning {
    let class = cluster.volumes().storage_classes.get(class_of_claim(claim));
    let provisioner = class
        .map(|class| class.provisioner.clone())
        .filter(|name| !name.is_empty() && name != NO_PROVISIONER);
    let driver = provisioner
        .as_ref()
        .and_then(|name| cluster.volumes().csi_drivers.get(name));
    let publishes_capacity = driver.is_some_and(|d| d.spec.storage_capacity == Some(true));
    Provisioning {
        topologies: class
            .and_then(|class| class.allowed_topologies.clone())
            .unwrap_or_default(),
        rooms: requested_storage(claim)
            .filter(|_| publishes_capacity)
            .map(|wanted| rooms(cluster, class_of_claim(claim), wanted.value())),
        provisioner,
    }
}

/// The topologies of a class that have room for a volume (`hasEnoughCapacity`). Each claim is compared on its own.
fn rooms(cluster: &Cluster, class: &str, bytes: i64) -> Vec<Selector> {
    cluster
        .volumes()
        .storage_capacities
        .values()
        .filter(|capacity| capacity.storage_class_name == class)
        .filter(|capacity| volume_limit(capacity).is_some_and(|limit| limit >= bytes))
        .map(|capacity| Selector::new(capacity.node_topology.as_ref()))
        .collect()
}

/// The size in bytes of the largest volume; `None` if the driver says nothing.
pub(super) fn volume_limit(capacity: &CSIStorageCapacity) -> Option<i64> {
    let largest = capacity.maximum_volume_size.as_ref();
    let limit = largest.or(capacity.capacity.as_ref())?;
    Some(Quantity::parse(&limit.0).ok()?.value())
}
