//! `addedAffinity` of the NodeAffinity plugin.

use k8s_openapi::api::core::v1::{
    NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm, PreferredSchedulingTerm,
};

use crate::field::{FieldError, Path};
use crate::names::{label_key_errors, label_value_errors};

/// Validates `addedAffinity` with the messages of the library that the plugin parses it with
/// (`component-helpers`, `nodeaffinity`).
pub fn added_node_affinity(path: &Path, affinity: &NodeAffinity) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(required) = &affinity.required_during_scheduling_ignored_during_execution {
        let path = path
            .child("requiredDuringSchedulingIgnoredDuringExecution")
            .child("nodeSelectorTerms");
        for (i, term) in required.node_selector_terms.iter().enumerate() {
            parse_term(&path.index(i), term, &mut errors);
        }
    }
    let preferred = affinity
        .preferred_during_scheduling_ignored_during_execution
        .as_deref();
    let path = path.child("preferredDuringSchedulingIgnoredDuringExecution");
    errors.extend(preferred_terms(&path, preferred.unwrap_or_default()));
    errors
}

/// Validates preferred terms of a profile or a Pod (`NewPreferredSchedulingTerms`). Terms with weight
/// 0 are skipped.
pub fn preferred_terms(path: &Path, terms: &[PreferredSchedulingTerm]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, term) in terms
        .iter()
        .enumerate()
        .filter(|(_, term)| term.weight != 0)
    {
        // Upstream leaves `preference` out of the path.
        parse_term(&path.index(i), &term.preference, &mut errors);
    }
    errors
}

fn parse_term(path: &Path, term: &NodeSelectorTerm, errors: &mut Vec<FieldError>) {
    for (i, requirement) in term.match_expressions.iter().flatten().enumerate() {
        parse_expression(
            &path.child("matchExpressions").index(i),
            requirement,
            errors,
        );
    }
    for (i, requirement) in term.match_fields.iter().flatten().enumerate() {
        let path = path.child("matchFields").index(i);
        if !["In", "NotIn"].contains(&requirement.operator.as_str()) {
            let path = path.child("operator");
            let error = FieldError::not_supported(&path, &requirement.operator, &["In", "NotIn"]);
            errors.push(error);
        } else if requirement.values.iter().flatten().count() != 1 {
            let values = requirement.values.clone();
            let error = FieldError::invalid(&path.child("values"), values, "must have one element");
            errors.push(error);
        }
    }
}

fn parse_expression(
    path: &Path,
    requirement: &NodeSelectorRequirement,
    errors: &mut Vec<FieldError>,
) {
    let NodeSelectorRequirement {
        key,
        operator,
        values,
    } = requirement;
    let count = values.iter().flatten().count();
    let detail = match operator.as_str() {
        "In" | "NotIn" if count == 0 => {
            Some("for 'in', 'notin' operators, values set can't be empty")
        }
        "Exists" | "DoesNotExist" if count != 0 => {
            Some("values set must be empty for exists and does not exist")
        }
        "Gt" | "Lt" if count != 1 => {
            Some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => None,
        other => {
            let supported = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
            errors.push(FieldError::not_supported(
                &path.child("operator"),
                other,
                &supported,
            ));
            return;
        }
    };
    let key_errors = label_key_errors(key);
    if !key_errors.is_empty() {
        errors.push(FieldError::invalid(
            &path.child("key"),
            key.as_str(),
            &key_errors.join("; "),
        ));
    }
    let path = path.child("values");
    errors.extend(detail.map(|detail| FieldError::invalid(&path, values.clone(), detail)));
    for (i, value) in values.iter().flatten().enumerate() {
        if ["Gt", "Lt"].contains(&operator.as_str()) && value.parse::<i64>().is_err() {
            let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
            errors.push(FieldError::invalid(&path.index(i), value.as_str(), detail));
        }
        // The library validates the values of every operator as labels, and reports them under the key.
        let value_errors = label_value_errors(value);
        if !value_errors.is_empty() {
            let detail = value_errors.join("; ");
            errors.push(FieldError::invalid(
                &path.index(i).key(key),
                value.as_str(),
                &detail,
            ));
        }
    }
}
