//! Updates and removals of the objects other than nodes and Pods, with their consequences.

use super::Cluster;
use crate::api::kinds::Kind;
use crate::api::selector::compiled::Labels;

impl Cluster {
    pub(super) fn set_namespace(&mut self, name: &str, labels: Labels) {
        self.namespaces.set(name, labels);
        self.rebuild_matches();
    }

    /// Recomputes which Pods match which terms after namespaces changed.
    fn rebuild_matches(&mut self) {
        self.hits.borrow_mut().clear();
        self.matchers
            .rebuild(&self.classes, &self.placed, &self.namespaces);
    }

    /// A first visit does not run it.
    #[inline(never)]
    pub(super) fn remove_stored(&mut self, kind: Kind, key: (String, String)) {
        let name = &key.1;
        match kind {
            Kind::Namespace => {
                self.namespaces.remove(name);
                self.rebuild_matches();
            }
            Kind::PersistentVolume
            | Kind::PersistentVolumeClaim
            | Kind::StorageClass
            | Kind::CSINode
            | Kind::CSIDriver
            | Kind::CSIStorageCapacity
            | Kind::VolumeAttachment => self.remove_storage(kind, &key),
            Kind::ResourceClaim => self.devices.remove_claim(&key),
            Kind::ResourceSlice => self.devices.remove_slice(name),
            Kind::DeviceClass => {
                self.devices.remove_class(name);
                self.node_version += 1;
            }
            Kind::PodDisruptionBudget => {
                self.budgets.remove(&key);
            }
            Kind::Service | Kind::ReplicationController | Kind::ReplicaSet | Kind::StatefulSet => {
                self.remove_owner(kind, &key);
            }
            // Their objects have events of their own.
            Kind::Node | Kind::Pod => {}
            Kind::Deployment
            | Kind::DaemonSet
            | Kind::Job
            | Kind::CronJob
            | Kind::ControllerRevision
            | Kind::PriorityClass
            | Kind::LimitRange
            | Kind::ResourceQuota
            | Kind::ConfigMap
            | Kind::Secret
            | Kind::Endpoints
            | Kind::EndpointSlice
            | Kind::HorizontalPodAutoscaler
            | Kind::ResourceClaimTemplate
            | Kind::ServiceAccount
            | Kind::RuntimeClass
            | Kind::PodTemplate
            | Kind::Lease
            | Kind::Ingress
            | Kind::IngressClass
            | Kind::NetworkPolicy
            | Kind::Role
            | Kind::RoleBinding
            | Kind::ClusterRole
            | Kind::ClusterRoleBinding
            | Kind::MutatingWebhookConfiguration
            | Kind::ValidatingWebhookConfiguration
            | Kind::ValidatingAdmissionPolicy
            | Kind::ValidatingAdmissionPolicyBinding
            | Kind::CertificateSigningRequest
            | Kind::FlowSchema
            | Kind::PriorityLevelConfiguration
            | Kind::VolumeAttributesClass
            | Kind::CustomResourceDefinition
            | Kind::APIService => {}
        }
    }

    fn remove_storage(&mut self, kind: Kind, key: &(String, String)) {
        let name = &key.1;
        match kind {
            Kind::PersistentVolume => {
                self.volumes.persistent_volumes.remove(name);
            }
            Kind::PersistentVolumeClaim => {
                self.volumes.claims.remove(key);
            }
            Kind::StorageClass => {
                self.volumes.storage_classes.remove(name);
            }
            Kind::CSINode => {
                self.volumes.csi_nodes.remove(name);
            }
            Kind::CSIDriver => {
                self.volumes.csi_drivers.remove(name);
            }
            Kind::CSIStorageCapacity => {
                self.volumes.storage_capacities.remove(key);
            }
            Kind::VolumeAttachment => {
                self.volumes.attachments.remove(name);
            }
            _ => {}
        }
    }

    fn remove_owner(&mut self, kind: Kind, key: &(String, String)) {
        match kind {
            Kind::Service => {
                self.owners.services.remove(key);
            }
            Kind::ReplicationController => {
                self.owners.replication_controllers.remove(key);
            }
            Kind::ReplicaSet => {
                self.owners.replica_sets.remove(key);
            }
            Kind::StatefulSet => {
                self.owners.stateful_sets.remove(key);
            }
            _ => {}
        }
        self.refresh_default_spread();
    }
}
