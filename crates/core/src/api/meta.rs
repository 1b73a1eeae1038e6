//! Fields of `metadata`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use k8s_openapi::{Metadata, Resource};

use berth_scheduler::pod_object::ControllerRef;

pub use berth_base::uid::made_uid;
pub use berth_scheduler::meta::{
    controller_of, name_of, namespace_of, namespace_or_default, owners_of, uid_of,
};

/// An owner reference to the controller, for objects that it creates or adopts.
pub fn reference<T: Resource + Metadata<Ty = ObjectMeta>>(owner: &T) -> OwnerReference {
    let meta = owner.metadata();
    reference_to(&ControllerRef {
        api_version: T::API_VERSION.to_owned(),
        kind: T::KIND.to_owned(),
        name: name_of(meta).to_owned(),
        uid: uid_of(meta).to_owned(),
    })
}

/// The owner reference to a controller.
pub fn reference_to(controller: &ControllerRef) -> OwnerReference {
    OwnerReference {
        api_version: controller.api_version.clone(),
        kind: controller.kind.clone(),
        name: controller.name.clone(),
        uid: controller.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Whether the manifest was dumped from a running cluster.
///
/// Only the API server sets `resourceVersion`; dumps without it usually keep the uid.
pub(crate) fn is_from_cluster(meta: &ObjectMeta) -> bool {
    meta.resource_version.is_some() || meta.uid.is_some()
}
