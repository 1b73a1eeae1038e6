//! The volumes of a Pod that count against a driver's limit on a node.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Volume};
use k8s_openapi::api::storage::v1::CSINode;

use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::plugins::helpers::volumes::migration::InTree;
use crate::plugins::helpers::volumes::{check_owner, claim_not_found, claim_of, volumes};
use crate::release::Release;
use crate::volumes::{bound_volume, class_of_claim};

/// A volume as identified by its driver: equal volumes are attached once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Attachable {
    pub driver: String,
    pub handle: Handle,
}

/// Distinguishes the volumes of a driver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Handle {
    Volume(String),
    /// Not provisioned yet: namespace and name of the claim.
    Claim(String, String),
}

/// Why a Pod's volumes cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    ClaimNotFound(String),
    Other(String),
}

/// How to count a claim that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// An error: the Pod cannot run without it.
    IsProblem,
    /// Ignored: the Pod runs already, with an unknown volume.
    IsIgnored,
}

/// Adds the Pod's attachable volumes to `found`.
pub(super) fn attachable_volumes(
    cluster: &Cluster,
    pod: &PodInfo,
    csi_node: Option<&CSINode>,
    missing: Missing,
    found: &mut BTreeSet<Attachable>,
) -> Result<(), Problem> {
    for volume in volumes(pod) {
        let Some(reference) = claim_of(pod, volume) else {
            found.extend(inline(cluster.release(), volume, csi_node)?);
            continue;
        };
        let Some(claim) = reference.find(cluster, pod) else {
            if missing == Missing::IsIgnored {
                continue;
            }
            let (namespace, name) = (&pod.object.namespace, &reference.name);
            let message = claim_not_found(name);
            return Err(Problem::ClaimNotFound(format!(
                "looking up PVC {namespace}/{name}: {message}"
            )));
        };
        if reference.ephemeral {
            check_owner(pod, claim).map_err(Problem::Other)?;
        }
        found.extend(claimed(cluster, pod, claim, csi_node));
    }
    Ok(())
}

/// Whether volumes of that type count against their driver's limit on the node. They do wherever
/// there is a CSINode; in some releases Portworx volumes only if the kubelet has migrated the plugin.
fn counts_on(release: &Release, plugin: InTree, csi_node: Option<&CSINode>) -> bool {
    let asks_kubelet = plugin == InTree::Portworx && release.rules().portworx_needs_annotation;
    let handed_over = !asks_kubelet || plugin.is_migrated_on(csi_node);
    csi_node.is_some() && plugin.is_translated() && handed_over
}

fn inline(
    release: &Release,
    volume: &Volume,
    csi_node: Option<&CSINode>,
) -> Result<Option<Attachable>, Problem> {
    let plugin = InTree::of_inline(volume).filter(|&plugin| counts_on(release, plugin, csi_node));
    let Some(plugin) = plugin else {
        return Ok(None);
    };
    let handle = InTree::inline_handle(volume).map_err(|error| {
        let name = &volume.name;
        Problem::Other(format!(
            "converting volume({name}) from inline to csi: {error}"
        ))
    })?;
    Ok(handle.map(|handle| Attachable {
        driver: plugin.driver().to_owned(),
        handle: Handle::Volume(handle),
    }))
}

fn claimed(
    cluster: &Cluster,
    pod: &PodInfo,
    claim: &PersistentVolumeClaim,
    csi_node: Option<&CSINode>,
) -> Option<Attachable> {
    let volume = bound_volume(claim).and_then(|n| cluster.volumes().persistent_volumes.get(n));
    let Some(volume) = volume else {
        return to_be_provisioned(cluster, pod, claim, csi_node);
    };
    let (driver, handle) = match volume.spec.as_ref().and_then(|spec| spec.csi.as_ref()) {
        Some(csi) => (csi.driver.clone(), csi.volume_handle.clone()),
        None => {
            let plugin = InTree::of_persistent(volume)
                .filter(|&p| counts_on(cluster.release(), p, csi_node))?;
            (plugin.driver().to_owned(), InTree::handle(volume).ok()??)
        }
    };
    (!driver.is_empty() && !handle.is_empty()).then_some(Attachable {
        driver,
        handle: Handle::Volume(handle),
    })
}

/// A claim without a volume, or whose volume was deleted, counts for its class's provisioner.
fn to_be_provisioned(
    cluster: &Cluster,
    pod: &PodInfo,
    claim: &PersistentVolumeClaim,
    csi_node: Option<&CSINode>,
) -> Option<Attachable> {
    let class = cluster
        .volumes()
        .storage_classes
        .get(class_of_claim(claim))?;
    let driver = match InTree::by_name(&class.provisioner) {
        Some(plugin) if !counts_on(cluster.release(), plugin, csi_node) => return None,
        Some(plugin) => plugin.driver(),
        None => class.provisioner.as_str(),
    };
    (!driver.is_empty()).then(|| Attachable {
        driver: driver.to_owned(),
        handle: Handle::Claim(
            pod.object.namespace.to_string(),
            claim.metadata.name.clone().unwrap_or_default(),
        ),
    })
}
