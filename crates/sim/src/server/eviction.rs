//! The eviction subresource of Pods: a deletion that checks the budgets first.
//!
//! Mirrors `pkg/registry/core/pod/storage/eviction.go` of kube-apiserver v1.34.

use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use super::{ApiError, ApiServer};
use crate::pod_util;
use crate::store::{Key, namespace_of};
use berth_scheduler::selector;

/// Maximum number of evictions that the disruption controller has not confirmed yet.
const MAX_DISRUPTED_PODS: usize = 2_000;

const SEVERAL_BUDGETS: &str = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const WOULD_VIOLATE: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// The options of an eviction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvictOptions {
    /// Only checks whether the eviction would be accepted.
    pub dry_run: bool,
    /// Grace period in seconds, in place of the Pod's own.
    pub grace_seconds: Option<i64>,
}

impl ApiServer {
    /// Evicts a Pod if its budget allows it.
    ///
    /// # Errors
    /// `NotFound` if there is no such Pod, `TooManyRequests` if the budget does not allow it now, `Internal` if there
    /// are several budgets, `Forbidden` if the budget's status is implausible.
    pub fn evict(&mut self, key: &Key, options: EvictOptions) -> Result<(), ApiError> {
        let Some(pod) = self.store.pods.get(key).cloned() else {
            let (kind, key) = (Pod::KIND, key.clone());
            return Err(ApiError::NotFound { kind, key });
        };
        // The user asks for the eviction; the server itself deletes the Pod.
        let user_write = self.take_user_write();
        let evicted = self.evict_pod(&pod, key, options);
        self.set_user_write(user_write);
        if evicted.is_ok() {
            self.count_write();
        }
        evicted
    }

    fn evict_pod(
        &mut self,
        pod: &Arc<Pod>,
        key: &Key,
        options: EvictOptions,
    ) -> Result<(), ApiError> {
        if !is_free(pod) {
            self.ask_budgets(pod, options)?;
        }
        if options.dry_run {
            return Ok(());
        }
        let mut marked = (**pod).clone();
        let condition =
            pod_util::disruption_target("EvictionByEvictionAPI", "Eviction API: evicting");
        if pod_util::set_condition(&mut marked, condition, &self.now()) {
            self.update_status(&marked)?;
        }
        self.delete_within::<Pod>(key, options.grace_seconds)
    }

    fn ask_budgets(&mut self, pod: &Pod, options: EvictOptions) -> Result<(), ApiError> {
        let budgets = self.budgets_of(pod);
        let budget = match budgets.as_slice() {
            [] => return Ok(()),
            [budget] => budget,
            _ => {
                let message = SEVERAL_BUDGETS;
                return Err(ApiError::Internal { message });
            }
        };
        if !pod_util::is_ready(pod) && spares_unhealthy(budget) {
            return Ok(());
        }
        let mut budget = (**budget).clone();
        check_and_decrement(&mut budget, pod, &self.now())?;
        if !options.dry_run {
            self.update_status(&budget)?;
        }
        Ok(())
    }

    /// The budgets that a Pod belongs to. A missing selector selects nothing, an empty one everything.
    pub fn budgets_of(&self, pod: &Pod) -> Vec<Arc<PodDisruptionBudget>> {
        let namespace = namespace_of(&pod.metadata);
        let labels = pod.metadata.labels.clone().unwrap_or_default();
        let budgets = self.store.budgets.of_namespace(namespace);
        let own = budgets.filter(|budget| {
            let spec = budget.spec.as_ref();
            let wanted = spec.and_then(|spec| spec.selector.as_ref());
            selector::matches_optional(wanted, &labels)
        });
        own.cloned().collect()
    }
}

/// Whether a Pod may be evicted regardless of budgets: it is pending, finished or terminating (`canIgnorePDB`).
fn is_free(pod: &Pod) -> bool {
    // An empty phase counts as pending.
    let phase = pod_util::phase_of(pod);
    pod_util::is_terminating(pod) || matches!(phase, "" | "Pending" | "Succeeded" | "Failed")
}

/// Whether the eviction of a Pod that is not ready does not count: the policy is `AlwaysAllow`, or enough Pods are
/// healthy.
fn spares_unhealthy(budget: &PodDisruptionBudget) -> bool {
    let spec = budget.spec.as_ref();
    let policy = spec.and_then(|spec| spec.unhealthy_pod_eviction_policy.as_deref());
    let status = budget.status.clone().unwrap_or_default();
    let healthy = status.current_healthy.unwrap_or(0);
    let desired = status.desired_healthy.unwrap_or(0);
    policy == Some("AlwaysAllow") || (healthy >= desired && desired > 0)
}

/// Takes one of the allowed disruptions for this Pod (`checkAndDecrement`).
fn check_and_decrement(
    budget: &mut PodDisruptionBudget,
    pod: &Pod,
    now: &Time,
) -> Result<(), ApiError> {
    let key = Key::of(&budget.metadata);
    let name = key.name();
    let status = budget.status.get_or_insert_default();
    let refused = |cause: String| {
        let message = WOULD_VIOLATE;
        Err(ApiError::TooManyRequests { message, cause })
    };
    if status.observed_generation.unwrap_or(0) < budget.metadata.generation.unwrap_or(0) {
        return refused(format!(
            "The disruption budget {name} is still being processed by the server."
        ));
    }
    let allowed = status.disruptions_allowed.unwrap_or(0);
    let unbelievable = if allowed < 0 {
        Some("pdb disruptions allowed is negative")
    } else if disrupted(status) > MAX_DISRUPTED_PODS {
        Some("DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    } else {
        None
    };
    if let Some(message) = unbelievable {
        return Err(ApiError::Forbidden {
            kind: PodDisruptionBudget::KIND,
            key,
            message: message.to_owned(),
        });
    }
    if allowed == 0 {
        return refused(format!(
            "The disruption budget {name} needs {} healthy pods and has {} currently",
            status.desired_healthy.unwrap_or(0),
            status.current_healthy.unwrap_or(0)
        ));
    }
    status.disruptions_allowed = Some(allowed - 1);
    if allowed == 1 {
        set_allowed(status, now);
    }
    let pod_name = pod.metadata.name.clone().unwrap_or_default();
    let disrupted = status.disrupted_pods.get_or_insert_default();
    disrupted.insert(pod_name, now.clone());
    Ok(())
}

fn disrupted(status: &PodDisruptionBudgetStatus) -> usize {
    let pods = status.disrupted_pods.as_ref();
    pods.map_or(0, std::collections::BTreeMap::len)
}

/// Sets the condition `DisruptionAllowed` by the number of allowed disruptions.
pub(crate) fn set_allowed(status: &mut PodDisruptionBudgetStatus, now: &Time) {
    let (value, reason) = if status.disruptions_allowed.unwrap_or(0) > 0 {
        ("True", "SufficientPods")
    } else {
        ("False", "InsufficientPods")
    };
    set_allowed_to(status, value, reason, "", now);
}

/// Sets the condition `DisruptionAllowed`; its time changes with its status (`SetStatusCondition`).
pub(crate) fn set_allowed_to(
    status: &mut PodDisruptionBudgetStatus,
    value: &str,
    reason: &str,
    message: &str,
    now: &Time,
) {
    let mut new = Condition {
        type_: "DisruptionAllowed".to_owned(),
        status: value.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: status.observed_generation,
        last_transition_time: now.clone(),
    };
    let conditions = status.conditions.get_or_insert_default();
    match conditions.iter_mut().find(|old| old.type_ == new.type_) {
        Some(old) => {
            if old.status == new.status {
                new.last_transition_time = old.last_transition_time.clone();
            }
            *old = new;
        }
        None => conditions.push(new),
    }
}

#[cfg(test)]
mod tests;
