//! Taints and tolerations.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Taint, Toleration};
use serde_json::json;

use super::{Errors, one_of};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{label_key, label_value_errors};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Validates the tolerations of a Pod or a template.
pub fn tolerations(path: &Path, tolerations: &[Toleration], errors: &mut Errors) {
    for (i, toleration) in tolerations.iter().enumerate() {
        let path = path.index(i);
        let key = toleration.key.as_deref().unwrap_or_default();
        let operator = toleration.operator.as_deref().unwrap_or_default();
        let effect = toleration.effect.as_deref().unwrap_or_default();
        let value = toleration.value.as_deref().unwrap_or_default();
        if !key.is_empty() {
            errors.extend(label_key(&path.child("key"), key));
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                          values and all keys\"";
            errors.push(FieldError::invalid(
                &path.child("operator"),
                operator,
                detail,
            ));
        }
        if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(&path.child("effect"), effect, detail));
        }
        // As in the API server, errors of the value are reported at `operator`.
        let operator_path = path.child("operator");
        match operator {
            "Equal" | "" => {
                let details = label_value_errors(value);
                if !details.is_empty() {
                    let error = FieldError::invalid(&operator_path, value, &details.join(";"));
                    errors.push(error);
                }
            }
            "Exists" if !value.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                errors.push(FieldError::invalid(&operator_path, value, detail));
            }
            "Exists" => {}
            // These are known, but their gate is off.
            "Lt" | "Gt" => {
                let supported = ["Equal", "Exists", "Lt", "Gt"];
                errors.push(FieldError::not_supported(
                    &operator_path,
                    operator,
                    &supported,
                ));
            }
            other => {
                let supported = ["Equal", "Exists"];
                errors.push(FieldError::not_supported(&operator_path, other, &supported));
            }
        }
        let effect = toleration
            .effect
            .as_ref()
            .filter(|effect| !effect.is_empty());
        one_of(&path.child("effect"), effect, &EFFECTS, errors);
    }
}

/// Validates the taints of a Node.
pub fn taints(path: &Path, taints: &[Taint], errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (i, taint) in taints.iter().enumerate() {
        let path = path.index(i);
        errors.extend(label_key(&path.child("key"), &taint.key));
        let value = taint.value.as_deref().unwrap_or_default();
        let details = label_value_errors(value);
        if !details.is_empty() {
            let path = path.child("value");
            errors.push(FieldError::invalid(&path, value, &details.join(";")));
        }
        if taint.effect.is_empty() {
            errors.push(FieldError::required(&path.child("effect"), ""));
        } else {
            one_of(&path.child("effect"), Some(&taint.effect), &EFFECTS, errors);
        }
        if !seen.insert((&taint.key, &taint.effect)) {
            let printed = json!({
                "Key": taint.key,
                "Value": value,
                "Effect": taint.effect,
                "TimeAdded": taint.time_added,
            });
            let detail = "taints must be unique by key and effect pair";
            errors.push(FieldError::duplicate_because(&path, printed, detail));
        }
    }
}
