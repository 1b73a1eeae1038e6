//! Label selectors.

use berth_protocol::remark::Remark;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use super::{Errors, invalid_each, metadata};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{label_key, label_value_errors};

/// Validates an optional label selector.
pub fn label_selector(path: &Path, selector: Option<&LabelSelector>, errors: &mut Errors) {
    let Some(selector) = selector else { return };
    metadata::labels(
        &path.child("matchLabels"),
        selector.match_labels.as_ref(),
        errors,
    );
    for (i, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        let path = path.child("matchExpressions").index(i);
        let LabelSelectorRequirement {
            key,
            operator,
            values,
        } = requirement;
        let values = values.as_deref().unwrap_or_default();
        let known = operator_and_values(&path, operator, values, errors);
        if !known {
            let detail = "not a valid selector operator";
            let error = FieldError::invalid(&path.child("operator"), operator.as_str(), detail);
            errors.push(error.help(Remark::selector_operators()));
        }
        errors.extend(label_key(&path.child("key"), key));
        for (i, value) in values.iter().enumerate() {
            let path = path.child("values").index(i);
            invalid_each(&path, value, label_value_errors(value), errors);
        }
    }
}

/// Validates the values of the operators that label and node selectors share; `false` for other operators.
pub(super) fn operator_and_values(
    path: &Path,
    operator: &str,
    values: &[String],
    errors: &mut Errors,
) -> bool {
    let path = path.child("values");
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(FieldError::required(&path, detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(FieldError::forbidden(&path, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => return false,
    }
    true
}

/// The keys of a selector, with repetitions: labels first, then expressions.
pub(super) fn keys(selector: &LabelSelector) -> impl Iterator<Item = &str> {
    selector
        .match_labels
        .iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .chain(
            selector
                .match_expressions
                .iter()
                .flatten()
                .map(|requirement| requirement.key.as_str()),
        )
}
