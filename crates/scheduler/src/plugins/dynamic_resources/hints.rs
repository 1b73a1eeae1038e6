//! The events that may help a Pod that this plugin rejected.

use super::DynamicResources;
use crate::cluster::devices::allocation_of;
use crate::cluster::pod::PodInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::Context;

impl EnqueueExtensions for DynamicResources {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const ADD_OR_UPDATE: ActionType = ActionType::ADD.or(ActionType::UPDATE);
        const EVENTS: [EventToRegister; 5] = [
            EventToRegister::always(
                Resource::Node,
                ActionType::ADD
                    .or(ActionType::UPDATE_NODE_LABEL)
                    .or(ActionType::UPDATE_NODE_ALLOCATABLE),
            ),
            EventToRegister::hinted(Resource::ResourceClaim, ADD_OR_UPDATE),
            EventToRegister::hinted(
                Resource::Pod,
                ActionType::UPDATE_POD_GENERATED_RESOURCE_CLAIM,
            ),
            EventToRegister::always(Resource::DeviceClass, ADD_OR_UPDATE),
            EventToRegister::always(Resource::ResourceSlice, ADD_OR_UPDATE),
        ];
        &EVENTS
    }

    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        match change {
            ObjectUpdate::ResourceClaim(update) => {
                let Some(claim) = &update.new else {
                    return Hint::Skip;
                };
                let freed = update.old.as_ref().is_some_and(|old| {
                    allocation_of(old).is_some() && allocation_of(claim).is_none()
                });
                if freed || is_of_pod(claim, cx.pod) {
                    // Only a Pod whose claims all exist can be scheduled.
                    return Hint::queue_if(super::pod_claims(cx.cluster, cx.pod).is_ok());
                }
                Hint::Skip
            }
            ObjectUpdate::Pod(update) => {
                let is_own = update
                    .new
                    .as_ref()
                    .is_some_and(|new| new.object.uid == cx.pod.object.uid);
                Hint::queue_if(is_own && super::pod_claims(cx.cluster, cx.pod).is_ok())
            }
            _ => Hint::Queue,
        }
    }
}

/// Whether the Pod refers to the claim.
fn is_of_pod(claim: &k8s_openapi::api::resource::v1::ResourceClaim, pod: &PodInfo) -> bool {
    let name = claim.metadata.name.as_deref();
    claim.metadata.namespace.as_deref() == Some(&*pod.object.namespace)
        && (pod.object.template.spec.resource_claims.iter().flatten())
            .any(|it| it.resource_claim_name.as_deref() == name)
        || pod
            .object
            .claim_names
            .iter()
            .any(|(_, known)| known.as_deref() == name)
}
