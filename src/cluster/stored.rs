//! Objects that the cluster just keeps: what follows when one changes or goes.

use super::Cluster;
use super::event::StoredKind;
use super::selector::Labels;

impl Cluster {
    pub(super) fn set_namespace(&mut self, name: &str, labels: Labels) {
        self.namespaces.set(name, labels);
        self.match_again();
    }

    /// Namespaces changed: who matches whom is found out again.
    fn match_again(&mut self) {
        self.hits.borrow_mut().clear();
        self.matchers
            .rebuild(&self.classes, &self.placed, &self.namespaces);
    }

    pub(super) fn remove_stored(&mut self, kind: StoredKind, key: (String, String)) {
        let name = &key.1;
        match kind {
            StoredKind::Namespace => {
                self.namespaces.remove(name);
                self.match_again();
            }
            StoredKind::PersistentVolume => {
                self.volumes.persistent_volumes.remove(name);
            }
            StoredKind::PersistentVolumeClaim => {
                self.volumes.claims.remove(&key);
            }
            StoredKind::StorageClass => {
                self.volumes.storage_classes.remove(name);
            }
            StoredKind::CsiNode => {
                self.volumes.csi_nodes.remove(name);
            }
            StoredKind::CsiDriver => {
                self.volumes.csi_drivers.remove(name);
            }
            StoredKind::PodDisruptionBudget => {
                self.budgets.remove(&key);
            }
            StoredKind::Service => {
                self.owners.services.remove(&key);
                self.refresh_default_spread();
            }
            StoredKind::ReplicationController => {
                self.owners.replication_controllers.remove(&key);
                self.refresh_default_spread();
            }
            StoredKind::ReplicaSet => {
                self.owners.replica_sets.remove(&key);
                self.refresh_default_spread();
            }
            StoredKind::StatefulSet => {
                self.owners.stateful_sets.remove(&key);
                self.refresh_default_spread();
            }
        }
    }
}
