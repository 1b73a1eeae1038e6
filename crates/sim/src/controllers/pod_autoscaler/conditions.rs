//! Conditions of autoscalers; a changed condition keeps its place in the list.

use k8s_openapi::api::autoscaling::v2::{
    HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

pub(super) const ABLE: &str = "AbleToScale";
pub(super) const ACTIVE: &str = "ScalingActive";
pub(super) const LIMITED: &str = "ScalingLimited";

/// Sets a condition. Its transition time changes with its status only.
pub(super) fn set(
    status: &mut HorizontalPodAutoscalerStatus,
    kind: &str,
    holds: bool,
    (reason, message): (&str, &str),
    now: &Time,
) {
    let conditions = status.conditions.get_or_insert_default();
    let value = if holds { "True" } else { "False" };
    let known = conditions.iter().position(|known| known.type_ == kind);
    let before = known.and_then(|at| conditions.get(at));
    let same = before.filter(|before| before.status == value);
    let since = same.and_then(|same| same.last_transition_time.clone());
    let condition = HorizontalPodAutoscalerCondition {
        type_: kind.to_owned(),
        status: value.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_transition_time: since.or_else(|| Some(now.clone())),
    };
    match known.and_then(|at| conditions.get_mut(at)) {
        Some(slot) => *slot = condition,
        None => conditions.push(condition),
    }
}
