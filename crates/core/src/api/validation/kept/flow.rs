//! The API server's own priority and fairness (`pkg/apis/flowcontrol/validation`, v1.36).

use k8s_openapi::api::flowcontrol::v1::{
    FlowSchema, LimitedPriorityLevelConfiguration, PolicyRulesWithSubjects,
    PriorityLevelConfiguration,
};

use super::{listed, name_of};
use crate::api::validation::metadata::{Naming, object_meta};
use crate::api::validation::{Errors, invalid_each, non_negative};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_subdomain_errors;

/// The highest `matchingPrecedence`.
const MAX_PRECEDENCE: i32 = 10_000;

/// Validates a FlowSchema.
pub fn flow_schema(schema: &FlowSchema, errors: &mut Errors) {
    object_meta(&schema.metadata, Naming::Subdomain, errors);
    let spec = schema.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let at = path.child("matchingPrecedence");
    let precedence = spec.matching_precedence.unwrap_or(1_000);
    let mut refuse = |detail: &str| errors.push(FieldError::invalid(&at, precedence, detail));
    if precedence < 0 {
        refuse("must be a positive value");
    }
    if precedence > MAX_PRECEDENCE {
        refuse(&format!("must not be greater than {MAX_PRECEDENCE}"));
    }
    if precedence == 1 && schema.metadata.name.as_deref() != Some("exempt") {
        refuse("only the schema named 'exempt' may have matchingPrecedence 1");
    }
    let level = spec.priority_level_configuration.name.as_str();
    let at = path.child("priorityLevelConfiguration").child("name");
    if level.is_empty() {
        let detail = "must reference a priority level";
        errors.push(FieldError::required(&at, detail));
    } else {
        invalid_each(&at, level, dns_subdomain_errors(level), errors);
    }
    for (i, rules) in listed(&spec.rules).iter().enumerate() {
        flow_rules(&path.child("rules").index(i), rules, errors);
    }
}

fn flow_rules(path: &Path, rules: &PolicyRulesWithSubjects, errors: &mut Errors) {
    if rules.subjects.is_empty() {
        let detail = "subjects must contain at least one value";
        errors.push(FieldError::required(&path.child("subjects"), detail));
    }
    for (i, subject) in rules.subjects.iter().enumerate() {
        let path = path.child("subjects").index(i);
        let any = |_: &str| Vec::new();
        match (
            &*subject.kind,
            &subject.user,
            &subject.group,
            &subject.service_account,
        ) {
            ("User", Some(user), ..) => {
                name_of(&path.child("user").child("name"), &user.name, any, errors);
            }
            ("Group", _, Some(group), _) => {
                name_of(&path.child("group").child("name"), &group.name, any, errors);
            }
            ("ServiceAccount", _, _, Some(account)) => {
                let path = path.child("serviceAccount");
                name_of(&path.child("name"), &account.name, any, errors);
            }
            (kind @ ("User" | "Group" | "ServiceAccount"), ..) => {
                let field = match kind {
                    "ServiceAccount" => "serviceAccount",
                    "User" => "user",
                    _ => "group",
                };
                let detail = format!("{field} is required when subject kind is '{kind}'");
                errors.push(FieldError::required(&path.child(field), &detail));
            }
            (kind, ..) => {
                let known = ["Group", "ServiceAccount", "User"];
                errors.push(FieldError::not_supported(&path.child("kind"), kind, &known));
            }
        }
    }
    if listed(&rules.resource_rules).is_empty() && listed(&rules.non_resource_rules).is_empty() {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.push(FieldError::required(path, detail));
    }
}

/// Validates a PriorityLevelConfiguration.
pub fn priority_level(level: &PriorityLevelConfiguration, errors: &mut Errors) {
    object_meta(&level.metadata, Naming::Subdomain, errors);
    let spec = level.spec.clone().unwrap_or_default();
    let path = Path::root().child("spec");
    let at = path.child("type");
    let is_exempt = level.metadata.name.as_deref() == Some("exempt");
    if is_exempt != (spec.type_ == "Exempt") {
        let detail = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.push(FieldError::invalid(&at, spec.type_.as_str(), detail));
    }
    match spec.type_.as_str() {
        "Exempt" => {
            if spec.limited.is_some() {
                let detail = "must be nil if the type is not Limited";
                errors.push(FieldError::forbidden(&path.child("limited"), detail));
            }
        }
        "Limited" => {
            if spec.exempt.is_some() {
                let detail = "must be nil if the type is Limited";
                errors.push(FieldError::forbidden(&path.child("exempt"), detail));
            }
            match &spec.limited {
                Some(limits) => limited(&path.child("limited"), limits, errors),
                None => {
                    let detail = "must not be empty when type is Limited";
                    errors.push(FieldError::required(&path.child("limited"), detail));
                }
            }
        }
        "" => errors.push(FieldError::required(&at, "")),
        other => {
            let known = ["Exempt", "Limited"];
            errors.push(FieldError::not_supported(&at, other, &known));
        }
    }
}

fn limited(path: &Path, limits: &LimitedPriorityLevelConfiguration, errors: &mut Errors) {
    let shares = limits.nominal_concurrency_shares;
    non_negative(&path.child("nominalConcurrencyShares"), shares, errors);
    if let Some(percent) = limits.lendable_percent.filter(|it| !(0..=100).contains(it)) {
        let detail = "must be between 0 and 100, inclusive";
        errors.push(FieldError::invalid(
            &path.child("lendablePercent"),
            percent,
            detail,
        ));
    }
    let response = limits.limit_response.clone().unwrap_or_default();
    let path = path.child("limitResponse");
    match (response.type_.as_str(), response.queuing.is_some()) {
        ("Reject", true) => {
            let detail = "must be nil if limited.limitResponse.type is not Limited";
            errors.push(FieldError::forbidden(&path.child("queuing"), detail));
        }
        ("Queue", false) => {
            let detail = "must not be empty if limitResponse.type is Limited";
            errors.push(FieldError::required(&path.child("queuing"), detail));
        }
        ("Reject" | "Queue", _) => {}
        ("", _) => errors.push(FieldError::required(&path.child("type"), "")),
        (other, _) => {
            let known = ["Queue", "Reject"];
            errors.push(FieldError::not_supported(
                &path.child("type"),
                other,
                &known,
            ));
        }
    }
}
