//! The scheduler's cluster and queue: each change is applied to the cluster, then moves Pods in the queue.
//!
//! Mirrors the event handlers of kube-scheduler v1.34.1 (`eventhandlers.go`) with informers that never lag.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceSlice};
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, CSIStorageCapacity, StorageClass};

use super::clock::Clock;
use berth_core::api::prepared::PodObject;
use berth_core::cluster::event::Event;
use berth_core::cluster::node::NodeInfo;
use berth_core::cluster::pod::PodInfo;
use berth_core::cluster::{Cluster, PodIx, object_key};
use berth_core::framework::events::{
    ActionType, ClusterEvent, ObjectUpdate, Resource, Update, node_changes, pod_changes,
};
use berth_core::scheduler::Scheduler;
use berth_core::scheduler::queue::{QueueContext, SchedulingQueue};

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
        self.nomination_changed(&old, None);
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

    /// A volume was added or updated.
    pub fn volume_set(&mut self, volume: PersistentVolume) {
        let new = Arc::new(volume);
        let name = new.metadata.name.clone().unwrap_or_default();
        let old = self
            .cluster
            .volumes()
            .persistent_volumes
            .get(&name)
            .cloned();
        let update = self.store(Event::VolumeSet(Arc::clone(&new)), old, new);
        let resource = Resource::PersistentVolume;
        self.object_set(resource, update, ObjectUpdate::PersistentVolume);
    }

    /// A claim was added or updated.
    pub fn claim_set(&mut self, claim: PersistentVolumeClaim) {
        let new = Arc::new(claim);
        let name = new.metadata.name.as_deref().unwrap_or_default();
        let namespace = new.metadata.namespace.as_deref().unwrap_or("default");
        let old = self.cluster.volumes().claim(namespace, name).cloned();
        let update = self.store(Event::ClaimSet(Arc::clone(&new)), old, new);
        let resource = Resource::PersistentVolumeClaim;
        self.object_set(resource, update, ObjectUpdate::PersistentVolumeClaim);
    }

    /// A StorageClass was added or updated.
    pub fn storage_class_set(&mut self, class: StorageClass) {
        let new = Arc::new(class);
        let name = new.metadata.name.clone().unwrap_or_default();
        let old = self.cluster.volumes().storage_classes.get(&name).cloned();
        let update = self.store(Event::StorageClassSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::StorageClass, update, ObjectUpdate::StorageClass);
    }

    /// A CSINode was added or updated.
    pub fn csi_node_set(&mut self, node: CSINode) {
        let new = Arc::new(node);
        let name = new.metadata.name.clone().unwrap_or_default();
        let old = self.cluster.volumes().csi_nodes.get(&name).cloned();
        let update = self.store(Event::CsiNodeSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::CsiNode, update, ObjectUpdate::CsiNode);
    }

    /// A CSIDriver was added or updated.
    pub fn csi_driver_set(&mut self, driver: CSIDriver) {
        let new = Arc::new(driver);
        let name = new.metadata.name.clone().unwrap_or_default();
        let old = self.cluster.volumes().csi_drivers.get(&name).cloned();
        let update = self.store(Event::CsiDriverSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::CsiDriver, update, ObjectUpdate::CsiDriver);
    }

    /// A CSIStorageCapacity was added or updated.
    pub fn storage_capacity_set(&mut self, capacity: CSIStorageCapacity) {
        let new = Arc::new(capacity);
        let key = object_key(&new.metadata);
        let capacities = &self.cluster.volumes().storage_capacities;
        let old = capacities.get(&key).cloned();
        let update = self.store(Event::StorageCapacitySet(Arc::clone(&new)), old, new);
        let resource = Resource::CsiStorageCapacity;
        self.object_set(resource, update, ObjectUpdate::CsiStorageCapacity);
    }

    /// A ResourceClaim was added or updated.
    pub fn resource_claim_set(&mut self, claim: ResourceClaim) {
        let new = Arc::new(claim);
        let (namespace, name) = object_key(&new.metadata);
        let old = self.cluster.devices().claim(&namespace, &name).cloned();
        let update = self.store(Event::ResourceClaimSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::ResourceClaim, update, ObjectUpdate::ResourceClaim);
    }

    /// A ResourceSlice was added or updated.
    pub fn resource_slice_set(&mut self, slice: ResourceSlice) {
        let new = Arc::new(slice);
        let name = new.metadata.name.as_deref().unwrap_or_default();
        let old = self.cluster.devices().slice(name);
        let old = old.map(|it| Arc::clone(&it.object));
        let update = self.store(Event::ResourceSliceSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::ResourceSlice, update, ObjectUpdate::ResourceSlice);
    }

    /// A DeviceClass was added or updated.
    pub fn device_class_set(&mut self, class: DeviceClass) {
        let new = Arc::new(class);
        let name = new.metadata.name.clone().unwrap_or_default();
        let old = self.cluster.devices().class(&name).cloned();
        let update = self.store(Event::DeviceClassSet(Arc::clone(&new)), old, new);
        self.object_set(Resource::DeviceClass, update, ObjectUpdate::DeviceClass);
    }

    /// Applies a change that no plugin registers for.
    pub fn apply_unwatched(&mut self, event: Event) {
        self.clock.tick();
        self.cluster.apply(event);
    }

    fn store<T>(&mut self, event: Event, old: Option<Arc<T>>, new: Arc<T>) -> Update<T> {
        self.clock.tick();
        self.cluster.apply(event);
        Update {
            old,
            new: Some(new),
        }
    }

    fn object_set<T>(
        &mut self,
        resource: Resource,
        update: Update<T>,
        change: fn(Update<T>) -> ObjectUpdate,
    ) {
        let action = if update.old.is_none() {
            ActionType::ADD
        } else {
            ActionType::UPDATE
        };
        self.move_pods(ClusterEvent::new(resource, action), &change(update), None);
    }
}

/// Whether the Pod has a node and uses its resources. (The node need not exist.)
fn is_assigned(pod: &PodInfo) -> bool {
    pod.object.node_name.is_some() && !pod.object.phase.is_terminal()
}
