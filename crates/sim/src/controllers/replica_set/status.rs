//! The status of a ReplicaSet.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetCondition, ReplicaSetStatus};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{Replicated, replicas};
use crate::controllers::conditions;
use crate::controllers::owned_pods::PodOwner;
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use berth_scheduler::release::Gate;
use berth_scheduler::selector;

const REPLICA_FAILURE: &str = "ReplicaFailure";

/// Writes the status if it differs, and returns it. `pods`: the active ones and the number of terminating ones; `failure` is the error of creating or deleting Pods.
pub(super) fn update<O: Replicated>(
    owner: &O,
    set: &ReplicaSet,
    pods: (&[Arc<Pod>], usize),
    failure: Option<&ApiError>,
    api: &mut ApiServer,
) -> Result<ReplicaSetStatus, ApiError> {
    let current = set.status.clone().unwrap_or_default();
    let status = calculate(set, &current, pods, failure, api);
    let changed = owner.with_status(status.clone());
    // Not every kind has every field.
    if changed.as_set().status.clone().unwrap_or_default() == current {
        return Ok(status);
    }
    api.update_status(&changed)?;
    Ok(status)
}

fn calculate(
    set: &ReplicaSet,
    current: &ReplicaSetStatus,
    (active, terminating): (&[Arc<Pod>], usize),
    failure: Option<&ApiError>,
    api: &ApiServer,
) -> ReplicaSetStatus {
    let template = set.spec.as_ref().and_then(|spec| spec.template.as_ref());
    let labels = template.and_then(|template| template.metadata.as_ref()?.labels.clone());
    let labels = LabelSelector {
        match_labels: labels,
        match_expressions: None,
    };
    let wait = set.min_ready_seconds();
    let count = |counts: &dyn Fn(&Pod) -> bool| {
        let counted = active.iter().filter(|pod| counts(pod)).count();
        i32::try_from(counted).unwrap_or(i32::MAX)
    };
    let nonzero = |number: i32| (number != 0).then_some(number);
    let mut status = ReplicaSetStatus {
        replicas: count(&|_| true),
        fully_labeled_replicas: nonzero(count(&|pod| {
            selector::matches(
                &labels,
                pod.metadata.labels.as_ref().unwrap_or(&Default::default()),
            )
        })),
        ready_replicas: nonzero(count(&pod_util::is_ready)),
        available_replicas: nonzero(count(&|pod| {
            pod_util::is_available(pod, wait, api.now_ms())
        })),
        observed_generation: set.metadata.generation,
        conditions: current.conditions.clone(),
        terminating_replicas: api
            .release()
            .is_on(Gate::DeploymentReplicaSetTerminatingReplicas)
            .then(|| i32::try_from(terminating).unwrap_or(i32::MAX)),
    };
    let failed_before = conditions::find(status.conditions.as_deref(), REPLICA_FAILURE).is_some();
    match failure {
        Some(error) if !failed_before => {
            let missing = active.len() < usize::try_from(replicas(set)).unwrap_or(0);
            let reason = if missing {
                "FailedCreate"
            } else {
                "FailedDelete"
            };
            let condition = ReplicaSetCondition {
                type_: REPLICA_FAILURE.to_owned(),
                status: "True".to_owned(),
                reason: Some(reason.to_owned()),
                message: Some(error.to_string()),
                last_transition_time: Some(api.now()),
            };
            conditions::set(&mut status.conditions, condition);
        }
        None if failed_before => conditions::remove(&mut status.conditions, REPLICA_FAILURE),
        _ => {}
    }
    status
}
