//! Pods that are written out in the input.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::prepared::{DocumentIndex, Phase, PodObject, PodTemplate};

use super::admission::PodRequest;
use super::meta::{
    FIRST_DOCUMENT_MS, controller_of, created_ms, is_from_cluster, name_of, namespace_of, uid_of,
};

/// What kubectl keeps to find out what was edited: a copy of the manifest, different for each Pod.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What the document asks for.
pub(super) fn request_of(pod: &Pod) -> PodRequest {
    PodRequest {
        labels: pod.metadata.labels.clone().unwrap_or_default(),
        annotations: shared_annotations(&pod.metadata),
        controller: controller_of(&pod.metadata),
        spec: pod.spec.clone().unwrap_or_default(),
        from_cluster: is_from_cluster(&pod.metadata),
    }
}

fn shared_annotations(meta: &ObjectMeta) -> BTreeMap<String, String> {
    let mut annotations = meta.annotations.clone().unwrap_or_default();
    annotations.remove(LAST_APPLIED);
    annotations
}

/// The Pod of a document: its own part of spec and status, beside the shared template.
///
/// `meta` is settled metadata. A Pod with a nodeName runs.
pub(super) fn pod_object(
    pod: &Pod,
    meta: &ObjectMeta,
    template: Arc<PodTemplate>,
    document: DocumentIndex,
) -> PodObject {
    let status = pod.status.as_ref();
    let node_name = non_empty(pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()));
    let created_ms = created_ms(document);
    let started = status.and_then(|status| status.start_time.as_ref());
    let started_ms = started.map(|time| time.0.as_millisecond());
    PodObject {
        namespace: Arc::from(namespace_of(meta)),
        name: Arc::from(name_of(meta)),
        uid: Arc::from(uid_of(meta)),
        document,
        template,
        phase: phase_of(status, node_name.is_some()),
        created_ms,
        start_ms: started_ms.or_else(|| node_name.as_ref().map(|_| created_ms)),
        node_name,
        terminating: meta.deletion_timestamp.is_some(),
        nominated_node: non_empty(status.and_then(|status| status.nominated_node_name.as_deref())),
        preempted_by_scheduler: status.is_some_and(was_preempted),
    }
}

/// What the Pods of one template share, of a Pod that was admitted.
pub(crate) fn template_of(pod: &Pod) -> PodTemplate {
    let PodRequest {
        labels,
        annotations,
        controller,
        mut spec,
        ..
    } = request_of(pod);
    spec.node_name = None;
    PodTemplate {
        labels,
        annotations,
        controller,
        spec,
    }
}

/// A Pod that was admitted at a time of its own, of no document.
pub(crate) fn stored_pod(pod: &Pod, template: Arc<PodTemplate>) -> PodObject {
    let made = pod.metadata.creation_timestamp.as_ref();
    let created_ms = made.map_or(FIRST_DOCUMENT_MS, |time| time.0.as_millisecond());
    let object = pod_object(pod, &pod.metadata, template, 0);
    let started = pod.status.as_ref();
    let started = started.and_then(|status| status.start_time.as_ref());
    PodObject {
        created_ms,
        start_ms: match (started, &object.node_name) {
            (Some(time), _) => Some(time.0.as_millisecond()),
            (None, node) => node.as_ref().map(|_| created_ms),
        },
        ..object
    }
}

fn non_empty(text: Option<&str>) -> Option<Arc<str>> {
    text.filter(|text| !text.is_empty()).map(Arc::from)
}

fn phase_of(status: Option<&PodStatus>, bound: bool) -> Phase {
    match status.and_then(|status| status.phase.as_deref()) {
        Some("Succeeded") => Phase::Succeeded,
        Some("Failed") => Phase::Failed,
        Some("Unknown") => Phase::Unknown,
        Some("Running") => Phase::Running,
        _ if bound => Phase::Running,
        _ => Phase::Pending,
    }
}

fn was_preempted(status: &PodStatus) -> bool {
    status.conditions.iter().flatten().any(|condition| {
        condition.type_ == "DisruptionTarget"
            && condition.status == "True"
            && condition.reason.as_deref() == Some("PreemptionByScheduler")
    })
}
