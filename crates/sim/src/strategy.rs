//! What the API server does with an object before it stores it, kind by kind (the strategies and admission
//! plugins of kube-apiserver v1.34): defaults, admission, validation, immutable fields.

mod accounts;
mod config;
mod device_status;
mod devices;
mod disabled;
mod kept;
mod meta;
mod pods;
mod services;
mod status;
mod storage;
mod workloads;

use berth_core::api::kinds::groups::{
    admissionregistration::v1 as admission, apiextensions::v1 as extensions,
    apiregistration::v1 as registration, apps::v1 as apps, autoscaling::v2 as autoscaling,
    batch::v1 as batch, certificates::v1 as certificates, coordination::v1 as coordination,
    core::v1 as core, discovery::v1 as discovery, flowcontrol::v1 as flow,
    networking::v1 as networking, node::v1 as runtime, policy::v1 as policy, rbac::v1 as rbac,
    resource::v1 as resource, scheduling::v1 as scheduling, storage::v1 as storage_api,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::{Store, Stored};
use berth_core::api::defaults;
use berth_core::api::prepare::{PodPolicies, set_limit_defaults};
use berth_core::api::validation::{Validate, gates, node, pod};
use berth_scheduler::field::FieldError;
use berth_scheduler::release::Release;

pub use accounts::{with_account, without_account};

pub use storage::{CLAIM_PROTECTION, VOLUME_PROTECTION};

/// The cluster as admission sees it.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionContext<'a> {
    pub store: &'a Store,
    pub policies: &'a PodPolicies,
    pub release: &'a Release,
    /// The result is not stored.
    pub is_dry: bool,
}

/// The errors of an object.
pub type Errors = Vec<FieldError>;

/// A kind that the API server serves: it is stored, defaulted, and has rules.
pub trait Served: Stored + Defaults + Strategy + Serialize + DeserializeOwned {}

impl<T: Stored + Defaults + Strategy + Serialize + DeserializeOwned> Served for T {}

/// A kind that the API server completes before it stores an object.
pub trait Defaults {
    /// Fills in defaults; idempotent.
    fn set_defaults(&mut self);
}

/// The rules of a kind. The default methods do nothing beyond plain validation.
pub trait Strategy: Validate + Sized {
    /// Completes a new object, as mutating admission does.
    ///
    /// # Errors
    /// Why it is forbidden.
    fn admit(&mut self, _cx: AdmissionContext<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Drops the fields of feature gates that are off, before validation.
    fn drop_disabled(&mut self, _release: &Release) {}

    /// Drops the fields of feature gates that are off, and sets the times that the API server adds; idempotent.
    fn settle(&mut self, _release: &Release, _now: &Time) {}

    /// Checks a new or changed, valid object, as validating admission does.
    ///
    /// # Errors
    /// Why it is forbidden.
    fn judge(&self, _before: Option<&Self>, _cx: AdmissionContext<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Sets the fields of a changed object that only the API server writes.
    fn prepare_update(&mut self, _before: &Self) {}

    /// Finds what the cluster has no room for, or does not allow.
    fn validate_in(&self, _: Option<&Self>, _: AdmissionContext<'_>, _: &mut Errors) {}

    /// Validates a complete object.
    fn validate_stored(&self, errors: &mut Errors) {
        self.validate(errors);
    }

    /// Validates the fields that a release refuses unless a feature gate is on.
    fn validate_gates(&self, _release: &Release, _errors: &mut Errors) {}

    /// Finds changes of immutable fields.
    fn validate_update(&self, _before: &Self, _errors: &mut Errors) {}

    /// Finds changes of fields that a release's rules make immutable, or say so in other words.
    fn validate_update_by(&self, _before: &Self, _release: &Release, _errors: &mut Errors) {}

    /// Validates a new status.
    fn validate_status(&self, _before: &Self, _errors: &mut Errors) {}

    /// Marks an object as being deleted.
    fn begin_deletion(&mut self) {}

    /// Whether something besides its finalizers keeps it from being removed.
    fn is_held(&self) -> bool {
        false
    }
}

macro_rules! rules {
    ($($kind:ty {
        $(defaults $defaults:path,)?
        $(drop $drop:path,)?
        $(admit $admit:path,)?
        $(settle $settle:path,)?
        $(judge $judge:path,)?
        $(prepare $prepare:path,)?
        $(within $within:path,)?
        $(validate $validate:path,)?
        $(gates $gates:path,)?
        $(update $update:path,)?
        $(update_by $update_by:path,)?
        $(status $status:path,)?
    })*) => {
        $(impl Defaults for $kind {
            fn set_defaults(&mut self) {
                $($defaults(self);)?
            }
        }

        impl Strategy for $kind {
            $(fn admit(&mut self, cx: AdmissionContext<'_>) -> Result<(), String> {
                $admit(self, cx)
            })?
            $(fn drop_disabled(&mut self, release: &Release) {
                $drop(self, release);
            })?
            $(fn settle(&mut self, release: &Release, now: &Time) {
                $settle(self, release, now);
            })?
            $(fn judge(
                &self,
                before: Option<&Self>,
                cx: AdmissionContext<'_>,
            ) -> Result<(), String> {
                $judge(self, before, cx)
            })?
            $(fn prepare_update(&mut self, before: &Self) {
                $prepare(self, before);
            })?
            $(fn validate_in(
                &self,
                before: Option<&Self>,
                cx: AdmissionContext<'_>,
                errors: &mut Errors,
            ) {
                $within(self, before, cx, errors);
            })?
            $(fn validate_stored(&self, errors: &mut Errors) {
                $validate(self, errors);
            })?
            $(fn validate_gates(&self, release: &Release, errors: &mut Errors) {
                $gates(self, release, errors);
            })?
            $(fn validate_update(&self, before: &Self, errors: &mut Errors) {
                $update(self, before, errors);
            })?
            $(fn validate_update_by(
                &self,
                before: &Self,
                release: &Release,
                errors: &mut Errors,
            ) {
                $update_by(self, before, release, errors);
            })?
            $(fn validate_status(&self, before: &Self, errors: &mut Errors) {
                $status(self, before, errors);
            })?
        })*
    };
}

// The functions of each kind's rules. For all others, the kind uses the trait's default methods.
rules! {
    core::Node {defaults defaults::node, update node::update, status node::status,}
    core::Pod {
        defaults defaults::pod,
        admit pods::admit,
        settle pods::settle,
        judge pods::judge,
        prepare pods::prepare_update,
        validate pod::stored_pod,
        gates gates::restart_rules,
        update pods::validate_update,
        status status::pod,
    }
    apps::Deployment {
        defaults defaults::deployment,
        drop disabled::deployment,
        update workloads::deployment,
        status status::deployment,
    }
    apps::ReplicaSet {
        defaults defaults::replica_set,
        drop disabled::replica_set,
        update workloads::replica_set,
        status status::replica_set,
    }
    apps::StatefulSet {
        defaults defaults::stateful_set,
        drop disabled::stateful_set,
        update workloads::stateful_set,
        status status::stateful_set,
    }
    apps::DaemonSet {
        defaults defaults::daemon_set,
        drop disabled::daemon_set,
        admit workloads::admit_daemon_set,
        prepare workloads::count_template,
        update workloads::daemon_set,
    }
    batch::Job {
        defaults defaults::job,
        drop disabled::job,
        update_by workloads::job, status status::job,
    }
    batch::CronJob {defaults defaults::cron_job, drop disabled::cron_job,}
    apps::ControllerRevision {update workloads::revision,}
    core::PersistentVolumeClaim {
        defaults defaults::claim,
        admit storage::admit_claim,
        judge storage::judge_claim,
        update storage::claim,
        status status::claim,
    }
    core::PersistentVolume {
        defaults defaults::volume,
        admit storage::admit_volume,
        settle storage::settle_phase,
        update storage::volume,
    }
    storage_api::StorageClass {
        defaults storage::default_storage_class,
        update_by storage::class,
    }
    storage_api::CSINode {}
    storage_api::CSIDriver {
        defaults storage::default_driver,
        drop disabled::driver,
        update storage::driver,
    }
    storage_api::CSIStorageCapacity {update storage::capacity,}
    scheduling::PriorityClass {
        defaults meta::default_priority_class,
        admit meta::admit_priority_class,
        update meta::priority_class,
    }
    core::LimitRange {defaults set_limit_defaults,}
    core::ResourceQuota {update meta::resource_quota_update,}
    policy::PodDisruptionBudget {status status::budget,}
    core::Service {
        defaults services::set_defaults,
        admit services::admit,
        prepare services::keep_allocated,
        within services::validate_in,
        gates services::validate_gates,
        update services::validate_update,
        status status::service,
    }
    core::ReplicationController {
        defaults defaults::replication_controller,
        drop disabled::replication_controller,
    }
    core::ConfigMap {update config::config_map,}
    core::Secret {defaults defaults::config::secret, update config::secret,}
    core::Endpoints {defaults defaults::network::endpoints,}
    discovery::EndpointSlice {
        defaults defaults::network::endpoint_slice,
        prepare config::count_slice,
        update config::endpoint_slice,
    }
    autoscaling::HorizontalPodAutoscaler {
        defaults defaults::autoscaler::autoscaler,
        drop disabled::autoscaler,
        admit config::admit_autoscaler,
        status config::autoscaler_status,
    }
    resource::ResourceClaim {
        defaults devices::default_claim,
        admit devices::admit_claim,
        settle devices::settle_claim,
        within devices::claim_access,
        gates devices::claim_gates,
        update devices::claim,
        status devices::claim_status,
    }
    resource::ResourceClaimTemplate {
        defaults devices::default_template,
        admit devices::admit_template,
        settle devices::settle_template,
        within devices::template_access,
        gates devices::template_gates,
        update devices::template,
    }
    resource::ResourceSlice {
        admit devices::admit_slice,
        settle devices::settle_slice,
        prepare devices::count_slice,
        gates devices::slice_gates,
        update devices::slice,
    }
    resource::DeviceClass {
        admit devices::admit_class,
        settle devices::settle_class,
        prepare devices::count_class,
        gates devices::class_gates,
    }
    core::ServiceAccount {}
    runtime::RuntimeClass {gates kept::runtime_words, update kept::runtime_class,}
    storage_api::VolumeAttachment {admit kept::admit_attachment, update kept::attachment,}
    core::PodTemplate {defaults defaults::kept::pod_template, drop disabled::pod_template,}
    coordination::Lease {defaults defaults::kept::lease,}
    networking::Ingress {admit kept::admit_ingress,}
    networking::IngressClass {defaults defaults::kept::ingress_class, update kept::ingress_class,}
    networking::NetworkPolicy {defaults defaults::kept::network_policy,}
    rbac::Role {}
    rbac::RoleBinding {defaults defaults::kept::role_binding, update kept::role_binding,}
    rbac::ClusterRole {}
    rbac::ClusterRoleBinding {
        defaults defaults::kept::cluster_role_binding,
        update kept::cluster_role_binding,
    }
    admission::MutatingWebhookConfiguration {defaults defaults::webhooks::mutating,}
    admission::ValidatingWebhookConfiguration {defaults defaults::webhooks::validating,}
    admission::ValidatingAdmissionPolicy {
        defaults defaults::webhooks::policy,
        admit kept::admit_policy,
    }
    admission::ValidatingAdmissionPolicyBinding {defaults defaults::webhooks::policy_binding,}
    certificates::CertificateSigningRequest {
        admit kept::admit_signing_request,
        prepare kept::keep_signing_request,
    }
    flow::FlowSchema {defaults defaults::kept::flow_schema, admit kept::admit_flow_schema,}
    flow::PriorityLevelConfiguration {
        defaults defaults::kept::priority_level,
        admit kept::admit_priority_level,
    }
    storage_api::VolumeAttributesClass {update kept::attributes_class,}
    extensions::CustomResourceDefinition {
        defaults defaults::kept::definition,
        settle kept::establish_definition,
    }
    registration::APIService {
        defaults defaults::kept::api_service,
        settle kept::settle_api_service,
    }
}

impl Defaults for core::Namespace {
    fn set_defaults(&mut self) {}
}

impl Strategy for core::Namespace {
    fn admit(&mut self, _cx: AdmissionContext<'_>) -> Result<(), String> {
        meta::admit_namespace(self);
        Ok(())
    }

    fn validate_stored(&self, errors: &mut Errors) {
        self.validate(errors);
        meta::security_labels(self, errors);
    }

    fn validate_update(&self, before: &Self, errors: &mut Errors) {
        meta::unchanged_security_labels(self, before, errors);
    }

    fn begin_deletion(&mut self) {
        let status = self.status.get_or_insert_default();
        status.phase = Some("Terminating".to_owned());
    }

    fn is_held(&self) -> bool {
        let finalizers = self.spec.as_ref().and_then(|spec| spec.finalizers.as_ref());
        finalizers.is_some_and(|finalizers| !finalizers.is_empty())
    }
}
