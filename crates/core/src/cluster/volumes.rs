//! Storage objects by name, as the scheduler's listers return them.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, CSIStorageCapacity, StorageClass};

/// The storage objects of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    /// By name.
    pub persistent_volumes: BTreeMap<String, Arc<PersistentVolume>>,
    /// By namespace, then name.
    pub claims: BTreeMap<(String, String), Arc<PersistentVolumeClaim>>,
    /// By name.
    pub storage_classes: BTreeMap<String, Arc<StorageClass>>,
    /// By node name.
    pub csi_nodes: BTreeMap<String, Arc<CSINode>>,
    /// By name.
    pub csi_drivers: BTreeMap<String, Arc<CSIDriver>>,
    /// By namespace, then name.
    pub storage_capacities: BTreeMap<(String, String), Arc<CSIStorageCapacity>>,
}

impl Volumes {
    /// The claim of that name in a namespace.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&Arc<PersistentVolumeClaim>> {
        self.claims.get(&(namespace.to_owned(), name.to_owned()))
    }

    /// A first visit does not run it.
    #[inline(never)]
    pub(super) fn set_volume(&mut self, volume: Arc<PersistentVolume>) {
        let name = volume.metadata.name.clone().unwrap_or_default();
        self.persistent_volumes.insert(name, volume);
    }

    pub(super) fn set_storage_capacity(&mut self, capacity: Arc<CSIStorageCapacity>) {
        let key = super::object_key(&capacity.metadata);
        self.storage_capacities.insert(key, capacity);
    }
}
