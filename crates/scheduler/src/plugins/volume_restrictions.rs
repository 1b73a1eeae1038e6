//! VolumeRestrictions: prevents conflicting mounts of the same disk.
//!
//! - **Extension points**: PreFilter, Filter.
//! - **Why**: two writers on such a disk destroy its file system, and `ReadWriteOncePod` guarantees
//!   one Pod in the whole cluster.
//! - **How**: Filter rejects a node where another Pod mounts the same in-tree disk (GCE PD, AWS EBS,
//!   iSCSI, Ceph RBD) in a way that cannot be shared. If the Pod uses a claim with access mode
//!   `ReadWriteOncePod` that a running Pod uses, Filter rejects every node.
//! - **Example**: a running Pod mounts the EBS volume `vol-1`: its node is rejected with
//!   `node(s) had no available disk` for a second Pod with `vol-1`, even if both only read. GCE PD,
//!   iSCSI and RBD may be shared if all mounts are read-only.
//! - **Upstream**: `plugins/volumerestrictions`, v1.34. Its rejections are `Unschedulable`:
//!   preempting the other Pod may help.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{RBDVolumeSource, Volume};

use super::helpers::volumes::{claim_not_found, named_claims, uses_claim, volumes};
use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, Filter, PreFilter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use berth_protocol::fact::{Fact, FactKind, VolumeOutcome};

const DISK_CONFLICT: &str = "node(s) had no available disk";
const CLAIM_CONFLICT: &str = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";
const NO_STATE: &str = "cannot read \"PreFilterVolumeRestrictions\" from cycleState";

/// The plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeRestrictions;

impl VolumeRestrictions {
    /// The plugin; it takes no arguments.
    pub fn new() -> Self {
        Self
    }
}

#[derive(Clone, Debug)]
struct State {
    /// The Pod's claims with access mode ReadWriteOncePod.
    exclusive_claims: BTreeSet<String>,
    /// Number of uses by running Pods.
    conflicts: i64,
}

impl State {
    /// How often a Pod's volumes name one of the claims. As upstream, only names are compared: in a dry
    /// run, a Pod of another namespace with a claim of the same name counts too.
    fn conflicts_with(&self, pod: &PodInfo) -> i64 {
        named_claims(pod)
            .filter(|name| self.exclusive_claims.contains(*name))
            .map(|_| 1)
            .sum()
    }
}

extends!(VolumeRestrictions: PreFilter, Filter, EnqueueExtensions);

impl PreFilter for VolumeRestrictions {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        let exclusive_claims = match exclusive_claims(cx) {
            Ok(claims) => claims,
            Err(rejection) => return PreFiltered::Rejected(rejection),
        };
        let conflicts = exclusive_claims
            .iter()
            .filter(|claim| is_used(cx.cluster, &cx.pod.object.namespace, claim))
            .map(|_| 1)
            .sum();
        if conflicts == 0 && !volumes(cx.pod).iter().any(is_exclusive_disk) {
            return PreFiltered::Skip;
        }
        state.write(State {
            exclusive_claims,
            conflicts,
        });
        PreFiltered::Continue
    }

    fn add_pod(&self, _: Context<'_>, state: &mut CycleState, added: &PodInfo, _: &NodeInfo) {
        if let Some(state) = state.read_mut::<State>() {
            state.conflicts += state.conflicts_with(added);
        }
    }

    fn remove_pod(&self, _: Context<'_>, state: &mut CycleState, removed: &PodInfo, _: &NodeInfo) {
        if let Some(state) = state.read_mut::<State>() {
            state.conflicts -= state.conflicts_with(removed);
        }
    }
}

impl Filter for VolumeRestrictions {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        if disk_conflicts(cx, node).next().is_some() {
            return Err(Rejection::unschedulable(DISK_CONFLICT));
        }
        match state.read::<State>() {
            None => Err(Rejection::error(NO_STATE)),
            Some(state) if state.conflicts > 0 => Err(Rejection::unschedulable(CLAIM_CONFLICT)),
            Some(_) => Ok(()),
        }
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let mut facts: Facts = disk_conflicts(cx, node)
            .map(|(index, volume, holder)| {
                let pod = holder.object.key().to_string();
                volume_fact(&volume.name, VolumeOutcome::SharedDisk { pod })
                    .in_pod(format!("spec.volumes[{index}]"))
            })
            .collect();
        let Some(state) = state.read::<State>().filter(|state| state.conflicts > 0) else {
            return facts;
        };
        for claim in &state.exclusive_claims {
            for holder in users(cx.cluster, &cx.pod.object.namespace, claim) {
                let pod = holder.object.key().to_string();
                facts.push(volume_fact(claim, VolumeOutcome::OncePod { pod }));
            }
        }
        facts
    }
}

fn volume_fact(name: &str, outcome: VolumeOutcome) -> Fact {
    Fact::new(FactKind::Volume {
        name: name.to_owned(),
        outcome,
    })
}

/// The Pod's claims with access mode ReadWriteOncePod; a claim that does not exist rejects the Pod.
fn exclusive_claims(cx: Context<'_>) -> Result<BTreeSet<String>, Rejection> {
    let mut claims = BTreeSet::new();
    for name in named_claims(cx.pod) {
        let claim = cx
            .cluster
            .volumes()
            .claim(&cx.pod.object.namespace, name)
            .ok_or_else(|| Rejection::unresolvable(claim_not_found(name)))?;
        let spec = claim.spec.as_ref();
        let mut modes = spec
            .and_then(|s| s.access_modes.as_ref())
            .into_iter()
            .flatten();
        if modes.any(|mode| mode == "ReadWriteOncePod") {
            claims.insert(name.to_owned());
        }
    }
    Ok(claims)
}

/// Assigned Pods that use the claim.
fn users<'a>(
    cluster: &'a Cluster,
    namespace: &'a str,
    claim: &'a str,
) -> impl Iterator<Item = &'a PodInfo> {
    cluster.pods().iter().filter(move |pod| {
        pod.node.is_some()
            && &*pod.object.namespace == namespace
            && named_claims(pod).any(|name| name == claim)
    })
}

fn is_used(cluster: &Cluster, namespace: &str, claim: &str) -> bool {
    users(cluster, namespace, claim).next().is_some()
}

/// The Pod's disks (with their index) that conflict with Pods of the node, and those Pods.
fn disk_conflicts<'a>(
    cx: Context<'a>,
    node: &'a NodeInfo,
) -> impl Iterator<Item = (usize, &'a Volume, &'a PodInfo)> {
    volumes(cx.pod)
        .iter()
        .enumerate()
        .filter(|(_, volume)| is_exclusive_disk(volume))
        .flat_map(move |(index, volume)| {
            node.pods
                .iter()
                .filter_map(move |&pod| cx.cluster.pods().get(pod))
                .filter(move |pod| volumes(pod).iter().any(|other| conflict(volume, other)))
                .map(move |pod| (index, volume, pod))
        })
}

/// Whether this plugin checks the volume's type.
fn is_exclusive_disk(volume: &Volume) -> bool {
    volume.gce_persistent_disk.is_some()
        || volume.aws_elastic_block_store.is_some()
        || volume.rbd.is_some()
        || volume.iscsi.is_some()
}

/// Whether two volumes are the same disk, mounted in a way that cannot be shared.
fn conflict(a: &Volume, b: &Volume) -> bool {
    if let (Some(a), Some(b)) = (&a.gce_persistent_disk, &b.gce_persistent_disk)
        && a.pd_name == b.pd_name
        && !both(a.read_only, b.read_only)
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.aws_elastic_block_store, &b.aws_elastic_block_store)
        && a.volume_id == b.volume_id
    {
        return true;
    }
    if let (Some(a), Some(b)) = (&a.iscsi, &b.iscsi)
        && a.iqn == b.iqn
        && !both(a.read_only, b.read_only)
    {
        return true;
    }
    matches!((&a.rbd, &b.rbd), (Some(a), Some(b)) if rbd_conflict(a, b))
}

/// RBD images are the same if pool and name agree and they share a Ceph monitor.
fn rbd_conflict(a: &RBDVolumeSource, b: &RBDVolumeSource) -> bool {
    // The API server defaults an absent pool to "rbd".
    let pool = |source: &RBDVolumeSource| source.pool.clone().unwrap_or_else(|| "rbd".to_owned());
    a.monitors.iter().any(|m| b.monitors.contains(m))
        && pool(a) == pool(b)
        && a.image == b.image
        && !both(a.read_only, b.read_only)
}

fn both(a: Option<bool>, b: Option<bool>) -> bool {
    a == Some(true) && b == Some(true)
}

impl EnqueueExtensions for VolumeRestrictions {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 3] = [
            EventToRegister::hinted(Resource::Pod, ActionType::DELETE),
            EventToRegister::always(Resource::Node, ActionType::ADD),
            EventToRegister::hinted(Resource::PersistentVolumeClaim, ActionType::ADD),
        ];
        &EVENTS
    }

    /// A deleted Pod of the namespace used a claim or a disk of this one, or a claim of this Pod was added.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::Pod(pod) => pod.old.as_deref().is_some_and(|gone| {
                let shares = |claim: &str| named_claims(cx.pod).any(|own| own == claim);
                let mut disks = volumes(cx.pod).iter();
                gone.object.namespace == cx.pod.object.namespace
                    && (named_claims(gone).any(shares)
                        || disks
                            .any(|disk| volumes(gone).iter().any(|other| conflict(disk, other))))
            }),
            ObjectUpdate::PersistentVolumeClaim(claim) => uses_claim(cx.pod, claim, false),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;
