//! Fields of `metadata`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub use berth_base::uid::made_uid;
pub use berth_scheduler::meta::{
    controller_of, name_of, namespace_of, namespace_or_default, uid_of,
};

/// Whether the manifest was dumped from a running cluster.
///
/// Only the API server sets `resourceVersion`; dumps without it usually keep the uid.
pub(crate) fn is_from_cluster(meta: &ObjectMeta) -> bool {
    meta.resource_version.is_some() || meta.uid.is_some()
}
