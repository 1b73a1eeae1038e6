//! The objects Berth reads: Kubernetes' own types, tagged by kind.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    ReplicationController, ResourceQuota, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, StorageClass};
use serde_json::Value;

/// One object of a kind that Berth understands, as its document gives it.
#[derive(Clone, Debug)]
pub enum Manifest {
    Node(Box<Node>),
    Pod(Box<Pod>),
    Namespace(Box<Namespace>),
    PriorityClass(Box<PriorityClass>),
    PodDisruptionBudget(Box<PodDisruptionBudget>),
    Service(Box<Service>),
    ReplicaSet(Box<ReplicaSet>),
    ReplicationController(Box<ReplicationController>),
    StatefulSet(Box<StatefulSet>),
    Deployment(Box<Deployment>),
    DaemonSet(Box<DaemonSet>),
    Job(Box<Job>),
    CronJob(Box<CronJob>),
    PersistentVolume(Box<PersistentVolume>),
    PersistentVolumeClaim(Box<PersistentVolumeClaim>),
    StorageClass(Box<StorageClass>),
    CsiNode(Box<CSINode>),
    CsiDriver(Box<CSIDriver>),
    LimitRange(Box<LimitRange>),
    ResourceQuota(Box<ResourceQuota>),
    /// `kubescheduler.config.k8s.io/v1`, still as JSON: `api::config` reads it.
    SchedulerConfiguration(Box<Value>),
    /// `berth.dev/v1alpha1`, `kind: Scenario`.
    Scenario(Box<super::scenario::Scenario>),
    /// `conformance/v1`, `kind: Script`, still as JSON: `berth replay` reads it.
    Script(Box<Value>),
}
