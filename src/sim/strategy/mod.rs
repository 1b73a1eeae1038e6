//! What the API server does with an object before it stores it, kind by kind (the strategies and admission
//! plugins of kube-apiserver v1.34): completion and admission, validation, what may not change.

mod meta;
mod pods;
mod storage;
mod workloads;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    ReplicationController, ResourceQuota, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, StorageClass};

use super::store::Store;
use crate::api::prepare::PodPolicies;
use crate::api::validation::field::FieldError;
use crate::api::validation::{node, pdb, pod, priority, volumes, workloads as written};

pub use workloads::TEMPLATE_GENERATION;

pub use storage::{CLAIM_PROTECTION, VOLUME_PROTECTION};

/// What admission asks about.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    pub store: &'a Store,
    pub policies: &'a PodPolicies,
}

/// What is wrong with an object.
pub type Errors = Vec<FieldError>;

/// The rules of a kind. Each does nothing unless the kind has some.
pub trait Strategy: Sized {
    /// Completes a new object, as mutating admission does.
    ///
    /// # Errors
    /// Why it is forbidden.
    fn admit(&mut self, _cluster: Cluster<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Writes into a changed object what only the API server does.
    fn prepare_update(&mut self, _before: &Self) {}

    /// Finds what is wrong with an object.
    fn validate(&self, _errors: &mut Errors) {}

    /// Finds what may not be changed like that.
    fn validate_update(&self, _before: &Self, _errors: &mut Errors) {}

    /// Finds what is wrong with a status that is written anew.
    fn validate_status(&self, _before: &Self, _errors: &mut Errors) {}

    /// Marks an object whose deletion was asked for.
    fn begin_deletion(&mut self) {}

    /// Whether it has to wait for something besides its finalizers before it may go.
    fn is_held(&self) -> bool {
        false
    }
}

macro_rules! strategies {
    ($($kind:ident {$(admit $admit:path,)? $(prepare $prepare:path,)? $(validate $validate:path,)? $(update $update:path,)? $(status $status:path,)?})*) => {
        $(impl Strategy for $kind {
            $(fn admit(&mut self, cluster: Cluster<'_>) -> Result<(), String> {
                $admit(self, cluster)
            })?
            $(fn prepare_update(&mut self, before: &Self) {
                $prepare(self, before);
            })?
            $(fn validate(&self, errors: &mut Errors) {
                $validate(self, errors);
            })?
            $(fn validate_update(&self, before: &Self, errors: &mut Errors) {
                $update(self, before, errors);
            })?
            $(fn validate_status(&self, before: &Self, errors: &mut Errors) {
                $status(self, before, errors);
            })?
        })*
    };
}

strategies! {
    Node {validate node::node, status node::status,}
    Pod {
        admit pods::admit,
        prepare pods::prepare_update,
        validate pod::stored_pod,
        update pods::validate_update,
    }
    Deployment {validate written::deployment, update workloads::deployment,}
    ReplicaSet {validate written::replica_set, update workloads::replica_set,}
    StatefulSet {validate written::stateful_set, update workloads::stateful_set,}
    DaemonSet {
        admit workloads::admit_daemon_set,
        prepare workloads::count_template,
        validate written::daemon_set,
        update workloads::daemon_set,
    }
    Job {validate written::job, update workloads::job,}
    CronJob {validate written::cron_job,}
    ControllerRevision {}
    PersistentVolumeClaim {
        admit storage::admit_claim,
        validate volumes::persistent_volume_claim,
        update storage::claim,
    }
    PersistentVolume {
        admit storage::admit_volume,
        validate volumes::persistent_volume,
        update storage::volume,
    }
    StorageClass {
        admit storage::admit_class,
        validate volumes::storage_class,
        update storage::class,
    }
    CSINode {validate volumes::csi_node,}
    CSIDriver {admit storage::admit_driver, validate meta::csi_driver,}
    PriorityClass {
        admit meta::admit_priority_class,
        validate priority::priority_class,
        update meta::priority_class,
    }
    LimitRange {validate meta::limit_range,}
    ResourceQuota {validate meta::resource_quota, update meta::resource_quota_update,}
    PodDisruptionBudget {validate pdb::disruption_budget,}
    Service {validate meta::service,}
    ReplicationController {validate written::replication_controller,}
}

impl Strategy for Namespace {
    fn admit(&mut self, _cluster: Cluster<'_>) -> Result<(), String> {
        meta::admit_namespace(self);
        Ok(())
    }

    fn validate(&self, errors: &mut Errors) {
        meta::namespace(self, errors);
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
