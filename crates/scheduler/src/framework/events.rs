//! Events of the cluster that may make a Pod schedulable, and the plugins' registrations for them.
//!
//! Mirrors `ClusterEvent`, `ActionType`, `EnqueueExtensions` and the queueing hints of kube-scheduler
//! v1.34 (`framework/types.go`, `framework/events.go`).

mod changes;

use std::fmt;
use std::ops::BitOr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use k8s_openapi::api::storage::v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
};

use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;

use super::plugin::Context;

pub use changes::{node_changes, pod_changes};

/// The kind of object that an event is about. An assigned Pod has a node; an unschedulable one is pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// In registrations: assigned and pending Pods.
    Pod,
    AssignedPod,
    UnschedulablePod,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CsiNode,
    CsiDriver,
    CsiStorageCapacity,
    VolumeAttachment,
    ResourceClaim,
    ResourceSlice,
    DeviceClass,
    /// Every kind; the event moves all Pods without a hint.
    WildCard,
}

impl Resource {
    /// Whether a registration for `self` covers an event about `incoming`.
    fn covers(self, incoming: Resource) -> bool {
        let is_pod = matches!(incoming, Self::AssignedPod | Self::UnschedulablePod);
        self == incoming || self == Self::Pod && is_pod
    }

    fn label(self) -> &'static str {
        match self {
            Self::Pod => "Pod",
            Self::AssignedPod => "AssignedPod",
            Self::UnschedulablePod => "UnschedulablePod",
            Self::Node => "Node",
            Self::PersistentVolume => "PersistentVolume",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::StorageClass => "storage.k8s.io/StorageClass",
            Self::CsiNode => "storage.k8s.io/CSINode",
            Self::CsiDriver => "storage.k8s.io/CSIDriver",
            Self::CsiStorageCapacity => "storage.k8s.io/CSIStorageCapacity",
            Self::VolumeAttachment => "storage.k8s.io/VolumeAttachment",
            Self::ResourceClaim => "resource.k8s.io/ResourceClaim",
            Self::ResourceSlice => "resource.k8s.io/ResourceSlice",
            Self::DeviceClass => "resource.k8s.io/DeviceClass",
            Self::WildCard => "*",
        }
    }
}

/// What happens to an object; in registrations, a set of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActionType(u16);

impl ActionType {
    pub const ADD: Self = Self(1);
    pub const DELETE: Self = Self(1 << 1);
    pub const UPDATE_NODE_ALLOCATABLE: Self = Self(1 << 2);
    pub const UPDATE_NODE_LABEL: Self = Self(1 << 3);
    pub const UPDATE_NODE_TAINT: Self = Self(1 << 4);
    pub const UPDATE_NODE_CONDITION: Self = Self(1 << 5);
    pub const UPDATE_NODE_ANNOTATION: Self = Self(1 << 6);
    pub const UPDATE_POD_LABEL: Self = Self(1 << 7);
    pub const UPDATE_POD_SCALE_DOWN: Self = Self(1 << 8);
    pub const UPDATE_POD_TOLERATION: Self = Self(1 << 9);
    pub const UPDATE_POD_SCHEDULING_GATES_ELIMINATED: Self = Self(1 << 10);
    /// Any other update; the only one for objects that are neither nodes nor Pods.
    pub const UPDATE: Self = Self(1 << 11);
    pub const UPDATE_NODE_DECLARED_FEATURE: Self = Self(1 << 12);
    /// A claim was made from a template of the Pod.
    pub const UPDATE_POD_GENERATED_RESOURCE_CLAIM: Self = Self(1 << 13);

    /// In bit order.
    const NAMES: [&str; 14] = [
        "Add",
        "Delete",
        "UpdateNodeAllocatable",
        "UpdateNodeLabel",
        "UpdateNodeTaint",
        "UpdateNodeCondition",
        "UpdateNodeAnnotation",
        "UpdatePodLabel",
        "UpdatePodScaleDown",
        "UpdatePodToleration",
        "UpdatePodSchedulingGatesEliminated",
        "Update",
        "UpdateNodeDeclaredFeature",
        "UpdatePodGeneratedResourceClaim",
    ];

    /// Whether the sets intersect.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The union; `|` for constants.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOr for ActionType {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

/// An event of the cluster; in registrations, a set of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterEvent {
    pub resource: Resource,
    pub action: ActionType,
}

impl ClusterEvent {
    pub const ASSIGNED_POD_ADD: Self = Self::new(Resource::AssignedPod, ActionType::ADD);
    pub const ASSIGNED_POD_DELETE: Self = Self::new(Resource::AssignedPod, ActionType::DELETE);
    pub const UNSCHEDULABLE_POD_ADD: Self = Self::new(Resource::UnschedulablePod, ActionType::ADD);
    pub const UNSCHEDULABLE_POD_UPDATE: Self =
        Self::new(Resource::UnschedulablePod, ActionType::UPDATE);
    /// A Pod stayed unschedulable too long without an event that moves it.
    pub const UNSCHEDULABLE_TIMEOUT: Self = Self::new(Resource::WildCard, ActionType(u16::MAX));

    /// An event.
    pub const fn new(resource: Resource, action: ActionType) -> Self {
        Self { resource, action }
    }

    /// Whether this registration covers the event (`ClusterEvent.Match`).
    pub fn covers(self, happened: ClusterEvent) -> bool {
        self.resource.covers(happened.resource) && self.action.meets(happened.action)
    }

    /// Whether the event moves all Pods without asking a plugin.
    pub fn is_wild_card(self) -> bool {
        self.resource == Resource::WildCard
    }
}

/// As kube-scheduler's logs and metrics label it: `NodeUpdateNodeTaint`.
impl fmt::Display for ClusterEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::UNSCHEDULABLE_TIMEOUT {
            return f.write_str("UnschedulableTimeout");
        }
        f.write_str(self.resource.label())?;
        for (position, (_, name)) in ActionType::NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.action.0 & (1 << bit) != 0)
            .enumerate()
        {
            let separator = if position == 0 { "" } else { "|" };
            write!(f, "{separator}{name}")?;
        }
        Ok(())
    }
}

/// The object of an event, before and after. `old` is absent for a new object, `new` for a deleted
/// one.
#[derive(Clone, Debug)]
pub struct Update<T> {
    pub old: Option<Arc<T>>,
    pub new: Option<Arc<T>>,
}

impl<T> Update<T> {
    /// A new object.
    pub fn added(new: Arc<T>) -> Self {
        Self {
            old: None,
            new: Some(new),
        }
    }

    /// A deleted object.
    pub fn deleted(old: Arc<T>) -> Self {
        Self {
            old: Some(old),
            new: None,
        }
    }

    /// An updated object.
    pub fn changed(old: Arc<T>, new: Arc<T>) -> Self {
        Self {
            old: Some(old),
            new: Some(new),
        }
    }

    /// Both versions of an updated object.
    pub fn both(&self) -> Option<(&T, &T)> {
        Some((self.old.as_deref()?, self.new.as_deref()?))
    }
}

/// The update behind an event, as queueing hints receive it.
#[derive(Clone, Debug)]
pub enum ObjectUpdate {
    Pod(Update<PodInfo>),
    /// The nodes' Pods are left out.
    Node(Update<NodeInfo>),
    PersistentVolume(Update<PersistentVolume>),
    PersistentVolumeClaim(Update<PersistentVolumeClaim>),
    StorageClass(Update<StorageClass>),
    CsiNode(Update<CSINode>),
    CsiDriver(Update<CSIDriver>),
    CsiStorageCapacity(Update<CSIStorageCapacity>),
    VolumeAttachment(Update<VolumeAttachment>),
    ResourceClaim(Update<ResourceClaim>),
    ResourceSlice(Update<ResourceSlice>),
    DeviceClass(Update<DeviceClass>),
    /// No object changed; time passed.
    Nothing,
}

/// Whether an event may make a Pod schedulable (`QueueingHint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Another attempt may succeed.
    Queue,
    /// The Pod is still unschedulable.
    Skip,
}

impl Hint {
    /// [`Hint::Queue`] if the change may help.
    pub fn queue_if(it_may_help: bool) -> Self {
        if it_may_help { Self::Queue } else { Self::Skip }
    }
}

/// Events that a plugin registers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventToRegister {
    pub event: ClusterEvent,
    /// Whether [`EnqueueExtensions::hint`] decides; without it, the event always queues the Pod.
    pub hinted: bool,
}

impl EventToRegister {
    /// Events for which the plugin's hint decides.
    pub const fn hinted(resource: Resource, actions: ActionType) -> Self {
        Self {
            event: ClusterEvent::new(resource, actions),
            hinted: true,
        }
    }

    /// Events that always queue the Pod.
    pub const fn always(resource: Resource, actions: ActionType) -> Self {
        Self {
            event: ClusterEvent::new(resource, actions),
            hinted: false,
        }
    }
}

/// The events that may make a Pod schedulable after this plugin rejected it.
pub trait EnqueueExtensions {
    /// The registered events. A plugin that registers for added nodes but not for changed taints also
    /// gets `NodeUpdateNodeTaint`, without a hint; see `scheduler::queue`.
    fn events_to_register(&self) -> &'static [EventToRegister];

    /// Whether the change may make the Pod of `cx` schedulable. Called only for registered events
    /// that are `hinted`. `cx` holds the pending Pod in its current state.
    fn hint(&self, _cx: Context<'_>, _change: &ObjectUpdate) -> Hint {
        Hint::Queue
    }
}

#[cfg(test)]
mod tests {
    use super::{ActionType, ClusterEvent, Resource};

    #[test]
    fn labels_are_those_of_the_scheduler() {
        let label = |resource, action| ClusterEvent::new(resource, action).to_string();
        assert_eq!(
            ClusterEvent::ASSIGNED_POD_DELETE.to_string(),
            "AssignedPodDelete"
        );
        assert_eq!(
            label(Resource::Node, ActionType::UPDATE_NODE_TAINT),
            "NodeUpdateNodeTaint"
        );
        assert_eq!(
            label(Resource::CsiNode, ActionType::UPDATE),
            "storage.k8s.io/CSINodeUpdate"
        );
        assert_eq!(
            ClusterEvent::UNSCHEDULABLE_TIMEOUT.to_string(),
            "UnschedulableTimeout"
        );
    }

    #[test]
    fn a_registration_for_pods_covers_both_sorts() {
        let pods = ClusterEvent::new(Resource::Pod, ActionType::ADD | ActionType::DELETE);
        assert!(pods.covers(ClusterEvent::ASSIGNED_POD_ADD));
        assert!(pods.covers(ClusterEvent::UNSCHEDULABLE_POD_ADD));
        let nodes = ClusterEvent::new(Resource::Node, ActionType::ADD);
        assert!(!pods.covers(nodes) && !nodes.covers(ClusterEvent::ASSIGNED_POD_ADD));
        let label = ClusterEvent::new(Resource::AssignedPod, ActionType::UPDATE_POD_LABEL);
        assert!(!pods.covers(label));
    }
}
