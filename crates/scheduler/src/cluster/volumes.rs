//! Storage objects by name, as the scheduler's listers return them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
};

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
    pub attachments: Attachments,
}

/// The VolumeAttachments, also by node.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    by_name: BTreeMap<String, Arc<VolumeAttachment>>,
    /// Their names, by node.
    by_node: BTreeMap<String, BTreeSet<String>>,
}

impl Attachments {
    /// The attachment of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<VolumeAttachment>> {
        self.by_name.get(name)
    }

    /// The attachments to a node, by name.
    pub fn of_node(&self, node: &str) -> impl Iterator<Item = &Arc<VolumeAttachment>> {
        let names = self.by_node.get(node).into_iter().flatten();
        names.filter_map(|name| self.by_name.get(name))
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn set(&mut self, attachment: Arc<VolumeAttachment>) {
        let name = attachment.metadata.name.clone().unwrap_or_default();
        self.remove(&name);
        let node = attachment.spec.node_name.clone();
        self.by_node.entry(node).or_default().insert(name.clone());
        self.by_name.insert(name, attachment);
    }

    pub(super) fn remove(&mut self, name: &str) {
        let Some(old) = self.by_name.remove(name) else {
            return;
        };
        if let Some(names) = self.by_node.get_mut(&old.spec.node_name) {
            names.remove(name);
        }
    }
}

impl Volumes {
    /// The claim of that name in a namespace.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&Arc<PersistentVolumeClaim>> {
        self.claims.get(&(namespace.to_owned(), name.to_owned()))
    }

    /// Cold: kept out of the first download.
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
