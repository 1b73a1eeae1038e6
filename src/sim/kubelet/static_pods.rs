//! Static Pods.

use k8s_openapi::api::core::v1::Pod;

use crate::sim::controllers::pods::annotation_of;

/// Where a Pod comes from: `file` for those of a node's manifest folder, `api` for all others.
pub(super) const SOURCE: &str = "kubernetes.io/config.source";
/// On the API's copy of a static Pod: the hash of its manifest.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
/// Priorities from here on are critical (`SystemCriticalPriority`).
const CRITICAL: i32 = 2_000_000_000;

/// Whether a Pod comes from a node, not from the API server.
pub(super) fn is_static(pod: &Pod) -> bool {
    annotation_of(pod, MIRROR).is_some()
        || annotation_of(pod, SOURCE).is_some_and(|source| source != "api")
}

/// Whether a kubelet never evicts it, and makes room for it (`IsCriticalPod`).
pub(super) fn is_critical(pod: &Pod) -> bool {
    let priority = pod.spec.as_ref().and_then(|spec| spec.priority);
    is_static(pod) || priority.is_some_and(|priority| priority >= CRITICAL)
}
