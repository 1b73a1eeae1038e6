//! The status of a budget: the counts, the Pods that are being disrupted, and the allowed disruptions.

use std::collections::BTreeMap;

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};

use super::members::Members;
use super::scale::{Expected, expected};
use super::{DELETION_TIMEOUT_MS, selector_of};
use crate::audit_log::{Event, Level};
use crate::server::{ApiError, ApiServer, ms_of, set_allowed, set_allowed_to};
use crate::store::{Key, Store};

/// Evicted Pods that still exist, with the time of their eviction.
type Disrupted = BTreeMap<String, Time>;

/// Writes the current status. Returns when to sync again, in milliseconds.
///
/// # Errors
/// If the budget has changed since it was read.
pub(super) fn sync(
    budget: &PodDisruptionBudget,
    members: &Members,
    cache: &Store,
    api: &mut ApiServer,
) -> Result<Option<i64>, ApiError> {
    if members.count() == 0 {
        let message = "No matching pods found";
        api.event(Event::new(budget, Level::Normal, "NoPods", message));
    }
    let expected = match expected(budget, members, cache) {
        Ok(expected) => expected,
        Err(problem) => {
            let message = format!("Failed to calculate the number of expected pods: {problem}");
            let reason = "CalculateExpectedPodCountFailed";
            api.event(Event::new(budget, Level::Warning, reason, message));
            return fail_safe(budget, &problem, api).map(|()| None);
        }
    };
    if expected.left_out_unmanaged {
        record_unmanaged(budget, api);
    }
    let (disrupted, recheck_ms) = still_disrupted(budget, members, cache, api);
    let going = disrupted
        .keys()
        .filter_map(|name| members.staying(name))
        .filter(|healthy| *healthy)
        .count();
    let healthy = members.healthy() - i32::try_from(going).unwrap_or(i32::MAX);
    write(budget, expected, healthy, disrupted, api)?;
    Ok(recheck_ms)
}

fn write(
    budget: &PodDisruptionBudget,
    expected: Expected,
    healthy: i32,
    disrupted: Disrupted,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let spare = healthy.saturating_sub(expected.desired_healthy);
    // Without expected Pods nothing is allowed, since new Pods may exist before they are counted.
    let allowed = if expected.pods <= 0 { 0 } else { spare.max(0) };
    let before = budget.status.clone().unwrap_or_default();
    let mut status = PodDisruptionBudgetStatus {
        current_healthy: Some(healthy),
        desired_healthy: Some(expected.desired_healthy),
        expected_pods: Some(expected.pods),
        disruptions_allowed: Some(allowed),
        disrupted_pods: (!disrupted.is_empty()).then_some(disrupted),
        observed_generation: budget.metadata.generation,
        conditions: before.conditions,
    };
    set_allowed(&mut status, &api.now());
    let mut updated = budget.clone();
    updated.status = Some(status);
    api.update_status(&updated).map(drop)
}

/// No disruption is allowed while the expected number is unknown.
fn fail_safe(
    budget: &PodDisruptionBudget,
    problem: &str,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let mut updated = budget.clone();
    let status = updated.status.get_or_insert_default();
    status.current_healthy.get_or_insert(0);
    status.desired_healthy.get_or_insert(0);
    status.expected_pods.get_or_insert(0);
    status.disruptions_allowed = Some(0);
    set_allowed_to(status, "False", "SyncFailed", problem, &api.now());
    api.update_status(&updated).map(drop)
}

/// The evicted Pods that still exist and whose timeout has not expired, and when the first timeout expires.
fn still_disrupted(
    budget: &PodDisruptionBudget,
    members: &Members,
    cache: &Store,
    api: &mut ApiServer,
) -> (Disrupted, Option<i64>) {
    let noted = budget.status.as_ref();
    let noted = noted.and_then(|status| status.disrupted_pods.as_ref());
    let key = Key::of(&budget.metadata);
    let mut disrupted = Disrupted::new();
    let mut recheck_ms: Option<i64> = None;
    for (name, since) in noted.into_iter().flatten() {
        if members.staying(name).is_none() {
            continue;
        }
        let end_ms = ms_of(since).saturating_add(DELETION_TIMEOUT_MS);
        if end_ms > api.now_ms() {
            recheck_ms = Some(recheck_ms.map_or(end_ms, |other| other.min(end_ms)));
            disrupted.insert(name.clone(), since.clone());
        } else if let Some(pod) = cache.pods.get(&Key::new(key.namespace(), &**name)) {
            // The real message repeats the namespace in place of the name.
            let message = format!(
                "Pod was expected by PDB {0}/{0} to be deleted but it wasn't",
                key.namespace()
            );
            api.event(Event::new(&**pod, Level::Warning, "NotDeleted", message));
        }
    }
    (disrupted, recheck_ms)
}

fn record_unmanaged(budget: &PodDisruptionBudget, api: &mut ApiServer) {
    let message = format!(
        "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.",
        go_text(selector_of(budget))
    );
    api.event(Event::new(budget, Level::Warning, "UnmanagedPods", message));
}

/// Formats a selector as Go does.
fn go_text(selector: Option<&LabelSelector>) -> String {
    let Some(selector) = selector else {
        return "nil".to_owned();
    };
    let labels = selector
        .match_labels
        .iter()
        .flatten()
        .map(|(key, value)| format!("{key}: {value},"));
    let requirements = selector.match_expressions.iter().flatten().map(|it| {
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            it.key,
            it.operator,
            it.values.as_deref().unwrap_or_default().join(" ")
        )
    });
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
        labels.collect::<String>(),
        requirements.collect::<String>()
    )
}
