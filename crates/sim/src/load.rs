//! Turns prepared objects into the events that build a cluster from them.

use std::sync::Arc;

use berth_core::api::prepared::Prepared;
use berth_scheduler::cluster::event::Event;

/// Everything but Pods first, so that Pods find what their terms refer to; then Pods in document order.
pub fn events(prepared: &Prepared) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let namespaces = prepared.namespaces.iter();
    events.extend(namespaces.map(|(name, labels)| Event::NamespaceSet {
        name: name.clone(),
        labels: labels.clone(),
    }));
    fn each<T: Clone>(objects: &[T], event: fn(Arc<T>) -> Event) -> impl Iterator<Item = Event> {
        objects
            .iter()
            .map(move |object| event(Arc::new(object.clone())))
    }
    events.extend(each(&prepared.services, Event::ServiceSet));
    events.extend(each(
        &prepared.replication_controllers,
        Event::ReplicationControllerSet,
    ));
    events.extend(each(&prepared.replica_sets, Event::ReplicaSetSet));
    events.extend(each(&prepared.stateful_sets, Event::StatefulSetSet));
    events.extend(each(&prepared.storage_classes, Event::StorageClassSet));
    events.extend(each(&prepared.csi_nodes, Event::CsiNodeSet));
    events.extend(each(&prepared.csi_drivers, Event::CsiDriverSet));
    events.extend(each(
        &prepared.csi_storage_capacities,
        Event::StorageCapacitySet,
    ));
    events.extend(each(
        &prepared.volume_attachments,
        Event::VolumeAttachmentSet,
    ));
    events.extend(each(&prepared.persistent_volumes, Event::VolumeSet));
    events.extend(each(&prepared.persistent_volume_claims, Event::ClaimSet));
    events.extend(each(&prepared.device_classes, Event::DeviceClassSet));
    events.extend(each(&prepared.resource_slices, Event::ResourceSliceSet));
    events.extend(each(&prepared.resource_claims, Event::ResourceClaimSet));
    events.extend(each(&prepared.disruption_budgets, Event::BudgetSet));
    events.extend(each(&prepared.nodes, Event::NodeSet));
    events.extend(
        prepared
            .pods
            .iter()
            .cloned()
            .map(Box::new)
            .map(Event::PodAdded),
    );
    events
}
