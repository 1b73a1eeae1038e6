//! Request policies of capacities that several claims share (feature gate DRAConsumableCapacity).

use std::collections::BTreeSet;

use k8s_openapi::api::resource::v1::{CapacityRequestPolicy, CapacityRequestPolicyRange, Device};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Text;

use crate::api::validation::Errors;
use berth_base::quantity::Quantity;
use berth_scheduler::field::{FieldError, Path};

const MAX_VALUES: usize = 10;

/// The errors of a device's request policies; `path` is that of the device.
pub(super) fn policies(path: &Path, device: &Device, errors: &mut Errors) {
    let is_shared = device.allow_multiple_allocations.unwrap_or(false);
    for (name, capacity) in device.capacity.iter().flatten() {
        let Some(policy) = &capacity.request_policy else {
            continue;
        };
        let path = path.child("capacity").key(name).child("requestPolicy");
        if !is_shared {
            let detail = "allowMultipleAllocations must be true";
            errors.push(FieldError::forbidden(&path, detail));
            continue;
        }
        // Invalid amounts have been reported with the capacity.
        if let Ok(whole) = Quantity::parse(&capacity.value.0) {
            request_policy(&path, policy, whole, errors);
        }
    }
}

fn request_policy(
    path: &Path,
    policy: &CapacityRequestPolicy,
    whole: Quantity,
    errors: &mut Errors,
) {
    let values = policy.valid_values.as_deref().unwrap_or_default();
    let kind = match (values, &policy.valid_range) {
        ([], None) => return,
        ([_, ..], Some(_)) => {
            let detail = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
            errors.push(FieldError::forbidden(path, detail));
            return;
        }
        (_, None) => "validValues",
        ([], Some(_)) => "validRange",
    };
    let Some(default) = &policy.default else {
        let detail = format!("required when {kind} is defined");
        errors.push(FieldError::required(&path.child("default"), &detail));
        return;
    };
    let Some(default) = amount(&path.child("default"), default, errors) else {
        return;
    };
    match &policy.valid_range {
        Some(range) => valid_range(&path.child("validRange"), range, default, whole, errors),
        None => valid_values(&path.child("validValues"), values, default, whole, errors),
    }
}

/// The amount, if it is one.
fn amount(path: &Path, text: &Text, errors: &mut Errors) -> Option<Quantity> {
    match Quantity::parse(&text.0) {
        Ok(amount) => Some(amount),
        Err(problem) => {
            let value = text.0.as_str();
            errors.push(FieldError::invalid(path, value, &problem.to_string()));
            None
        }
    }
}

fn valid_values(
    path: &Path,
    values: &[Text],
    default: Quantity,
    whole: Quantity,
    errors: &mut Errors,
) {
    let before = errors.len();
    let amounts = values.iter().enumerate();
    let amounts: Vec<Quantity> = amounts
        .filter_map(|(index, text)| amount(&path.index(index), text, errors))
        .collect();
    if errors.len() > before {
        return;
    }
    for (index, pair) in amounts.windows(2).enumerate() {
        if let [one, next] = pair
            && one > next
        {
            let path = path.index(index + 1);
            let detail = "values must be sorted in ascending order";
            errors.push(FieldError::invalid(&path, next.to_string(), detail));
        }
    }
    // Too many values are not looked at, so that the default is not among them.
    let mut has_default = false;
    if amounts.len() > MAX_VALUES {
        errors.push(FieldError::too_many(path, amounts.len(), MAX_VALUES));
    } else {
        for (index, amount) in amounts.iter().enumerate() {
            if *amount > whole {
                let detail = format!("option is larger than capacity value: {whole}");
                let path = path.index(index);
                errors.push(FieldError::invalid(&path, amount.to_string(), &detail));
            }
            has_default |= *amount == default;
        }
        let mut known = BTreeSet::new();
        for (index, amount) in amounts.iter().enumerate() {
            if !known.insert(amount.value()) {
                let value = amount.value().to_string();
                errors.push(FieldError::duplicate(&path.index(index), value));
            }
        }
    }
    if !has_default {
        let detail = "default value is not valid according to the requestPolicy";
        errors.push(FieldError::invalid(path, default.to_string(), detail));
    }
}

fn valid_range(
    path: &Path,
    range: &CapacityRequestPolicyRange,
    default: Quantity,
    whole: Quantity,
    errors: &mut Errors,
) {
    let min_path = path.child("min");
    if range.min.0.is_empty() {
        let detail = "required when validRange is defined";
        errors.push(FieldError::required(&min_path, detail));
        return;
    }
    let Some(min) = amount(&min_path, &range.min, errors) else {
        return;
    };
    let mut wrong = |path: &Path, value: Quantity, detail: String| {
        errors.push(FieldError::invalid(path, value.to_string(), &detail));
    };
    if min > whole {
        let detail = format!("min is larger than capacity value: {whole}");
        wrong(&min_path, min, detail);
    }
    if default < min {
        wrong(
            &min_path,
            default,
            format!("default is less than min: {min}"),
        );
    }
    let max_path = path.child("max");
    let max = range.max.as_ref();
    let max = max.and_then(|text| amount(&max_path, text, errors));
    let mut wrong = |path: &Path, value: Quantity, detail: String| {
        errors.push(FieldError::invalid(path, value.to_string(), &detail));
    };
    if let Some(max) = max {
        if min > max {
            wrong(&max_path, min, format!("min is larger than max: {max}"));
        }
        if max > whole {
            let detail = format!("max is larger than capacity value: {whole}");
            wrong(&max_path, max, detail);
        }
        if default > max {
            wrong(
                &max_path,
                default,
                format!("default is more than max: {max}"),
            );
        }
    }
    let path = path.child("step");
    let step = range.step.as_ref();
    let Some(step) = step.and_then(|text| amount(&path, text, errors)) else {
        return;
    };
    let one = min.add(step);
    if one > whole {
        let detail = format!("one step {one} is larger than capacity value: {whole}");
        errors.push(FieldError::invalid(&path, step.to_string(), &detail));
    }
    for value in [Some(default), max].into_iter().flatten() {
        let apart = value.value().saturating_sub(min.value());
        // Upstream divides by a step of zero, and fails.
        if apart.checked_rem(step.value()) != Some(0) {
            let detail = format!("value is not a multiple of a given step ({step}) from ({min})");
            errors.push(FieldError::invalid(&path, value.to_string(), &detail));
        }
    }
}
