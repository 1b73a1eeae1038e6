//! Helpers of several plugins.

#[cfg(test)]
pub mod fixture;
pub mod volumes;

use k8s_openapi::api::core::v1::{Taint, Toleration};

use crate::cluster::pod::PodInfo;
use crate::cluster::topology::{DomainIx, TopologyKeyIx};
use crate::cluster::{Cluster, NodeIx};
use crate::framework::events::ObjectUpdate;
use crate::framework::plugin::Context;
use berth_protocol::fact::{Fact, FactKind};

/// Whether the toleration matches the taint (`Toleration.ToleratesTaint`).
pub fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let effect = toleration.effect.as_deref().unwrap_or_default();
    let key = toleration.key.as_deref().unwrap_or_default();
    if (!effect.is_empty() && effect != taint.effect) || (!key.is_empty() && key != taint.key) {
        return false;
    }
    match toleration.operator.as_deref().unwrap_or_default() {
        "" | "Equal" => {
            toleration.value.as_deref().unwrap_or_default()
                == taint.value.as_deref().unwrap_or_default()
        }
        "Exists" => true,
        _ => false,
    }
}

/// The first untolerated taint with effect NoSchedule or NoExecute.
pub fn first_untolerated<'a>(
    taints: &'a [Taint],
    tolerations: &[Toleration],
) -> Option<(usize, &'a Taint)> {
    taints.iter().enumerate().find(|(_, taint)| {
        (taint.effect == "NoSchedule" || taint.effect == "NoExecute")
            && !tolerations
                .iter()
                .any(|toleration| tolerates(toleration, taint))
    })
}

/// The fact about an untolerated taint at `index` of the node's list.
pub fn taint_fact(index: usize, taint: &Taint) -> Fact {
    Fact::new(FactKind::Taint {
        key: taint.key.clone(),
        value: taint.value.clone().unwrap_or_default(),
        effect: taint.effect.clone(),
    })
    .in_pod("spec.tolerations")
    .in_node(format!("spec.taints[{index}]"))
}

/// The Pods on some nodes that count, as `namespace/name`.
pub fn pods_on(
    cluster: &Cluster,
    nodes: impl Iterator<Item = NodeIx>,
    counts: impl Fn(&PodInfo) -> bool,
) -> Vec<String> {
    let pods = nodes.flat_map(|node| &cluster.node(node).pods);
    pods.filter_map(|&pod| cluster.pods().get(pod))
        .filter(|pod| counts(pod))
        .map(|pod| pod.object.key())
        .collect()
}

/// The nodes with this value of a topology key, in the order in which they are scheduled.
pub fn nodes_in(
    cluster: &Cluster,
    key: TopologyKeyIx,
    domain: DomainIx,
) -> impl Iterator<Item = NodeIx> {
    let key = cluster.topology().key(key);
    let nodes = cluster.node_order().iter().copied();
    nodes.filter(move |&node| key.domain(node) == Some(domain))
}

/// Both versions, if the change is an update of the pending Pod itself.
pub fn own_update<'a>(
    cx: Context<'_>,
    change: &'a ObjectUpdate,
) -> Option<(&'a PodInfo, &'a PodInfo)> {
    let ObjectUpdate::Pod(pod) = change else {
        return None;
    };
    pod.both().filter(|(_, new)| new.ix == cx.pod.ix)
}

/// Whether a hint counts the Pod as placed: it has a node or, in some releases, is nominated to one.
pub fn is_placed(cx: Context<'_>, pod: &PodInfo) -> bool {
    let nominated = pod.object.nominated_node.is_some();
    pod.object.node_name.is_some() || nominated && cx.release().rules().hints_count_nominated
}

/// The deleted Pod, if it took room on a node: it was assigned or nominated.
pub fn freed_by(change: &ObjectUpdate) -> Option<&PodInfo> {
    let ObjectUpdate::Pod(pod) = change else {
        return None;
    };
    let deleted = pod.old.as_deref().filter(|_| pod.new.is_none())?;
    let object = &deleted.object;
    (object.node_name.is_some() || object.nominated_node.is_some()).then_some(deleted)
}
