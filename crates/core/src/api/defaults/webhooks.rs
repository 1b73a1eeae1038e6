//! Defaults of webhooks and admission policies (`pkg/apis/admissionregistration/v1/defaults.go`, v1.36).

use k8s_openapi::api::admissionregistration::v1::{
    MatchResources, MutatingWebhookConfiguration, NamedRuleWithOperations, RuleWithOperations,
    ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration,
    WebhookClientConfig,
};

use super::fill;
use super::kept::HTTPS;

/// The defaults that webhooks of both kinds have.
macro_rules! set {
    ($hook:expr) => {
        fill(&mut $hook.failure_policy, "Fail");
        fill(&mut $hook.match_policy, "Equivalent");
        $hook.namespace_selector.get_or_insert_default();
        $hook.object_selector.get_or_insert_default();
        $hook.timeout_seconds.get_or_insert(10);
        client(&mut $hook.client_config);
        rules(&mut $hook.rules);
    };
}

/// Completes a MutatingWebhookConfiguration.
pub fn mutating(object: &mut MutatingWebhookConfiguration) {
    for hook in object.webhooks.iter_mut().flatten() {
        set!(hook);
        fill(&mut hook.reinvocation_policy, "Never");
    }
}

/// Completes a ValidatingWebhookConfiguration.
pub fn validating(object: &mut ValidatingWebhookConfiguration) {
    for hook in object.webhooks.iter_mut().flatten() {
        set!(hook);
    }
}

fn client(client: &mut WebhookClientConfig) {
    if let Some(service) = &mut client.service {
        service.port.get_or_insert(HTTPS);
    }
}

fn rules(rules: &mut Option<Vec<RuleWithOperations>>) {
    for rule in rules.iter_mut().flatten() {
        fill(&mut rule.scope, "*");
    }
}

/// Completes a ValidatingAdmissionPolicy.
pub fn policy(policy: &mut ValidatingAdmissionPolicy) {
    let spec = policy.spec.get_or_insert_default();
    fill(&mut spec.failure_policy, "Fail");
    matched(&mut spec.match_constraints);
}

/// Completes a ValidatingAdmissionPolicyBinding.
pub fn policy_binding(binding: &mut ValidatingAdmissionPolicyBinding) {
    matched(&mut binding.spec.match_resources);
}

fn matched(resources: &mut Option<MatchResources>) {
    let Some(resources) = resources else { return };
    fill(&mut resources.match_policy, "Equivalent");
    resources.namespace_selector.get_or_insert_default();
    resources.object_selector.get_or_insert_default();
    named_rules(&mut resources.resource_rules);
    named_rules(&mut resources.exclude_resource_rules);
}

fn named_rules(rules: &mut Option<Vec<NamedRuleWithOperations>>) {
    for rule in rules.iter_mut().flatten() {
        fill(&mut rule.scope, "*");
    }
}
