//! NodeVolumeLimits: limits the volumes on a node to what its drivers can attach.
//!
//! - **Extension points**: PreFilter, Filter.
//! - **Why**: machines attach a limited number of disks; a Pod whose disk cannot be attached would
//!   wait on its node forever.
//! - **How**: Filter counts, per CSI driver, the volumes of the node's Pods and those that the Pod
//!   would add, with those that VolumeAttachments keep on the node, and rejects the node if the sum
//!   exceeds the driver's limit there. In-tree disks count for the driver that replaced them; a claim
//!   without a volume counts for its class's provisioner.
//!   Without a CSINode, or without a count for the driver, there is no limit.
//! - **Example**: `CSINode.spec.drivers[].allocatable.count` is 2 for `ebs.csi.aws.com`, and two
//!   volumes are in use. A Pod with a third gets `node(s) exceed max volume count`; a Pod that shares
//!   one of the two fits, because a volume counts once.
//! - **Upstream**: `plugins/nodevolumelimits`, v1.34.

mod attachable;
mod hints;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::storage::v1::CSINode;

use super::helpers::volumes::volumes;
use crate::cluster::Cluster;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Context, Filter, PreFilter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use attachable::{Attachable, Handle, Missing, Problem, attachable_volumes};
use berth_base::sort;
use berth_protocol::fact::{Fact, FactKind};

const REASON: &str = "node(s) exceed max volume count";

/// The plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeVolumeLimits;

impl NodeVolumeLimits {
    /// The plugin; it takes no arguments.
    pub fn new() -> Self {
        Self
    }
}

extends!(NodeVolumeLimits: PreFilter, Filter, EnqueueExtensions);

impl PreFilter for NodeVolumeLimits {
    fn pre_filter(&self, cx: Context<'_>, _state: &mut CycleState) -> PreFiltered {
        if volumes(cx.pod).iter().any(hints::may_be_attached) {
            PreFiltered::Continue
        } else {
            PreFiltered::Skip
        }
    }
}

impl Filter for NodeVolumeLimits {
    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        let counts = count(cx, node)?;
        if counts.values().any(Count::is_over) {
            return Err(Rejection::unschedulable(REASON));
        }
        Ok(())
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let fact = |(driver, count): (String, Count)| {
            Fact::new(FactKind::VolumeCount {
                driver,
                attached: count.attached,
                new: count.new,
                limit: count.limit,
            })
            .in_pod("spec.volumes")
        };
        count(cx, node).map_or_else(|_| Facts::new(), |c| c.into_iter().map(fact).collect())
    }
}

/// The volumes of one driver on a node.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    attached: i64,
    new: i64,
    limit: i64,
}

impl Count {
    fn is_over(&self) -> bool {
        self.attached + self.new > self.limit
    }
}

/// Counts by driver, for drivers with a limit to which the Pod adds volumes.
fn count(cx: Context<'_>, node: &NodeInfo) -> Result<BTreeMap<String, Count>, Rejection> {
    let csi_node = cx
        .cluster
        .volumes()
        .csi_nodes
        .get(&*node.name)
        .map(|node| &**node);
    let add = |pod: &PodInfo, missing: Missing, found: &mut BTreeSet<Attachable>| {
        attachable_volumes(cx.cluster, pod, csi_node, missing, found).map_err(|problem| {
            match problem {
                Problem::ClaimNotFound(message) => Rejection::unresolvable(message),
                Problem::Other(message) => Rejection::error(message),
            }
        })
    };
    let mut new = BTreeSet::new();
    add(cx.pod, Missing::IsProblem, &mut new)?;
    let limits = limits(csi_node);
    if new.is_empty() || limits.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut attached = BTreeSet::new();
    for pod in node
        .pods
        .iter()
        .filter_map(|&pod| cx.cluster.pods().get(pod))
    {
        add(pod, Missing::IsIgnored, &mut attached)?;
    }
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for Attachable { driver, .. } in new.difference(&attached) {
        if let Some(&limit) = limits.get(driver.as_str()) {
            let count = counts.entry(driver.clone()).or_default();
            count.new += 1;
            count.limit = limit;
        }
    }
    let known = attachments(cx.cluster, &node.name);
    for Attachable { driver, .. } in attached.union(&known) {
        if let Some(count) = counts.get_mut(driver) {
            count.attached += 1;
        }
    }
    Ok(counts)
}

/// The volumes that VolumeAttachments name. They may belong to no Pod of the node any more, or not yet.
fn attachments(cluster: &Cluster, node: &str) -> BTreeSet<Attachable> {
    let volumes = cluster.volumes();
    let found = volumes.attachments.of_node(node).filter_map(|it| {
        let (driver, source) = (&it.spec.attacher, &it.spec.source);
        let name = source.persistent_volume_name.as_ref()?;
        let volume = volumes.persistent_volumes.get(name)?;
        let csi = volume.spec.as_ref()?.csi.as_ref()?;
        (!driver.is_empty()).then(|| Attachable {
            driver: driver.clone(),
            handle: Handle::Volume(csi.volume_handle.clone()),
        })
    });
    found.collect()
}

/// The limits of the node's drivers.
fn limits(csi_node: Option<&CSINode>) -> BTreeMap<&str, i64> {
    let limited = csi_node
        .into_iter()
        .flat_map(|node| &node.spec.drivers)
        .filter_map(|driver| {
            let count = driver.allocatable.as_ref()?.count?;
            Some((driver.name.as_str(), i64::from(count)))
        });
    sort::gather(limited)
}

#[cfg(test)]
mod tests;
