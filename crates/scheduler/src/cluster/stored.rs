//! Updates and removals of the objects other than nodes and Pods, with their consequences.

use super::Cluster;
use super::event::StoredKind;
use crate::selector::compiled::Labels;

impl Cluster {
    pub(super) fn set_namespace(&mut self, name: &str, labels: Labels) {
        self.namespaces.set(name, labels);
        self.rebuild_matches();
    }

    /// Recomputes which Pods match which terms after namespaces changed.
    fn rebuild_matches(&mut self) {
        self.hits.borrow_mut().clear();
        self.changes.terms += 1;
        self.matchers
            .rebuild(&self.classes, &self.placed, &self.namespaces);
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(super) fn remove_stored(&mut self, kind: StoredKind, key: &(String, String)) {
        let name = &key.1;
        match kind {
            StoredKind::Namespace => self.namespaces.remove(name),
            StoredKind::PersistentVolume => drop(self.volumes.persistent_volumes.remove(name)),
            StoredKind::PersistentVolumeClaim => drop(self.volumes.claims.remove(key)),
            StoredKind::StorageClass => drop(self.volumes.storage_classes.remove(name)),
            StoredKind::CSINode => drop(self.volumes.csi_nodes.remove(name)),
            StoredKind::CSIDriver => drop(self.volumes.csi_drivers.remove(name)),
            StoredKind::CSIStorageCapacity => drop(self.volumes.storage_capacities.remove(key)),
            StoredKind::VolumeAttachment => self.volumes.attachments.remove(name),
            StoredKind::ResourceClaim => self.devices.remove_claim(key),
            StoredKind::ResourceSlice => self.devices.remove_slice(name),
            StoredKind::DeviceClass => {
                self.devices.remove_class(name);
                self.node_version += 1;
            }
            StoredKind::PodDisruptionBudget => drop(self.budgets.remove(key)),
            StoredKind::Service => drop(self.owners.services.remove(key)),
            StoredKind::ReplicationController => {
                self.owners.replication_controllers.remove(key);
            }
            StoredKind::ReplicaSet => drop(self.owners.replica_sets.remove(key)),
            StoredKind::StatefulSet => drop(self.owners.stateful_sets.remove(key)),
        }
        match kind {
            StoredKind::Namespace => self.rebuild_matches(),
            StoredKind::Service
            | StoredKind::ReplicationController
            | StoredKind::ReplicaSet
            | StoredKind::StatefulSet => self.refresh_default_spread(),
            _ => {}
        }
    }
}
