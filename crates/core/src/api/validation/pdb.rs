//! PodDisruptionBudgets.

use berth_protocol::remark::Remark;
use k8s_openapi::api::core::v1::{LimitRange, ResourceQuota};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{Value, json};

use super::metadata::{Naming, object_meta};
use super::selector::label_selector;
use super::{Errors, non_negative, one_of};
use crate::api::rules;
use berth_scheduler::field::{FieldError, Path};

/// Validates a PodDisruptionBudget.
pub fn disruption_budget(budget: &PodDisruptionBudget, errors: &mut Errors) {
    object_meta(&budget.metadata, Naming::Segment, errors);
    let Some(spec) = &budget.spec else { return };
    let path = Path::root().child("spec");
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        let error = FieldError::invalid(&path, internal_json(spec), detail);
        errors.push(error.help(Remark::remove_one()));
    }
    let bounds = [
        ("minAvailable", &spec.min_available),
        ("maxUnavailable", &spec.max_unavailable),
    ];
    for (field, bound) in bounds {
        if let Some(bound) = bound {
            int_or_percent(&path.child(field), bound, errors);
        }
    }
    label_selector(&path.child("selector"), spec.selector.as_ref(), errors);
    let policy = spec.unhealthy_pod_eviction_policy.as_ref();
    let supported = ["AlwaysAllow", "IfHealthyBudget"];
    one_of(
        &path.child("unhealthyPodEvictionPolicy"),
        policy,
        &supported,
        errors,
    );
}

/// A number, or a percentage of at most 100%.
pub(super) fn int_or_percent(path: &Path, bound: &IntOrString, errors: &mut Errors) {
    positive_int_or_percent(path, bound, errors);
    let IntOrString::String(text) = bound else {
        return;
    };
    let digits = digits_of(text);
    if digits.is_some_and(|digits| {
        digits.trim_start_matches('0').len() > 3
            || digits.parse::<u64>().is_ok_and(|percent| percent > 100)
    }) {
        errors.push(FieldError::invalid(
            path,
            text.as_str(),
            "must not be greater than 100%",
        ));
    }
}

/// The number before `%`; `None` if the text is not a percentage.
pub(super) fn digits_of(text: &str) -> Option<&str> {
    let digits = text.strip_suffix('%')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// A non-negative number, or a percentage.
pub(super) fn positive_int_or_percent(path: &Path, bound: &IntOrString, errors: &mut Errors) {
    let text = match bound {
        IntOrString::Int(number) => return non_negative(path, Some(*number), errors),
        IntOrString::String(text) => text,
    };
    if digits_of(text).is_none() {
        let detail = "a valid percent string must be a numeric string followed by an ending '%' \
                      (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
        errors.push(FieldError::invalid(path, text.as_str(), detail));
    }
}

/// A spec as the API server prints it: its internal type, whose fields have no JSON names.
fn internal_json(spec: &PodDisruptionBudgetSpec) -> Value {
    json!({
        "MinAvailable": spec.min_available,
        "Selector": spec.selector,
        "MaxUnavailable": spec.max_unavailable,
        "UnhealthyPodEvictionPolicy": spec.unhealthy_pod_eviction_policy,
    })
}

/// Validates a LimitRange.
pub(super) fn limit_range(range: &LimitRange, errors: &mut Errors) {
    object_meta(&range.metadata, Naming::Subdomain, errors);
    rules::object("LimitRange", range, errors);
}

/// Validates a ResourceQuota.
pub(super) fn resource_quota(quota: &ResourceQuota, errors: &mut Errors) {
    object_meta(&quota.metadata, Naming::Subdomain, errors);
    rules::object("ResourceQuota", quota, errors);
}
