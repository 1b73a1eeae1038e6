//! Validation of objects with the API server's wording (Kubernetes v1.34).
//!
//! Covers the fields that scheduling reads. Objects are validated as written, before defaulting, so a
//! missing field with a default is valid. Errors are in the API server's order, except that maps are
//! validated in key order.

pub mod affinity;
mod autoscaler;
pub mod config;
pub mod device_gates;
mod devices;
mod endpoints;
pub mod gates;
mod kept;
mod lesson;
pub mod metadata;
pub mod node;
pub mod pdb;
pub mod pod;
pub mod priority;
pub mod resources;
pub mod scenario;
pub mod selector;
mod services;
pub mod spread;
pub mod tolerations;
pub mod volumes;
pub mod workloads;

#[cfg(test)]
mod tests;

use super::kinds::for_each_kind;
use super::kinds::groups::{
    admissionregistration::v1 as admission, apiextensions::v1 as extensions,
    apiregistration::v1 as registration, apps::v1 as apps, autoscaling::v2 as autoscaling,
    batch::v1 as batch, certificates::v1 as certificates, coordination::v1 as coordination,
    core::v1 as core, discovery::v1 as discovery, flowcontrol::v1 as flow,
    networking::v1 as networking, node::v1 as runtime, policy::v1 as policy, rbac::v1 as rbac,
    resource::v1 as resource, scheduling::v1 as scheduling, storage::v1 as storage,
};
use super::object::Manifest;
use berth_scheduler::field::{FieldError, Path};

pub use berth_scheduler::field::ErrorKind;

/// Errors found so far.
pub type Errors = Vec<FieldError>;

/// The API server's validation of a kind.
pub trait Validate {
    /// Adds all errors for which the API server would reject the object.
    fn validate(&self, errors: &mut Errors);
}

macro_rules! validations {
    ($($kind:ty: $rule:path;)*) => {
        $(impl Validate for $kind {
            fn validate(&self, errors: &mut Errors) {
                $rule(self, errors);
            }
        })*
    };
}

validations! {
    core::Node: node::node;
    core::Pod: pod::pod;
    apps::Deployment: workloads::deployment;
    apps::ReplicaSet: workloads::replica_set;
    apps::StatefulSet: workloads::stateful_set;
    apps::DaemonSet: workloads::daemon_set;
    batch::Job: workloads::job;
    batch::CronJob: workloads::cron_job;
    apps::ControllerRevision: metadata::controller_revision;
    core::PersistentVolumeClaim: volumes::persistent_volume_claim;
    core::PersistentVolume: volumes::persistent_volume;
    storage::StorageClass: volumes::storage_class;
    storage::CSINode: volumes::csi_node;
    storage::CSIDriver: volumes::csi_driver;
    core::Namespace: metadata::namespace;
    scheduling::PriorityClass: priority::priority_class;
    core::LimitRange: pdb::limit_range;
    core::ResourceQuota: pdb::resource_quota;
    policy::PodDisruptionBudget: pdb::disruption_budget;
    core::Service: services::service;
    core::ReplicationController: workloads::replication_controller;
    core::ConfigMap: config::config_map;
    core::Secret: config::secret;
    core::Endpoints: endpoints::endpoints;
    discovery::EndpointSlice: endpoints::endpoint_slice;
    autoscaling::HorizontalPodAutoscaler: autoscaler::autoscaler;
    storage::CSIStorageCapacity: volumes::storage_capacity;
    resource::ResourceClaim: devices::resource_claim;
    resource::ResourceClaimTemplate: devices::resource_claim_template;
    resource::ResourceSlice: devices::resource_slice;
    resource::DeviceClass: devices::device_class;
    core::ServiceAccount: kept::service_account;
    runtime::RuntimeClass: kept::runtime_class;
    storage::VolumeAttachment: kept::attachment;
    core::PodTemplate: kept::pod_template;
    coordination::Lease: kept::lease;
    networking::Ingress: kept::ingress;
    networking::IngressClass: kept::ingress_class;
    networking::NetworkPolicy: kept::network_policy;
    rbac::Role: kept::role;
    rbac::RoleBinding: kept::role_binding;
    rbac::ClusterRole: kept::cluster_role;
    rbac::ClusterRoleBinding: kept::cluster_role_binding;
    admission::MutatingWebhookConfiguration: kept::mutating_webhooks;
    admission::ValidatingWebhookConfiguration: kept::validating_webhooks;
    admission::ValidatingAdmissionPolicy: kept::policy;
    admission::ValidatingAdmissionPolicyBinding: kept::policy_binding;
    certificates::CertificateSigningRequest: kept::signing_request;
    flow::FlowSchema: kept::flow_schema;
    flow::PriorityLevelConfiguration: kept::priority_level;
    storage::VolumeAttributesClass: kept::attributes_class;
    extensions::CustomResourceDefinition: kept::definition;
    registration::APIService: kept::api_service;
}

macro_rules! manifest_rules {
    ($($kind:ident ($group:ident::$version:ident) {$($rest:tt)*})*) => {
        /// All errors for which the API server would reject the object; empty if it would accept it.
        ///
        /// A `KubeSchedulerConfiguration` is not an API object; `api::config` validates it.
        pub fn validate(object: &Manifest) -> Vec<FieldError> {
            let mut errors = Errors::new();
            match object {
                $(Manifest::$kind(object) => object.validate(&mut errors),)*
                Manifest::Scenario(scenario) => scenario::scenario(scenario, &mut errors),
                Manifest::SchedulerConfiguration(_) | Manifest::Script(_) => {}
            }
            errors
        }
    };
}

for_each_kind!(manifest_rules);

/// Reports one error about the value for each detail.
fn invalid_each(path: &Path, value: &str, details: Vec<String>, errors: &mut Errors) {
    errors.extend(
        details
            .iter()
            .map(|detail| FieldError::invalid(path, value, detail)),
    );
}

/// Reports a negative number.
fn non_negative<N>(path: &Path, number: Option<N>, errors: &mut Errors)
where
    N: Copy + Into<i64>,
{
    if let Some(number) = number.map(Into::<i64>::into).filter(|number| *number < 0) {
        errors.push(FieldError::invalid(
            path,
            number,
            "must be greater than or equal to 0",
        ));
    }
}

/// Reports a word that is not one of `supported`; an absent one is valid.
fn one_of(path: &Path, word: Option<&String>, supported: &[&str], errors: &mut Errors) {
    if let Some(word) = word.filter(|word| !supported.contains(&word.as_str())) {
        errors.push(FieldError::not_supported(path, word, supported));
    }
}
