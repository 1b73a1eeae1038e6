//! Accessors and predicates of Pods (`pkg/api/v1/pod` and `pkg/controller`, Kubernetes v1.34).

use std::cmp::Ordering;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container, ContainerStatus, Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::store::uid_of;
use crate::virtual_time::ms_of;
use berth_base::sort;

/// `spec.nodeName`, empty if it has none yet.
pub fn node_of(pod: &Pod) -> &str {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    node.unwrap_or_default()
}

/// `status.phase`, empty before the API server has seen the Pod.
pub fn phase_of(pod: &Pod) -> &str {
    let status = pod.status.as_ref();
    status
        .and_then(|status| status.phase.as_deref())
        .unwrap_or_default()
}

/// A label's value, empty if absent.
pub fn label_of<'a>(pod: &'a Pod, key: &str) -> &'a str {
    let labels = pod.metadata.labels.as_ref();
    labels
        .and_then(|all| all.get(key))
        .map_or("", String::as_str)
}

/// An annotation's value.
pub fn annotation_of<'a>(pod: &'a Pod, key: &str) -> Option<&'a str> {
    let annotations = pod.metadata.annotations.as_ref()?;
    annotations.get(key).map(String::as_str)
}

pub fn is_terminating(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
}

/// Whether it has succeeded or failed.
pub fn is_finished(pod: &Pod) -> bool {
    matches!(phase_of(pod), "Succeeded" | "Failed")
}

/// Whether it is neither finished nor terminating (`IsPodActive`).
pub fn is_active(pod: &Pod) -> bool {
    !is_finished(pod) && !is_terminating(pod)
}

/// The condition of a type.
pub fn condition<'a>(pod: &'a Pod, kind: &str) -> Option<&'a PodCondition> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().find(|condition| condition.type_ == kind)
}

/// The condition `Ready`.
pub fn ready_condition(pod: &Pod) -> Option<&PodCondition> {
    condition(pod, "Ready")
}

/// Sets a condition with its observed generation, and with a new transition time if its status changes
/// (`UpdatePodCondition`). Returns whether anything changed.
pub fn set_condition(pod: &mut Pod, mut new: PodCondition, now: &Time) -> bool {
    new.observed_generation = pod.metadata.generation;
    put_condition(pod, new, now)
}

/// [`set_condition`] without an observed generation.
pub fn put_condition(pod: &mut Pod, mut new: PodCondition, now: &Time) -> bool {
    new.last_transition_time = Some(now.clone());
    let status = pod.status.get_or_insert_default();
    let conditions = status.conditions.get_or_insert_default();
    let Some(old) = conditions.iter_mut().find(|old| old.type_ == new.type_) else {
        conditions.push(new);
        return true;
    };
    if old.status == new.status {
        new.last_transition_time
            .clone_from(&old.last_transition_time);
    }
    let changed = *old != new;
    *old = new;
    changed
}

/// The type of the condition that holds the reason for a Pod's deletion.
pub const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// A `DisruptionTarget` condition.
pub fn disruption_target(reason: &str, message: &str) -> PodCondition {
    PodCondition {
        type_: DISRUPTION_TARGET.to_owned(),
        status: "True".to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        ..PodCondition::default()
    }
}

pub fn is_ready(pod: &Pod) -> bool {
    ready_condition(pod).is_some_and(|condition| condition.status == "True")
}

/// Since when it is ready, in milliseconds; `None` if it is not.
pub fn ready_since(pod: &Pod) -> Option<i64> {
    let condition = ready_condition(pod).filter(|condition| condition.status == "True")?;
    condition.last_transition_time.as_ref().map(ms_of)
}

/// Whether it has been ready for `min_ready_seconds` (`IsPodAvailable`).
pub fn is_available(pod: &Pod, min_ready_seconds: i32, now_ms: i64) -> bool {
    let wait_ms = i64::from(min_ready_seconds).saturating_mul(1_000);
    is_ready(pod)
        && (wait_ms == 0
            || ready_since(pod).is_some_and(|since| since.saturating_add(wait_ms) <= now_ms))
}

/// In how many milliseconds the next of these Pods has been ready for long enough (`FindMinNextPodAvailabilityCheck`).
pub fn next_available_in_ms<'a>(
    pods: impl Iterator<Item = &'a Pod>,
    min_ready_seconds: i32,
    now_ms: i64,
) -> Option<i64> {
    let wait_ms = i64::from(min_ready_seconds).saturating_mul(1_000);
    let waiting = pods.filter(|pod| is_ready(pod) && !is_available(pod, min_ready_seconds, now_ms));
    let due = waiting.filter_map(|pod| Some(ready_since(pod)?.saturating_add(wait_ms)));
    due.min().map(|due| due.saturating_sub(now_ms))
}

/// Whether it runs and is ready, as StatefulSets require.
pub fn is_running_and_ready(pod: &Pod) -> bool {
    phase_of(pod) == "Running" && is_ready(pod)
}

/// When it was created, in milliseconds.
pub fn created_ms(pod: &Pod) -> i64 {
    pod.metadata.creation_timestamp.as_ref().map_or(0, ms_of)
}

/// Sort key for the oldest Pod first. Uids decide within one instant: counted uids grow in the order of creation.
pub fn by_creation(pod: &Pod) -> (i64, usize, &str) {
    let uid = uid_of(&pod.metadata);
    (created_ms(pod), uid.len(), uid)
}

/// Sorts Pods by creation, oldest first.
pub fn sort_by_creation<T: AsRef<Pod>>(own: &mut [T]) {
    sort::sort_by(own, |a, b| {
        by_creation(a.as_ref()).cmp(&by_creation(b.as_ref()))
    });
}

/// Its containers and sidecars: those that run as long as it does.
pub fn lasting_containers(pod: &Pod) -> impl Iterator<Item = &Container> {
    pod.spec.iter().flat_map(|spec| {
        let init = spec.init_containers.iter().flatten();
        let sidecars = init.filter(|own| own.restart_policy.as_deref() == Some("Always"));
        spec.containers.iter().chain(sidecars)
    })
}

/// Statuses of its containers.
pub fn container_statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let status = pod.status.iter();
    status.flat_map(|status| status.container_statuses.iter().flatten())
}

/// Statuses of its init containers.
pub fn init_container_statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let status = pod.status.iter();
    status.flat_map(|status| status.init_container_statuses.iter().flatten())
}

/// The highest restart count of its containers.
fn most_restarts(pod: &Pod) -> i32 {
    let restarts = container_statuses(pod).map(|status| status.restart_count);
    restarts.max().unwrap_or(0)
}

/// Unbound before bound; then Pending, Unknown, Running; then not ready before ready: the first three criteria of every
/// deletion order.
pub(super) fn by_progress(a: &Pod, b: &Pod) -> Ordering {
    let bound = |pod: &Pod| !node_of(pod).is_empty();
    let phase = |pod: &Pod| match phase_of(pod) {
        "Unknown" => 1,
        "Running" => 2,
        _ => 0,
    };
    bound(a)
        .cmp(&bound(b))
        .then_with(|| phase(a).cmp(&phase(b)))
        .then_with(|| is_ready(a).cmp(&is_ready(b)))
}

/// More restarts first.
pub(super) fn by_restarts(a: &Pod, b: &Pod) -> Ordering {
    most_restarts(b).cmp(&most_restarts(a))
}

/// Which Pods a Job deletes first (`ActivePods` of `pkg/controller`): the least progressed, then those
/// ready for the shortest time, with the most restarts, the youngest.
pub(super) fn deletion_order(a: &Arc<Pod>, b: &Arc<Pod>) -> Ordering {
    by_progress(a, b)
        .then_with(|| match (ready_since(a), ready_since(b)) {
            (Some(a), Some(b)) => b.cmp(&a),
            _ => Ordering::Equal,
        })
        .then_with(|| by_restarts(a, b))
        .then_with(|| created_ms(b).cmp(&created_ms(a)))
}
