//! Facts: the only way to change a [`super::Cluster`].

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{
    Node, PersistentVolume, PersistentVolumeClaim, ReplicationController, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, StorageClass};

use super::PodIx;
use super::selector::Labels;
use crate::api::kinds::Kind;
use crate::api::prepared::PodObject;

/// Something that happened. A name that is not there makes the event do nothing.
#[derive(Clone, Debug)]
pub enum Event {
    /// A node came, or its object changed.
    NodeSet(Arc<Node>),
    NodeDeleted(String),
    /// A Pod came; with a node name it counts there at once.
    PodAdded(Box<PodObject>),
    /// The Pod got its node. `start_ms`: `status.startTime`, milliseconds since the Unix epoch.
    PodBound {
        pod: PodIx,
        node: Arc<str>,
        start_ms: i64,
    },
    PodDeleted(PodIx),
    /// The Pod's object changed; it keeps its index.
    PodUpdated {
        pod: PodIx,
        object: Box<PodObject>,
    },
    /// `status.nominatedNodeName` was set or cleared.
    Nominated {
        pod: PodIx,
        node: Option<Arc<str>>,
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
    ServiceSet(Arc<Service>),
    ReplicationControllerSet(Arc<ReplicationController>),
    ReplicaSetSet(Arc<ReplicaSet>),
    StatefulSetSet(Arc<StatefulSet>),
    /// A budget came or its status changed.
    BudgetSet(Arc<PodDisruptionBudget>),
    /// An object of a kind that [`Kind::is_kept_by_scheduler`] is gone; other kinds do nothing. `namespace` is
    /// empty for kinds without.
    Removed {
        kind: Kind,
        namespace: String,
        name: String,
    },
}
