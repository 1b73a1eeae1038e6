//! Why a Pod's claims keep it from every node: which claim, and its class. PreFilter's message names neither.

use berth_protocol::remark::Remark;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::volumes::{bound_volume, class_of_claim};

/// The first claim of the Pod that is missing, or that is unbound although its class waits for no Pod; `None` if there is
/// none.
pub fn of(pod: &PodInfo, cluster: &Cluster) -> Option<Remark> {
    let volumes = pod.object.template.spec.volumes.iter().flatten();
    let mut claims = volumes.filter_map(|volume| volume.persistent_volume_claim.as_ref());
    claims.find_map(|claim| about(&claim.claim_name, &pod.object.namespace, cluster))
}

#[inline(never)]
fn about(name: &str, namespace: &str, cluster: &Cluster) -> Option<Remark> {
    let Some(claim) = cluster.volumes().claim(namespace, name) else {
        return Some(Remark::claim_missing(name, namespace));
    };
    if bound_volume(claim).is_some() {
        return None;
    }
    let class = class_of_claim(claim);
    let found = cluster.volumes().storage_classes.get(class);
    let mode = found.map(|class| class.volume_binding_mode.as_deref());
    match (class, mode) {
        (_, Some(Some("WaitForFirstConsumer"))) => None,
        ("", _) => Some(Remark::claim_without_class(name)),
        (class, None) => Some(Remark::claim_of_no_class(name, class)),
        (class, Some(_)) => Some(Remark::claim_unbound(name, class)),
    }
}
