//! The scheduler's cluster and queue: each change is applied to the cluster, then moves Pods in the queue.
//!
//! Mirrors the event handlers of kube-scheduler v1.34.1 (`eventhandlers.go`) with informers that never lag.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use super::clock::Clock;
use super::store::name_of;
use berth_core::api::prepared::PodObject;
use berth_scheduler::Scheduler;
use berth_scheduler::cluster::event::{Event, StoredKind};
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::cluster::{Cluster, PodIx, object_key};
use berth_scheduler::framework::events::{
    ActionType, ClusterEvent, ObjectUpdate, Resource, Update, node_changes, pod_changes,
};
use berth_scheduler::queue::{QueueContext, SchedulingQueue};

/// A cluster, its scheduler, the queue, and the time.
#[derive(Clone)]
pub struct SchedulerCache {
    pub cluster: Cluster,
    pub scheduler: Scheduler,
    pub queue: SchedulingQueue,
    pub clock: Clock,
}

impl SchedulerCache {
    fn move_pods(&mut self, event: ClusterEvent, change: &ObjectUpdate, up_to: Option<i32>) {
        let cx = QueueContext {
            cluster: &self.cluster,
            scheduler: &self.scheduler,
            now: self.clock.now(),
        };
        self.queue.move_all(cx, event, change, up_to);
        for pod in self.cluster.nominations().withheld() {
            self.settle_nomination(pod);
        }
    }

    /// Calls the queue with the context that it reads.
    pub fn with_queue<R>(
        &mut self,
        act: impl FnOnce(&mut SchedulingQueue, QueueContext<'_>) -> R,
    ) -> R {
        let cx = QueueContext {
            cluster: &self.cluster,
            scheduler: &self.scheduler,
            now: self.clock.now(),
        };
        act(&mut self.queue, cx)
    }

    /// A copy of the Pod as it is now.
    fn pod(&self, pod: PodIx) -> Option<Arc<PodInfo>> {
        self.cluster.pods().get(pod).cloned().map(Arc::new)
    }

    /// Whether the Pod belongs in the queue: it is pending, and for one of our profiles.
    fn is_queued(&self, pod: &PodInfo) -> bool {
        pod.object.node_name.is_none()
            && !pod.object.phase.is_terminal()
            && self.scheduler.profile_of(pod).is_some()
    }

    /// A Pod was added; it is assigned if it has a node.
    pub fn pod_added(&mut self, object: PodObject) {
        self.clock.tick();
        let (namespace, name) = (Arc::clone(&object.namespace), Arc::clone(&object.name));
        self.cluster.apply(Event::PodAdded(Box::new(object)));
        let known = self.cluster.pods().find(&namespace, &name);
        if let Some(pod) = known.map(|pod| pod.ix) {
            self.handle_new_pod(pod);
        }
    }

    /// A pending Pod that is not queued, or held back by a gate, keeps no room on the node that it is nominated to:
    /// it is not in the nominator.
    fn settle_nomination(&mut self, pod: PodIx) {
        let Some(info) = self.cluster.pods().get(pod) else {
            return;
        };
        if info.object.nominated_node.is_none() {
            return;
        }
        let withheld = self.is_held_back(info);
        if withheld != self.cluster.nominations().is_withheld(pod) {
            self.cluster.apply(Event::Withheld { pod, withheld });
        }
    }

    fn is_held_back(&self, pod: &PodInfo) -> bool {
        let Some(profile) = self.scheduler.profile_of(pod) else {
            return true;
        };
        let profiles = self.scheduler.profiles();
        profiles[profile].gated_by(&self.cluster, pod).is_some()
    }

    /// Handles the addition of a Pod that is in the cluster already.
    pub fn handle_new_pod(&mut self, pod: PodIx) {
        self.settle_nomination(pod);
        let Some(info) = self.pod(pod) else {
            return;
        };
        if is_assigned(&info) {
            let change = ObjectUpdate::Pod(Update::added(info));
            self.move_pods(ClusterEvent::ASSIGNED_POD_ADD, &change, None);
        } else if self.is_queued(&info) {
            self.with_queue(|queue, cx| queue.add(cx, pod));
        }
    }

    /// A Pod was updated; its node is the same as before.
    pub fn pod_updated(&mut self, pod: PodIx, object: PodObject) {
        self.clock.tick();
        let Some(old) = self.pod(pod) else {
            return;
        };
        self.cluster.apply(Event::PodUpdated {
            pod,
            object: Box::new(object),
        });
        self.settle_nomination(pod);
        let Some(new) = self.pod(pod) else {
            return;
        };
        if is_assigned(&new) {
            let events = pod_changes(&self.cluster, &old, &new);
            let change = ObjectUpdate::Pod(Update::changed(old, new));
            for event in events {
                self.move_pods(event, &change, None);
            }
        } else if self.is_queued(&new) {
            self.with_queue(|queue, cx| queue.update(cx, &old, &new));
            self.nomination_changed(&old, new.object.nominated_node.as_ref());
        }
    }

    /// A nomination was cleared or changed: for Pods of lower or equal priority that is as if the Pod were
    /// deleted from the node.
    fn nomination_changed(&mut self, old: &Arc<PodInfo>, now: Option<&Arc<str>>) {
        let before = old.object.nominated_node.as_ref();
        if before.is_some() && before != now {
            let change = ObjectUpdate::Pod(Update::deleted(Arc::clone(old)));
            let up_to = Some(old.priority());
            self.move_pods(ClusterEvent::ASSIGNED_POD_DELETE, &change, up_to);
        }
    }

    /// `status.nominatedNodeName` of a pending Pod was set or cleared.
    pub fn pod_nominated(&mut self, pod: PodIx, node: Option<Arc<str>>) {
        let Some(old) = self.pod(pod) else {
            return;
        };
        if old.object.nominated_node == node {
            return;
        }
        self.clock.tick();
        let now = node.clone();
        self.cluster.apply(Event::Nominated { pod, node });
        self.settle_nomination(pod);
        // No plugin registers for this update of the Pod.
        self.nomination_changed(&old, now.as_ref());
    }

    /// The status of a Pod changed in a way that no plugin registers for: only the clock ticks.
    pub fn pod_status_written(&mut self) {
        self.clock.tick();
    }

    /// The Pod was bound. `start_ms`: `status.startTime`, milliseconds since the Unix epoch.
    pub fn pod_bound(&mut self, pod: PodIx, node: Arc<str>, start_ms: i64) {
        self.clock.tick();
        let Some(old) = self.pod(pod) else {
            return;
        };
        self.cluster.apply(Event::PodBound {
            pod,
            node,
            start_ms,
        });
        if let Some(new) = self.pod(pod) {
            let change = ObjectUpdate::Pod(Update::added(new));
            self.move_pods(ClusterEvent::ASSIGNED_POD_ADD, &change, None);
        }
        self.queue.delete(pod);
        if self.cluster.release().rules().binding_ends_nomination {
            self.nomination_changed(&old, None);
        }
    }

    /// The Pod was deleted.
    pub fn pod_deleted(&mut self, pod: PodIx) {
        self.clock.tick();
        let Some(old) = self.pod(pod) else {
            return;
        };
        let was_queued = self.is_queued(&old);
        self.cluster.apply(Event::PodDeleted(pod));
        if is_assigned(&old) {
            let change = ObjectUpdate::Pod(Update::deleted(old));
            self.move_pods(ClusterEvent::ASSIGNED_POD_DELETE, &change, None);
        } else if was_queued {
            self.queue.delete(pod);
            self.nomination_changed(&old, None);
        }
    }

    /// A node was added or updated; an update can raise several events.
    pub fn node_set(&mut self, node: Node) {
        self.clock.tick();
        let name = node.metadata.name.clone().unwrap_or_default();
        let bare = |known: &NodeInfo| Arc::new(NodeInfo::new(known.ix, Arc::clone(&known.object)));
        let old = self.cluster.find_node(&name).map(bare);
        self.cluster.apply(Event::NodeSet(Arc::new(node)));
        let Some(new) = self.cluster.find_node(&name).map(bare) else {
            return;
        };
        let events = match &old {
            None => vec![ClusterEvent::new(Resource::Node, ActionType::ADD)],
            Some(old) => node_changes(old, &new),
        };
        let change = ObjectUpdate::Node(Update {
            old,
            new: Some(new),
        });
        for event in events {
            self.move_pods(event, &change, None);
        }
    }

    /// The node was deleted. Its Pods stay, as objects.
    pub fn node_deleted(&mut self, name: &str) {
        self.clock.tick();
        let Some(old) = self.cluster.find_node(name) else {
            return;
        };
        let old = Arc::new(NodeInfo::new(old.ix, Arc::clone(&old.object)));
        self.cluster.apply(Event::NodeDeleted(name.to_owned()));
        let event = ClusterEvent::new(Resource::Node, ActionType::DELETE);
        self.move_pods(event, &ObjectUpdate::Node(Update::deleted(old)), None);
    }

    /// An object other than a Pod or node was added or updated. Pods move if plugins register for its kind.
    pub fn set(&mut self, event: Event) {
        use Resource::*;
        let (volumes, devices) = (self.cluster.volumes(), self.cluster.devices());
        let (resource, (action, change)) = match &event {
            Event::VolumeSet(new) => {
                let old = volumes.persistent_volumes.get(name_of(&new.metadata));
                (
                    PersistentVolume,
                    update(old, new, ObjectUpdate::PersistentVolume),
                )
            }
            Event::ClaimSet(new) => {
                let (namespace, name) = object_key(&new.metadata);
                let old = volumes.claim(&namespace, &name);
                let change = ObjectUpdate::PersistentVolumeClaim;
                (PersistentVolumeClaim, update(old, new, change))
            }
            Event::StorageClassSet(new) => {
                let old = volumes.storage_classes.get(name_of(&new.metadata));
                (StorageClass, update(old, new, ObjectUpdate::StorageClass))
            }
            Event::CsiNodeSet(new) => {
                let old = volumes.csi_nodes.get(name_of(&new.metadata));
                (CsiNode, update(old, new, ObjectUpdate::CsiNode))
            }
            Event::CsiDriverSet(new) => {
                let old = volumes.csi_drivers.get(name_of(&new.metadata));
                (CsiDriver, update(old, new, ObjectUpdate::CsiDriver))
            }
            Event::StorageCapacitySet(new) => {
                let old = volumes.storage_capacities.get(&object_key(&new.metadata));
                let change = ObjectUpdate::CsiStorageCapacity;
                (CsiStorageCapacity, update(old, new, change))
            }
            Event::VolumeAttachmentSet(new) => {
                let old = volumes.attachments.get(name_of(&new.metadata));
                let change = ObjectUpdate::VolumeAttachment;
                (VolumeAttachment, update(old, new, change))
            }
            Event::ResourceClaimSet(new) => {
                let (namespace, name) = object_key(&new.metadata);
                let old = devices.claim(&namespace, &name);
                (ResourceClaim, update(old, new, ObjectUpdate::ResourceClaim))
            }
            Event::ResourceSliceSet(new) => {
                let old = devices.slice(name_of(&new.metadata)).map(|it| &it.object);
                (ResourceSlice, update(old, new, ObjectUpdate::ResourceSlice))
            }
            Event::DeviceClassSet(new) => {
                let old = devices.class(name_of(&new.metadata));
                (DeviceClass, update(old, new, ObjectUpdate::DeviceClass))
            }
            _ => return self.apply_unwatched(event),
        };
        self.apply_unwatched(event);
        self.move_pods(ClusterEvent::new(resource, action), &change, None);
    }

    /// An object other than a Pod or node was deleted. Pods move if plugins register for that.
    pub fn removed(&mut self, kind: StoredKind, namespace: &str, name: &str) {
        let attachments = &self.cluster.volumes().attachments;
        let detached = match kind {
            StoredKind::VolumeAttachment => attachments.get(name).cloned(),
            _ => None,
        };
        self.apply_unwatched(Event::Removed {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        });
        if let Some(old) = detached {
            let event = ClusterEvent::new(Resource::VolumeAttachment, ActionType::DELETE);
            let change = ObjectUpdate::VolumeAttachment(Update::deleted(old));
            self.move_pods(event, &change, None);
        }
    }

    /// Applies a change that no plugin registers for.
    pub fn apply_unwatched(&mut self, event: Event) {
        self.clock.tick();
        self.cluster.apply(event);
    }
}

fn update<T>(
    old: Option<&Arc<T>>,
    new: &Arc<T>,
    change: fn(Update<T>) -> ObjectUpdate,
) -> (ActionType, ObjectUpdate) {
    let action = if old.is_none() {
        ActionType::ADD
    } else {
        ActionType::UPDATE
    };
    let update = Update {
        old: old.cloned(),
        new: Some(Arc::clone(new)),
    };
    (action, change(update))
}

/// Whether the Pod has a node and uses its resources. (The node need not exist.)
fn is_assigned(pod: &PodInfo) -> bool {
    pod.object.node_name.is_some() && !pod.object.phase.is_terminal()
}
