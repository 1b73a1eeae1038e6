//! Reads Pods as an API server stores them.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, PodSpec, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{
    ControllerRef, DocumentIndex, Origin, Phase, PodObject, PodTemplate, Resized, resized,
};
use crate::meta::{controller_of, name_of, namespace_of, uid_of};

/// 2025-01-01T00:00:00Z in milliseconds since the Unix epoch: when a Pod was created that does not say.
pub const FIRST_MS: i64 = 1_735_689_600_000;

/// kubectl's copy of the manifest for finding edits, which differs between Pods.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The annotations of a Pod that Pods of its template share.
pub fn shared_annotations(meta: &ObjectMeta) -> BTreeMap<String, String> {
    let mut annotations = meta.annotations.clone().unwrap_or_default();
    annotations.remove(LAST_APPLIED);
    annotations
}

/// A Pod of a document: its own parts of spec and status, and the shared template.
///
/// `meta` is settled metadata. A Pod with a nodeName is running.
pub fn pod_object(
    pod: &Pod,
    meta: &ObjectMeta,
    template: Arc<PodTemplate>,
    document: DocumentIndex,
    created_ms: i64,
) -> PodObject {
    let status = pod.status.as_ref();
    let node_name = non_empty(pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()));
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
        origin: Origin::New,
        start_ms: started_ms.or_else(|| node_name.as_ref().map(|_| created_ms)),
        node_name,
        terminating: meta.deletion_timestamp.is_some(),
        nominated_node: non_empty(status.and_then(|status| status.nominated_node_name.as_deref())),
        preempted_by_scheduler: status.is_some_and(was_preempted),
        resized: status.and_then(resized::of_status).map(Arc::new),
        claim_names: status.map(claim_names).unwrap_or_default(),
    }
}

/// The claims of `status.resourceClaimStatuses`.
pub fn claim_names(status: &PodStatus) -> Arc<[(String, Option<String>)]> {
    let made = status.resource_claim_statuses.iter().flatten();
    made.map(|it| (it.name.clone(), it.resource_claim_name.clone()))
        .collect()
}

/// The template of an admitted Pod: the part that Pods share.
pub fn template_of(pod: &Pod) -> PodTemplate {
    let mut spec = pod.spec.clone().unwrap_or_default();
    spec.node_name = None;
    PodTemplate {
        labels: pod.metadata.labels.clone().unwrap_or_default(),
        annotations: shared_annotations(&pod.metadata),
        controller: controller_of(&pod.metadata).map(ControllerRef::from),
        spec,
    }
}

/// Whether [`template_of`] the Pod equals the template; compares without copying.
pub fn is_of_template(pod: &Pod, template: &PodTemplate) -> bool {
    let (nothing, unspecified) = (BTreeMap::new(), PodSpec::default());
    let meta = &pod.metadata;
    let spec = pod.spec.as_ref().unwrap_or(&unspecified);
    let annotations = meta.annotations.as_ref().unwrap_or(&nothing);
    if spec.node_name.is_some() || annotations.contains_key(LAST_APPLIED) {
        return template_of(pod) == *template;
    }
    *meta.labels.as_ref().unwrap_or(&nothing) == template.labels
        && *annotations == template.annotations
        && controller_of(meta).map(ControllerRef::from) == template.controller
        && *spec == template.spec
}

/// The fields of a Pod that the scheduler reads and that status updates change.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusFields {
    pub phase: Phase,
    /// Milliseconds since the Unix epoch.
    pub start_ms: Option<i64>,
    pub terminating: bool,
    /// The part about the Pod's resources.
    pub resized: Option<Arc<Resized>>,
}

/// These fields of a stored Pod.
pub fn status_fields_of(pod: &Pod) -> StatusFields {
    let status = pod.status.as_ref();
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    let has_node = node.is_some_and(|node| !node.is_empty());
    let started = status.and_then(|status| status.start_time.as_ref());
    let started_ms = started.map(|time| time.0.as_millisecond());
    StatusFields {
        phase: phase_of(status, has_node),
        start_ms: started_ms.or_else(|| has_node.then(|| stored_created_ms(pod))),
        terminating: pod.metadata.deletion_timestamp.is_some(),
        resized: status.and_then(resized::of_status).map(Arc::new),
    }
}

fn stored_created_ms(pod: &Pod) -> i64 {
    let made = pod.metadata.creation_timestamp.as_ref();
    made.map_or(FIRST_MS, |time| time.0.as_millisecond())
}

/// A Pod as an API server stores it, which has no document. `template`: [`template_of`] it, shared with Pods that have
/// the same.
pub fn stored_pod(pod: &Pod, template: Arc<PodTemplate>) -> PodObject {
    pod_object(pod, &pod.metadata, template, 0, stored_created_ms(pod))
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
