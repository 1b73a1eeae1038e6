//! Webhooks and admission policies (`pkg/apis/admissionregistration/validation`, v1.36), without the checks of CEL.

use std::collections::BTreeSet;

use k8s_openapi::api::admissionregistration::v1::{
    MatchResources, MutatingWebhookConfiguration, NamedRuleWithOperations, RuleWithOperations,
    ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration,
    WebhookClientConfig,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{has_wildcard, listed, name_of};
use crate::api::validation::metadata::{Naming, object_meta};
use crate::api::validation::selector::label_selector;
use crate::api::validation::{Errors, invalid_each, one_of};
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_1035_label_errors, dns_subdomain_errors};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/// What webhooks of both kinds have.
struct Webhook<'a> {
    name: &'a str,
    rules: &'a [RuleWithOperations],
    failure_policy: Option<&'a String>,
    match_policy: Option<&'a String>,
    side_effects: &'a str,
    timeout_seconds: Option<i32>,
    selectors: [Option<&'a LabelSelector>; 2],
    reinvocation_policy: Option<&'a String>,
    client: &'a WebhookClientConfig,
    versions: &'a [String],
}

/// The fields that the two types share.
macro_rules! webhook {
    ($it:expr, $reinvocation:expr) => {
        Webhook {
            name: &$it.name,
            rules: listed(&$it.rules),
            failure_policy: $it.failure_policy.as_ref(),
            match_policy: $it.match_policy.as_ref(),
            side_effects: &$it.side_effects,
            timeout_seconds: $it.timeout_seconds,
            selectors: [
                $it.namespace_selector.as_ref(),
                $it.object_selector.as_ref(),
            ],
            reinvocation_policy: $reinvocation,
            client: &$it.client_config,
            versions: &$it.admission_review_versions,
        }
    };
}

/// Validates a MutatingWebhookConfiguration.
pub fn mutating_webhooks(object: &MutatingWebhookConfiguration, errors: &mut Errors) {
    object_meta(&object.metadata, Naming::Subdomain, errors);
    let hooks = listed(&object.webhooks).iter();
    webhooks(
        hooks.map(|it| webhook!(it, it.reinvocation_policy.as_ref())),
        errors,
    );
}

/// Validates a ValidatingWebhookConfiguration.
pub fn validating_webhooks(object: &ValidatingWebhookConfiguration, errors: &mut Errors) {
    object_meta(&object.metadata, Naming::Subdomain, errors);
    let hooks = listed(&object.webhooks).iter();
    webhooks(hooks.map(|it| webhook!(it, None)), errors);
}

fn webhooks<'a>(hooks: impl Iterator<Item = Webhook<'a>>, errors: &mut Errors) {
    let mut names = BTreeSet::new();
    for (i, hook) in hooks.enumerate() {
        let path = Path::root().child("webhooks").index(i);
        webhook(&path, &hook, errors);
        review_versions(
            &path.child("admissionReviewVersions"),
            hook.versions,
            errors,
        );
        if !hook.name.is_empty() && !names.insert(hook.name) {
            errors.push(FieldError::duplicate(&path.child("name"), hook.name));
        }
    }
}

fn webhook(path: &Path, hook: &Webhook<'_>, errors: &mut Errors) {
    full_name(&path.child("name"), hook.name, errors);
    for (i, rule) in hook.rules.iter().enumerate() {
        let (groups, versions) = (&rule.api_groups, &rule.api_versions);
        let words = [&rule.operations, groups, versions, &rule.resources].map(listed);
        rule_words(
            &path.child("rules").index(i),
            words,
            rule.scope.as_ref(),
            errors,
        );
    }
    policies(path, hook.failure_policy, hook.match_policy, errors);
    let effects = ["None", "NoneOnDryRun"];
    let at = path.child("sideEffects");
    if hook.side_effects.is_empty() {
        let detail = format!("must specify one of {}", effects.join(", "));
        errors.push(FieldError::required(&at, &detail));
    } else if !effects.contains(&hook.side_effects) {
        errors.push(FieldError::not_supported(&at, hook.side_effects, &effects));
    }
    if let Some(seconds) = hook.timeout_seconds.filter(|it| !(1..=30).contains(it)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(FieldError::invalid(
            &path.child("timeoutSeconds"),
            seconds,
            detail,
        ));
    }
    for (name, selector) in ["namespaceSelector", "objectSelector"]
        .iter()
        .zip(hook.selectors)
    {
        label_selector(&path.child(name), selector, errors);
    }
    let known = ["IfNeeded", "Never"];
    one_of(
        &path.child("reinvocationPolicy"),
        hook.reinvocation_policy,
        &known,
        errors,
    );
    client_config(&path.child("clientConfig"), hook.client, errors);
}

fn policies(path: &Path, failure: Option<&String>, matching: Option<&String>, errors: &mut Errors) {
    one_of(
        &path.child("failurePolicy"),
        failure,
        &["Fail", "Ignore"],
        errors,
    );
    one_of(
        &path.child("matchPolicy"),
        matching,
        &["Equivalent", "Exact"],
        errors,
    );
}

/// A name of at least three labels.
fn full_name(path: &Path, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let wrong = dns_subdomain_errors(name);
    if !wrong.is_empty() {
        invalid_each(path, name, wrong, errors);
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    }
}

/// The words of a rule: operations, groups, versions, resources.
fn rule_words(path: &Path, words: [&[String]; 4], scope: Option<&String>, errors: &mut Errors) {
    let [operations, groups, versions, resources] = words;
    let at = path.child("operations");
    exclusive(&at, operations, "operations", errors);
    for (i, word) in operations.iter().enumerate() {
        one_of(&at.index(i), Some(word), &OPERATIONS, errors);
    }
    exclusive(&path.child("apiGroups"), groups, "API groups", errors);
    let at = path.child("apiVersions");
    exclusive(&at, versions, "API versions", errors);
    empty_words(&at, versions, errors);
    rule_resources(&path.child("resources"), resources, errors);
    one_of(
        &path.child("scope"),
        scope,
        &["*", "Cluster", "Namespaced"],
        errors,
    );
}

/// Reports an empty list, and one that names everything and something.
fn exclusive(path: &Path, words: &[String], what: &str, errors: &mut Errors) {
    if words.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if words.len() > 1 && has_wildcard(words) {
        let detail = format!("if '*' is present, must not specify other {what}");
        errors.push(FieldError::invalid(path, json::value(words), &detail));
    }
}

fn empty_words(path: &Path, words: &[String], errors: &mut Errors) {
    for (i, _) in words.iter().enumerate().filter(|(_, word)| word.is_empty()) {
        errors.push(FieldError::required(&path.index(i), ""));
    }
}

fn rule_resources(path: &Path, resources: &[String], errors: &mut Errors) {
    if resources.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let (mut all_of, mut of_all) = (BTreeSet::new(), BTreeSet::new());
    let mut plain = false;
    for (i, resource) in resources.iter().enumerate() {
        let at = path.index(i);
        if resource.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        let Some((name, part)) = resource.split_once('/') else {
            plain = resource != "*";
            continue;
        };
        let mut covered = |by: String| {
            let detail = format!("if '{by}' is present, must not specify {resource}");
            errors.push(FieldError::invalid(&at, resource.as_str(), &detail));
        };
        if all_of.contains(name) {
            covered(format!("{name}/*"));
        }
        if of_all.contains(part) {
            covered(format!("*/{part}"));
        }
        if part == "*" {
            all_of.insert(name);
        }
        if name == "*" {
            of_all.insert(part);
        }
    }
    let mut refuse =
        |detail| errors.push(FieldError::invalid(path, json::value(resources), detail));
    if resources.len() > 1 && resources.iter().any(|it| it == "*/*") {
        refuse("if '*/*' is present, must not specify other resources");
    }
    if has_wildcard(resources) && plain {
        refuse("if '*' is present, must not specify other resources without subresources");
    }
}

fn client_config(path: &Path, client: &WebhookClientConfig, errors: &mut Errors) {
    match (&client.url, &client.service) {
        (Some(_), Some(_)) | (None, None) => {
            let detail = "exactly one of url or service is required";
            errors.push(FieldError::required(path, detail));
        }
        (Some(url), None) => {
            let (scheme, rest) = url.split_once("://").unwrap_or(("", ""));
            let path = path.child("url");
            const FORM: &str = "; desired format: https://host[/path]";
            if scheme != "https" {
                let detail = format!("'https' is the only allowed URL scheme{FORM}");
                errors.push(FieldError::invalid(&path, scheme, &detail));
            }
            if rest.split(['/', '?', '#']).next().is_none_or(str::is_empty) {
                let detail = format!("host must be specified{FORM}");
                errors.push(FieldError::invalid(&path, "", &detail));
            }
        }
        (None, Some(service)) => {
            let path = path.child("service");
            name_of(&path.child("name"), &service.name, |_| Vec::new(), errors);
            name_of(
                &path.child("namespace"),
                &service.namespace,
                |_| Vec::new(),
                errors,
            );
            if let Some(port) = service.port.filter(|port| !(1..=65_535).contains(port)) {
                let detail = format!("port is not valid: {}", super::NO_PORT);
                errors.push(FieldError::invalid(&path.child("port"), port, &detail));
            }
        }
    }
}

fn review_versions(path: &Path, versions: &[String], errors: &mut Errors) {
    let known = ["v1", "v1beta1"];
    if versions.is_empty() {
        let detail = format!("must specify one of {}", known.join(", "));
        errors.push(FieldError::required(path, &detail));
        return;
    }
    let mut seen = BTreeSet::new();
    for (i, version) in versions.iter().enumerate() {
        let path = path.index(i);
        if seen.insert(version) {
            invalid_each(&path, version, dns_1035_label_errors(version), errors);
        } else {
            errors.push(FieldError::invalid(
                &path,
                version.as_str(),
                "duplicate version",
            ));
        }
    }
    if !known
        .iter()
        .any(|known| versions.iter().any(|it| it == known))
    {
        let detail = format!("must include at least one of {}", known.join(", "));
        errors.push(FieldError::invalid(path, json::value(versions), &detail));
    }
}

/// Validates a ValidatingAdmissionPolicy.
pub fn policy(policy: &ValidatingAdmissionPolicy, errors: &mut Errors) {
    object_meta(&policy.metadata, Naming::Subdomain, errors);
    let Some(spec) = &policy.spec else { return };
    let path = Path::root().child("spec");
    policies(&path, spec.failure_policy.as_ref(), None, errors);
    if let Some(kind) = &spec.param_kind {
        let path = path.child("paramKind");
        let version = kind.api_version.as_deref().unwrap_or_default();
        name_of(&path.child("apiVersion"), version, |_| Vec::new(), errors);
        let kind = kind.kind.as_deref().unwrap_or_default();
        name_of(&path.child("kind"), kind, |_| Vec::new(), errors);
    }
    let at = path.child("matchConstraints");
    match &spec.match_constraints {
        Some(constraints) => match_resources(&at, constraints, true, errors),
        None => errors.push(FieldError::required(&at, "")),
    }
    let validations = listed(&spec.validations);
    if validations.is_empty() && listed(&spec.audit_annotations).is_empty() {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.push(FieldError::required(&path.child("validations"), detail));
    }
    for (i, validation) in validations.iter().enumerate() {
        if validation.expression.trim().is_empty() {
            let path = path.child("validations").index(i).child("expression");
            errors.push(FieldError::required(&path, "expression is not specified"));
        }
    }
}

fn match_resources(path: &Path, matched: &MatchResources, needs: bool, errors: &mut Errors) {
    one_of(
        &path.child("matchPolicy"),
        matched.match_policy.as_ref(),
        &["Equivalent", "Exact"],
        errors,
    );
    let (namespaces, objects) = (&matched.namespace_selector, &matched.object_selector);
    label_selector(
        &path.child("namespaceSelector"),
        namespaces.as_ref(),
        errors,
    );
    label_selector(&path.child("objectSelector"), objects.as_ref(), errors);
    let rules = listed(&matched.resource_rules);
    if needs && rules.is_empty() {
        errors.push(FieldError::required(&path.child("resourceRules"), ""));
    }
    named_rules(&path.child("resourceRules"), rules, errors);
    let excluded = listed(&matched.exclude_resource_rules);
    named_rules(&path.child("excludeResourceRules"), excluded, errors);
}

fn named_rules(path: &Path, rules: &[NamedRuleWithOperations], errors: &mut Errors) {
    for (i, rule) in rules.iter().enumerate() {
        let (groups, versions) = (&rule.api_groups, &rule.api_versions);
        let words = [&rule.operations, groups, versions, &rule.resources].map(listed);
        rule_words(&path.index(i), words, rule.scope.as_ref(), errors);
    }
}

/// Validates a ValidatingAdmissionPolicyBinding.
pub fn policy_binding(binding: &ValidatingAdmissionPolicyBinding, errors: &mut Errors) {
    object_meta(&binding.metadata, Naming::Subdomain, errors);
    let spec = &binding.spec;
    let path = Path::root().child("spec");
    name_of(
        &path.child("policyName"),
        &spec.policy_name,
        dns_subdomain_errors,
        errors,
    );
    if let Some(matched) = &spec.match_resources {
        match_resources(&path.child("matchResources"), matched, false, errors);
    }
    let at = path.child("validationActions");
    if spec.validation_actions.is_empty() {
        errors.push(FieldError::required(&at, ""));
    }
    for (i, action) in spec.validation_actions.iter().enumerate() {
        one_of(
            &at.index(i),
            Some(action),
            &["Audit", "Deny", "Warn"],
            errors,
        );
    }
}
