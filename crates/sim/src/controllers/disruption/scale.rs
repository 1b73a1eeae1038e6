//! The expected number of Pods, from their controllers (`getExpectedPodCount`).

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::ReplicationController;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::members::Members;
use crate::controllers::claim::{resolve, resolve_reference};
use crate::store::{Store, controller_of};
use berth_core::api::controllers::scaled;

/// The requirements of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    pub pods: i32,
    pub desired_healthy: i32,
    /// Whether Pods without a controller were excluded.
    pub left_out_unmanaged: bool,
}

/// The number of expected Pods, and how many of them must be healthy.
///
/// # Errors
/// The reason if the number is unknown.
pub(super) fn expected(
    budget: &PodDisruptionBudget,
    members: &Members,
    cache: &Store,
) -> Result<Expected, String> {
    let spec = budget.spec.clone().unwrap_or_default();
    let (pods, desired_healthy) = match (&spec.max_unavailable, &spec.min_available) {
        (Some(most), _) => {
            let pods = expected_scale(budget, members, cache)?;
            let unavailable = number(most, pods)?;
            (pods, pods.saturating_sub(unavailable).max(0))
        }
        (None, Some(IntOrString::Int(least))) => {
            return Ok(Expected {
                pods: members.count(),
                desired_healthy: *least,
                left_out_unmanaged: false,
            });
        }
        (None, Some(least)) => {
            let pods = expected_scale(budget, members, cache)?;
            (pods, number(least, pods)?)
        }
        (None, None) => return Ok(Expected::default()),
    };
    Ok(Expected {
        pods,
        desired_healthy,
        left_out_unmanaged: members.has_unmanaged(),
    })
}

fn number(value: &IntOrString, total: i32) -> Result<i32, String> {
    let problem = "invalid value for IntOrString: invalid type: string is not a percentage";
    scaled(value, total, true).ok_or_else(|| problem.to_owned())
}

/// The sum of the replicas of all controllers of the Pods. Pods without a controller do not count.
fn expected_scale(
    budget: &PodDisruptionBudget,
    members: &Members,
    cache: &Store,
) -> Result<i32, String> {
    let mut sum: i32 = 0;
    let mut counted: Vec<String> = Vec::new();
    for owner in members.owners() {
        match scale_of(&owner.reference, &budget.metadata, cache)? {
            // Two ReplicaSets of one Deployment count once.
            Some((uid, _)) if counted.contains(&uid) => {}
            Some((uid, replicas)) => {
                sum = sum.saturating_add(replicas);
                counted.push(uid);
            }
            None => {
                let pod = members.first_of(owner);
                return Err(format!("found no controllers for pod {pod:?}"));
            }
        }
    }
    Ok(sum)
}

/// The UID and the replicas of the controller that determines the number of Pods; `None` if it is gone.
fn scale_of(
    reference: &OwnerReference,
    beside: &ObjectMeta,
    cache: &Store,
) -> Result<Option<(String, i32)>, String> {
    let group = reference.api_version.split_once('/');
    let group = group.map_or("", |(group, _)| group);
    let of = |replicas: Option<i32>| (reference.uid.clone(), replicas.unwrap_or(1));
    Ok(match (group, reference.kind.as_str()) {
        ("apps", "ReplicaSet") => {
            let set = resolve_reference::<ReplicaSet>(cache, beside, reference);
            set.and_then(|set| {
                let Some(owner) = controller_of(&set.metadata).filter(|it| it.kind == "Deployment")
                else {
                    return Some(of(set.spec.as_ref().and_then(|spec| spec.replicas)));
                };
                let deployment = resolve::<Deployment>(cache, &set.metadata)?;
                let spec = deployment.spec.as_ref();
                let replicas = spec.and_then(|spec| spec.replicas);
                Some((owner.uid.clone(), replicas.unwrap_or(1)))
            })
        }
        ("apps", "StatefulSet") => resolve_reference::<StatefulSet>(cache, beside, reference)
            .map(|set| of(set.spec.as_ref().and_then(|spec| spec.replicas))),
        ("", "ReplicationController") => {
            resolve_reference::<ReplicationController>(cache, beside, reference)
                .map(|it| of(it.spec.as_ref().and_then(|spec| spec.replicas)))
        }
        (group, kind) => return Err(no_scale(group, kind)),
    })
}

/// The API server's error for kinds without a scale subresource.
fn no_scale(group: &str, kind: &str) -> String {
    let mut resource = kind.to_lowercase();
    resource.push('s');
    if !group.is_empty() {
        resource = format!("{resource}.{group}");
    }
    format!("{resource} does not implement the scale subresource")
}
