//! The events that may help a Pod that NodeVolumeLimits rejected (`csi.go`, v1.34).

use k8s_openapi::api::core::v1::Volume;
use k8s_openapi::api::storage::v1::CSINode;

use super::{NodeVolumeLimits, limits};
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource, Update,
};
use crate::framework::plugin::Context;
use crate::plugins::helpers::freed_by;
use crate::plugins::helpers::volumes::migration::InTree;
use crate::plugins::helpers::volumes::{uses_claim, volumes};

impl EnqueueExtensions for NodeVolumeLimits {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 4] = [
            EventToRegister::hinted(Resource::CsiNode, ActionType::ADD.or(ActionType::UPDATE)),
            EventToRegister::hinted(Resource::Pod, ActionType::DELETE),
            EventToRegister::hinted(Resource::PersistentVolumeClaim, ActionType::ADD),
            EventToRegister::hinted(Resource::VolumeAttachment, ActionType::DELETE),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        Hint::queue_if(match change {
            ObjectUpdate::Pod(_) => {
                let gone = freed_by(change);
                gone.is_some_and(|gone| volumes(gone).iter().any(may_be_attached))
            }
            ObjectUpdate::PersistentVolumeClaim(claim) => uses_claim(cx.pod, claim, true),
            ObjectUpdate::VolumeAttachment(gone) => {
                let gone = gone.old.as_ref();
                let frees = |volume| gone.is_some_and(|gone| may_need(volume, &gone.spec.attacher));
                volumes(cx.pod).iter().any(frees)
            }
            ObjectUpdate::CsiNode(node) => is_new_or_raised(node),
            _ => false,
        })
    }
}

/// Whether a volume may count against a driver's limit.
pub(super) fn may_be_attached(volume: &Volume) -> bool {
    volume.persistent_volume_claim.is_some()
        || volume.ephemeral.is_some()
        || InTree::of_inline(volume).is_some()
}

/// Whether a volume may be one that a driver attaches: any claim's, or an inline one that was its in-tree plugin's.
fn may_need(volume: &Volume, driver: &str) -> bool {
    volume.persistent_volume_claim.is_some()
        || InTree::of_inline(volume).is_some_and(|plugin| plugin.driver() == driver)
}

/// A new CSINode, or one whose limit for a driver was raised.
fn is_new_or_raised(node: &Update<CSINode>) -> bool {
    node.both().is_none_or(|(old, new)| {
        let before = limits(Some(old));
        let now = limits(Some(new));
        now.iter()
            .any(|(driver, limit)| before.get(driver).is_some_and(|before| limit > before))
    })
}
