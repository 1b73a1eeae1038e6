//! The events that may help a Pod that VolumeBinding rejected (`volume_binding.go`, v1.34).

use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, CSIStorageCapacity, StorageClass};

use super::VolumeBinding;
use super::claims::volume_limit;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
};
use crate::framework::plugin::Context;
use crate::plugins::helpers::volumes::migration::migrated_plugins;
use crate::plugins::helpers::volumes::{uses_claim, volumes};
use berth_base::json;

impl EnqueueExtensions for VolumeBinding {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const ADD_OR_UPDATE: ActionType = ActionType::ADD.or(ActionType::UPDATE);
        const EVENTS: [EventToRegister; 7] = [
            EventToRegister::hinted(Resource::StorageClass, ADD_OR_UPDATE),
            EventToRegister::hinted(Resource::PersistentVolumeClaim, ADD_OR_UPDATE),
            EventToRegister::always(Resource::PersistentVolume, ADD_OR_UPDATE),
            EventToRegister::always(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_LABEL),
            ),
            EventToRegister::hinted(Resource::CsiNode, ADD_OR_UPDATE),
            EventToRegister::hinted(Resource::CsiDriver, ActionType::UPDATE),
            EventToRegister::hinted(Resource::CsiStorageCapacity, ADD_OR_UPDATE),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::StorageClass(class) => is_new_or_elsewhere(class),
            ObjectUpdate::PersistentVolumeClaim(claim) => uses_claim(cx.pod, claim, true),
            ObjectUpdate::CsiNode(node) => is_new_or_migrated(node),
            ObjectUpdate::CsiDriver(driver) => stops_tracking_capacity(cx, driver),
            ObjectUpdate::CsiStorageCapacity(capacity) => is_new_or_grew(capacity),
            _ => false,
        })
    }
}

/// A new capacity, or one whose limit for a volume was raised.
fn is_new_or_grew(capacity: &Update<CSIStorageCapacity>) -> bool {
    capacity.both().is_none_or(|(old, new)| {
        let (old, new) = (volume_limit(old), volume_limit(new));
        new.is_some_and(|new| old.is_none_or(|old| new > old))
    })
}

/// A new class, or one whose allowed topologies changed.
fn is_new_or_elsewhere(class: &Update<StorageClass>) -> bool {
    class.both().is_none_or(|(old, new)| {
        json::text(&old.allowed_topologies) != json::text(&new.allowed_topologies)
    })
}

/// A new CSINode, or one whose migrated plugins changed.
fn is_new_or_migrated(node: &Update<CSINode>) -> bool {
    node.both()
        .is_none_or(|(old, new)| migrated_plugins(old) != migrated_plugins(new))
}

/// The driver of one of the Pod's inline volumes no longer tracks its capacity.
fn stops_tracking_capacity(cx: Context<'_>, driver: &Update<CSIDriver>) -> bool {
    let Some((old, new)) = driver.both() else {
        return false;
    };
    let tracks = |driver: &CSIDriver| driver.spec.storage_capacity == Some(true);
    let name = new.metadata.name.as_deref().unwrap_or_default();
    let mut inline = volumes(cx.pod)
        .iter()
        .filter_map(|volume| volume.csi.as_ref());
    tracks(old) && !tracks(new) && inline.any(|volume| volume.driver == name)
}
