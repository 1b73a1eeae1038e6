//! Defaults of the kinds that are only kept (v1.36): networks, roles, priority levels, definitions.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::PodTemplate;
use k8s_openapi::api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_openapi::api::networking::v1::{IngressClass, NetworkPolicy, NetworkPolicyPort};
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition,
};
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;

use super::{fill, template};

/// The port of services that the API server calls.
pub(super) const HTTPS: i32 = 443;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Completes a PodTemplate.
pub fn pod_template(object: &mut PodTemplate) {
    template(object.template.get_or_insert_default());
}

/// The gate of coordinated leader election is off.
pub fn lease(lease: &mut Lease) {
    if let Some(spec) = &mut lease.spec {
        spec.strategy = None;
        spec.preferred_holder = None;
    }
}

/// Completes a NetworkPolicy.
pub fn network_policy(policy: &mut NetworkPolicy) {
    let spec = policy.spec.get_or_insert_default();
    spec.pod_selector.get_or_insert_default();
    for rule in spec.ingress.iter_mut().flatten() {
        policy_ports(&mut rule.ports);
    }
    for rule in spec.egress.iter_mut().flatten() {
        policy_ports(&mut rule.ports);
    }
    if spec.policy_types.as_ref().is_none_or(Vec::is_empty) {
        let has_egress = spec.egress.as_ref().is_some_and(|rules| !rules.is_empty());
        let types = ["Ingress", "Egress"]
            .iter()
            .take(1 + usize::from(has_egress));
        spec.policy_types = Some(types.map(|&word| word.to_owned()).collect());
    }
}

fn policy_ports(ports: &mut Option<Vec<NetworkPolicyPort>>) {
    for port in ports.iter_mut().flatten() {
        fill(&mut port.protocol, "TCP");
    }
}

/// Completes an IngressClass.
pub fn ingress_class(class: &mut IngressClass) {
    let parameters = class
        .spec
        .as_mut()
        .and_then(|spec| spec.parameters.as_mut());
    if let Some(parameters) = parameters {
        fill(&mut parameters.scope, "Cluster");
    }
}

/// Completes a RoleBinding.
pub fn role_binding(binding: &mut RoleBinding) {
    bound(&mut binding.role_ref, &mut binding.subjects);
}

/// Completes a ClusterRoleBinding.
pub fn cluster_role_binding(binding: &mut ClusterRoleBinding) {
    bound(&mut binding.role_ref, &mut binding.subjects);
}

fn bound(role: &mut RoleRef, subjects: &mut Option<Vec<Subject>>) {
    group(&mut role.api_group);
    for subject in subjects.iter_mut().flatten() {
        match subject.kind.as_str() {
            "User" | "Group" => group(&mut subject.api_group),
            _ => subject.api_group = subject.api_group.take().filter(|it| !it.is_empty()),
        }
    }
}

fn group(group: &mut Option<String>) {
    if group.as_deref().is_none_or(str::is_empty) {
        *group = Some(RBAC.to_owned());
    }
}

/// Completes a FlowSchema.
pub fn flow_schema(schema: &mut FlowSchema) {
    let spec = schema.spec.get_or_insert_default();
    number(&mut spec.matching_precedence, 1_000);
}

/// Completes a PriorityLevelConfiguration.
pub fn priority_level(level: &mut PriorityLevelConfiguration) {
    let spec = level.spec.get_or_insert_default();
    if let Some(limited) = &mut spec.limited {
        limited.nominal_concurrency_shares.get_or_insert(30);
        limited.lendable_percent.get_or_insert(0);
        let response = limited.limit_response.get_or_insert_default();
        if let Some(queuing) = &mut response.queuing {
            number(&mut queuing.hand_size, 8);
            number(&mut queuing.queues, 64);
            number(&mut queuing.queue_length_limit, 50);
        }
    }
    if let Some(exempt) = &mut spec.exempt {
        exempt.nominal_concurrency_shares.get_or_insert(0);
        exempt.lendable_percent.get_or_insert(0);
    }
}

/// Zero counts as absent.
fn number(field: &mut Option<i32>, value: i32) {
    if field.is_none_or(|number| number == 0) {
        *field = Some(value);
    }
}

/// Completes a CustomResourceDefinition.
pub fn definition(definition: &mut CustomResourceDefinition) {
    let kind = definition.spec.names.kind.clone();
    let spec = &mut definition.spec;
    fill(&mut spec.names.singular, &kind.to_lowercase());
    if !kind.is_empty() {
        fill(&mut spec.names.list_kind, &format!("{kind}List"));
    }
    spec.conversion
        .get_or_insert_with(|| CustomResourceConversion {
            strategy: "None".to_owned(),
            webhook: None,
        });
    let status = definition.status.get_or_insert_default();
    if status.stored_versions.as_ref().is_none_or(Vec::is_empty) {
        let stored = spec.versions.iter().find(|version| version.storage);
        status.stored_versions = Some(stored.into_iter().map(|it| it.name.clone()).collect());
    }
}

/// Completes an APIService.
pub fn api_service(service: &mut APIService) {
    let service = service.spec.as_mut().and_then(|spec| spec.service.as_mut());
    if let Some(service) = service {
        service.port.get_or_insert(HTTPS);
    }
}
