//! NodeVolumeLimits: no more volumes on a node than its drivers can attach.
//!
//! **What it does.** Filter counts, per CSI driver, the volumes that the node's Pods use and those
//! that the Pod would add, and refuses the node when the sum is over the driver's limit there.
//!
//! **Why it exists.** Machines attach only so many disks; a Pod whose disk cannot be attached would
//! wait on its node forever.
//!
//! **Example.** `CSINode.spec.drivers[].allocatable.count` is 2 for `ebs.csi.aws.com`, two volumes are
//! in use: a Pod with a third gets `node(s) exceed max volume count`, a Pod that shares one of the two
//! fits, because a volume counts once.
//!
//! In-tree disks count for the driver that replaced them, and a claim without a volume counts for
//! the provisioner of its class. Without a CSINode, or without a count for the driver, there is no
//! limit.
//!
//! **Upstream.** `plugins/nodevolumelimits` of kube-scheduler v1.34. VolumeAttachment objects, which it
//! counts too, are not read here.

mod attachable;
mod hints;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::storage::v1::CSINode;

use super::helpers::volumes::volumes;
use crate::base::sort;
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::events::EnqueueExtensions;
use crate::framework::plugin::{Context, Filter, Plugin, PreFilter};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use crate::protocol::fact::{Fact, FactKind};
use attachable::{Attachable, Missing, Problem, attachable_volumes};

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

impl Plugin for NodeVolumeLimits {
    fn name(&self) -> &'static str {
        "NodeVolumeLimits"
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

/// The volumes of one driver on one node.
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

/// Counts by driver, for drivers that the Pod brings new volumes of and that have a limit.
fn count(cx: Context<'_>, node: &NodeInfo) -> Result<BTreeMap<String, Count>, Rejection> {
    let csi_node = cx.cluster.volumes().csi_nodes.get(&*node.name);
    let csi_node = csi_node.map(|node| &**node);
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
    for Attachable { driver, .. } in &attached {
        if let Some(count) = counts.get_mut(driver) {
            count.attached += 1;
        }
    }
    Ok(counts)
}

/// The limits of the node's drivers.
fn limits(csi_node: Option<&CSINode>) -> BTreeMap<&str, i64> {
    let drivers = csi_node.into_iter().flat_map(|node| &node.spec.drivers);
    let limited = drivers.filter_map(|driver| {
        let count = driver.allocatable.as_ref()?.count?;
        Some((driver.name.as_str(), i64::from(count)))
    });
    sort::gather(limited)
}

#[cfg(test)]
mod tests;
