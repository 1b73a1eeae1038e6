//! The scheduler's input: objects after defaulting, admission and expansion.
//!
//! Mirrors the state of a v1.34 API server, and of the controllers that matter to scheduling, before
//! the first scheduling attempt.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{
    Node, PersistentVolume, PersistentVolumeClaim, ReplicationController, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::resource::v1::{
    DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
};
use k8s_openapi::api::storage::v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
};

use berth_protocol::drain::InferredOwner;
pub use berth_scheduler::pod_object::{
    ControllerRef, DocumentIndex, Granted, Origin, Phase, PodObject, PodTemplate, Resized,
};

/// The scheduler's input, in document order within each kind.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The release whose rules hold.
    pub release: berth_scheduler::release::Release,
    pub nodes: Vec<Node>,
    /// All Pods, including finished ones; with those of workloads if expanded.
    pub pods: Vec<PodObject>,
    /// All namespaces that are declared or used, with their labels.
    pub namespaces: BTreeMap<String, BTreeMap<String, String>>,
    pub persistent_volumes: Vec<PersistentVolume>,
    pub persistent_volume_claims: Vec<PersistentVolumeClaim>,
    pub storage_classes: Vec<StorageClass>,
    pub csi_nodes: Vec<CSINode>,
    pub csi_drivers: Vec<CSIDriver>,
    pub csi_storage_capacities: Vec<CSIStorageCapacity>,
    pub volume_attachments: Vec<VolumeAttachment>,
    /// With those that the claim controller makes from templates.
    pub resource_claims: Vec<ResourceClaim>,
    pub resource_claim_templates: Vec<ResourceClaimTemplate>,
    pub resource_slices: Vec<ResourceSlice>,
    pub device_classes: Vec<DeviceClass>,
    pub disruption_budgets: Vec<PodDisruptionBudget>,
    pub services: Vec<Service>,
    pub replication_controllers: Vec<ReplicationController>,
    pub replica_sets: Vec<ReplicaSet>,
    pub stateful_sets: Vec<StatefulSet>,
    /// The owners of Pods that the manifests lack; they are among the objects above.
    pub inferred: Vec<InferredOwner>,
    /// The number of other objects that existing Pods name and the manifests lack, by kind; they are assumed to exist.
    pub assumed: BTreeMap<&'static str, usize>,
    /// Waiting Pods of a dump (`namespace/name`), with the kinds that decide about them and that the manifests lack.
    pub lacking: Vec<(String, Vec<&'static str>)>,
    /// The scheduler configuration with defaults.
    pub configuration: berth_scheduler::config::SchedulerConfiguration,
}
