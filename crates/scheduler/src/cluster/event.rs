//! Events: the only way to change a [`super::Cluster`].

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{
    Node, PersistentVolume, PersistentVolumeClaim, ReplicationController, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use k8s_openapi::api::storage::v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
};

use super::PodIx;
use crate::pod_object::PodObject;
use crate::selector::compiled::Labels;

/// A kind whose objects the cluster keeps, besides nodes and Pods, which have events of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredKind {
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CSINode,
    CSIDriver,
    CSIStorageCapacity,
    VolumeAttachment,
    ResourceClaim,
    ResourceSlice,
    DeviceClass,
    PodDisruptionBudget,
    Service,
    ReplicationController,
    ReplicaSet,
    StatefulSet,
}

impl StoredKind {
    /// The kind with this name in manifests: `StorageClass`.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "Namespace" => Self::Namespace,
            "PersistentVolume" => Self::PersistentVolume,
            "PersistentVolumeClaim" => Self::PersistentVolumeClaim,
            "StorageClass" => Self::StorageClass,
            "CSINode" => Self::CSINode,
            "CSIDriver" => Self::CSIDriver,
            "CSIStorageCapacity" => Self::CSIStorageCapacity,
            "VolumeAttachment" => Self::VolumeAttachment,
            "ResourceClaim" => Self::ResourceClaim,
            "ResourceSlice" => Self::ResourceSlice,
            "DeviceClass" => Self::DeviceClass,
            "PodDisruptionBudget" => Self::PodDisruptionBudget,
            "Service" => Self::Service,
            "ReplicationController" => Self::ReplicationController,
            "ReplicaSet" => Self::ReplicaSet,
            "StatefulSet" => Self::StatefulSet,
            _ => return None,
        })
    }
}

/// A change of the cluster. An event about an object that does not exist has no effect.
#[derive(Clone, Debug)]
pub enum Event {
    /// A node was added or updated.
    NodeSet(Arc<Node>),
    NodeDeleted(String),
    /// A Pod was added; with a node name it is placed at once.
    PodAdded(Box<PodObject>),
    /// The Pod was bound. `start_ms`: `status.startTime`, milliseconds since the Unix epoch.
    PodBound {
        pod: PodIx,
        node: Arc<str>,
        start_ms: i64,
    },
    PodDeleted(PodIx),
    /// The Pod's object was updated; it keeps its index.
    PodUpdated {
        pod: PodIx,
        object: Box<PodObject>,
    },
    /// `status.nominatedNodeName` was set or cleared.
    Nominated {
        pod: PodIx,
        node: Option<Arc<str>>,
    },
    /// Whether the Pod's nomination does not count: the Pod is gated, or of another scheduler.
    Withheld {
        pod: PodIx,
        withheld: bool,
    },
    NamespaceSet {
        name: String,
        labels: Labels,
    },
    VolumeSet(Arc<PersistentVolume>),
    ClaimSet(Arc<PersistentVolumeClaim>),
    StorageClassSet(Arc<StorageClass>),
    CsiNodeSet(Arc<CSINode>),
    CsiDriverSet(Arc<CSIDriver>),
    StorageCapacitySet(Arc<CSIStorageCapacity>),
    VolumeAttachmentSet(Arc<VolumeAttachment>),
    /// A claim was added, or its spec or status changed.
    ResourceClaimSet(Arc<ResourceClaim>),
    ResourceSliceSet(Arc<ResourceSlice>),
    DeviceClassSet(Arc<DeviceClass>),
    ServiceSet(Arc<Service>),
    ReplicationControllerSet(Arc<ReplicationController>),
    ReplicaSetSet(Arc<ReplicaSet>),
    StatefulSetSet(Arc<StatefulSet>),
    /// A budget was added, or its spec or status changed.
    BudgetSet(Arc<PodDisruptionBudget>),
    /// An object was deleted; `namespace` is empty for cluster-scoped kinds.
    Removed {
        kind: StoredKind,
        namespace: String,
        name: String,
    },
}
