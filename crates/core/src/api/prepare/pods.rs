//! Pods with a document of their own.

use k8s_openapi::api::core::v1::Pod;

use berth_scheduler::pod_object::{ControllerRef, Origin, shared_annotations};

use super::meta::{controller_of, is_from_cluster};
use super::request::PodRequest;

/// The creation request of a document.
pub(super) fn request_of(pod: &Pod) -> PodRequest {
    PodRequest {
        labels: pod.metadata.labels.clone().unwrap_or_default(),
        annotations: shared_annotations(&pod.metadata),
        controller: controller_of(&pod.metadata).map(ControllerRef::from),
        spec: pod.spec.clone().unwrap_or_default(),
        from_cluster: is_from_cluster(&pod.metadata),
    }
}

/// Where the Pod of this manifest comes from: one that a cluster or a controller made is dumped. Elsewhere a time of creation
/// means nothing, as the API server sets it.
pub(super) fn origin(pod: &Pod) -> Origin {
    let meta = &pod.metadata;
    if !is_from_cluster(meta) && controller_of(meta).is_none() {
        return Origin::New;
    }
    let created = meta.creation_timestamp.as_ref();
    Origin::Dump {
        created_ms: created.map(|time| time.0.as_millisecond()),
    }
}
