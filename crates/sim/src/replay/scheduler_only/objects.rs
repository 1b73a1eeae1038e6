//! Objects without an API server: manifests are admitted and written straight into the scheduler's cluster.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time as ApiTime};
use k8s_openapi::jiff::Timestamp;

use crate::budgets;
use crate::replay::key::ObjectKey;
use crate::replay::steps::{Objects, Refusal};
use crate::run::effects::claims_released;
use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::prepare::prepare_one;
use berth_core::api::prepared::{PodObject, Prepared};
use berth_core::api::script::{Act, Operation, Verb};
use berth_scheduler::cluster::event::{Event, StoredKind};
use berth_scheduler::cluster::object_key;

use super::SchedulerOnly;

/// Prefix of the annotations that only the PersistentVolume controller writes.
const PV_ANNOTATIONS: &str = "pv.kubernetes.io/";

impl Objects for SchedulerOnly {
    fn create(&mut self, key: &ObjectKey, object: &Manifest) -> Result<(), Refusal> {
        if self.store.contains(key) {
            let message = format!("{} exists already", key.text());
            let finding = Finding::error("", message).help("update it, or delete it before".into());
            return Err(vec![finding]);
        }
        self.put(key, object)
    }

    fn update(&mut self, key: &ObjectKey, object: &Manifest) -> Result<bool, Refusal> {
        if !self.exists(key) {
            return Ok(false);
        }
        self.put(key, object).map(|()| true)
    }

    fn delete(&mut self, key: &ObjectKey) -> bool {
        let exists = self.exists(key);
        if exists {
            self.store.remove(key);
            self.remove(key);
        }
        exists
    }

    /// Never called: [`Verbs::Objects`](berth_core::api::script::Verbs) has no operations.
    fn operate(&mut self, _: &Operation) -> Result<Vec<String>, String> {
        Err("there is no control plane to do this".to_owned())
    }
}

impl SchedulerOnly {
    /// Whether there is such an object. Namespaces that objects use exist as well.
    fn exists(&self, key: &ObjectKey) -> bool {
        let mut namespaces = self.scheduling.cache.cluster.namespaces().iter();
        self.store.contains(key)
            || key.kind == "Namespace" && namespaces.any(|(name, _)| *name == key.name)
    }

    /// Takes the object through admission and writes it.
    fn put(&mut self, key: &ObjectKey, object: &Manifest) -> Result<(), Refusal> {
        let others = self.store.asked_about(key);
        let release = *self.scheduling.cache.cluster.release();
        let prepared = prepare_one(release, object, others.into_iter())?;
        self.store.set(key.clone(), object.clone());
        self.write(object, prepared);
        Ok(())
    }

    /// Writes a prepared object: the last of its kind in `prepared`, after the objects that admission read.
    fn write(&mut self, object: &Manifest, mut prepared: Prepared) {
        self.write_namespaces(object, &prepared);
        let cache = &mut self.scheduling.cache;
        match object {
            Manifest::Pod(_) => prepared.pods.pop().map(|it| self.write_pod(it)),
            Manifest::Node(_) => prepared.nodes.pop().map(|it| self.write_node(it)),
            Manifest::PersistentVolume(_) => {
                let volume = prepared.persistent_volumes.pop();
                volume.map(|it| self.write_volume(it))
            }
            Manifest::PersistentVolumeClaim(_) => {
                let claim = prepared.persistent_volume_claims.pop();
                claim.map(|it| self.write_claim(it))
            }
            Manifest::StorageClass(_) => {
                let class = prepared.storage_classes.pop();
                class.map(|it| cache.set(Event::StorageClassSet(Arc::new(it))))
            }
            Manifest::CSINode(_) => {
                let node = prepared.csi_nodes.pop();
                node.map(|it| cache.set(Event::CsiNodeSet(Arc::new(it))))
            }
            Manifest::CSIDriver(_) => {
                let driver = prepared.csi_drivers.pop();
                driver.map(|it| cache.set(Event::CsiDriverSet(Arc::new(it))))
            }
            Manifest::CSIStorageCapacity(_) => {
                let capacity = prepared.csi_storage_capacities.pop();
                capacity.map(|it| cache.set(Event::StorageCapacitySet(Arc::new(it))))
            }
            Manifest::VolumeAttachment(_) => {
                let attachment = prepared.volume_attachments.pop();
                attachment.map(|it| cache.set(Event::VolumeAttachmentSet(Arc::new(it))))
            }
            Manifest::DeviceClass(_) => {
                let class = prepared.device_classes.pop();
                class.map(|it| cache.set(Event::DeviceClassSet(Arc::new(it))))
            }
            Manifest::ResourceSlice(_) => {
                let slice = prepared.resource_slices.pop();
                slice.map(|it| cache.set(Event::ResourceSliceSet(Arc::new(it))))
            }
            Manifest::ResourceClaim(_) => {
                let claim = prepared.resource_claims.pop();
                claim.map(|it| self.write_resource_claim(it))
            }
            Manifest::PodDisruptionBudget(_) => prepared.disruption_budgets.pop().map(|it| {
                self.scheduling
                    .cache
                    .apply_unwatched(Event::BudgetSet(Arc::new(it)));
                self.scheduling.budgets = budgets::of(&self.scheduling.cache.cluster);
            }),
            _ => unwatched(prepared).map(|event| cache.apply_unwatched(event)),
        };
    }

    /// A declared namespace gets its labels; a namespace that an object uses is created.
    fn write_namespaces(&mut self, object: &Manifest, prepared: &Prepared) {
        let is_declared = matches!(object, Manifest::Namespace(_));
        for (name, labels) in &prepared.namespaces {
            let namespaces = self.scheduling.cache.cluster.namespaces();
            let is_known = namespaces.iter().any(|(known, _)| known == name);
            if is_declared || !is_known {
                self.scheduling.cache.apply_unwatched(Event::NamespaceSet {
                    name: name.clone(),
                    labels: labels.clone(),
                });
            }
        }
    }

    fn write_pod(&mut self, mut pod: PodObject) {
        let known = self
            .scheduling
            .cache
            .cluster
            .pods()
            .find(&pod.namespace, &pod.name);
        let Some(known) = known else {
            let made_ms = pod.created_ms;
            pod.created_ms = self.scheduling.now_ms();
            if pod.start_ms == Some(made_ms) {
                pod.start_ms = Some(pod.created_ms);
            }
            self.scheduling.budgets.pod_came(&pod);
            self.scheduling.cache.pod_added(pod);
            return;
        };
        let ix = known.ix;
        let template = std::mem::replace(&mut pod.template, Arc::clone(&known.object.template));
        // Everything but the template belongs to the system, and stays.
        let updated = PodObject {
            template,
            ..known.object.clone()
        };
        self.scheduling.budgets.pod_went(&known.object);
        self.scheduling.budgets.pod_came(&updated);
        self.scheduling.cache.pod_updated(ix, updated);
    }

    fn write_node(&mut self, mut node: Node) {
        let name = node.metadata.name.clone().unwrap_or_default();
        let known = self.scheduling.cache.cluster.find_node(&name);
        let known = known.map(|known| known.object.metadata.clone());
        self.keep_identity(&mut node.metadata, known.as_ref());
        self.scheduling.cache.node_set(node);
    }

    fn write_volume(&mut self, mut volume: PersistentVolume) {
        let name = volume.metadata.name.clone().unwrap_or_default();
        let stored = &self.scheduling.cache.cluster.volumes().persistent_volumes;
        let known = stored.get(&name).cloned();
        self.keep_identity(&mut volume.metadata, known.as_ref().map(|it| &it.metadata));
        if let Some(known) = known {
            keep_annotations(&mut volume.metadata, &known.metadata);
            let claim = known.spec.as_ref().and_then(|spec| spec.claim_ref.clone());
            volume.spec.get_or_insert_default().claim_ref = claim;
            volume.status.clone_from(&known.status);
        }
        let event = Event::VolumeSet(Arc::new(volume));
        self.scheduling.cache.set(event);
    }

    fn write_claim(&mut self, mut claim: PersistentVolumeClaim) {
        let name = claim.metadata.name.clone().unwrap_or_default();
        let namespace = claim.metadata.namespace.clone().unwrap_or_default();
        let known = self
            .scheduling
            .cache
            .cluster
            .volumes()
            .claim(&namespace, &name);
        let known = known.cloned();
        self.keep_identity(&mut claim.metadata, known.as_ref().map(|it| &it.metadata));
        if let Some(known) = known {
            keep_annotations(&mut claim.metadata, &known.metadata);
            let volume = known.spec.as_ref();
            let volume = volume.and_then(|spec| spec.volume_name.clone());
            claim.spec.get_or_insert_default().volume_name = volume;
            claim.status.clone_from(&known.status);
        }
        let event = Event::ClaimSet(Arc::new(claim));
        self.scheduling.cache.set(event);
    }

    /// The status belongs to the system, and stays.
    fn write_resource_claim(&mut self, mut claim: ResourceClaim) {
        let (namespace, name) = object_key(&claim.metadata);
        let known = self.scheduling.cache.cluster.devices();
        let known = known.claim(&namespace, &name).cloned();
        self.keep_identity(&mut claim.metadata, known.as_ref().map(|it| &it.metadata));
        if let Some(known) = known {
            claim.status.clone_from(&known.status);
        }
        let event = Event::ResourceClaimSet(Arc::new(claim));
        self.scheduling.cache.set(event);
    }

    /// A known object keeps its uid and creation time; a new one is created at the time of its step.
    fn keep_identity(&self, meta: &mut ObjectMeta, known: Option<&ObjectMeta>) {
        match known {
            Some(known) => {
                meta.uid.clone_from(&known.uid);
                meta.creation_timestamp
                    .clone_from(&known.creation_timestamp);
            }
            None => {
                let now = Timestamp::from_millisecond(self.scheduling.now_ms());
                meta.creation_timestamp = now.ok().map(ApiTime);
            }
        }
    }

    /// Deletes an object at once.
    fn remove(&mut self, key: &ObjectKey) {
        match key.kind.as_str() {
            "Pod" => {
                let known = self
                    .scheduling
                    .cache
                    .cluster
                    .pods()
                    .find(&key.namespace, &key.name);
                if let Some(known) = known {
                    let pod = known.ix;
                    self.scheduling.budgets.pod_went(&known.object);
                    let cache = &mut self.scheduling.cache;
                    let released = claims_released(&cache.cluster, &[pod], &[]);
                    cache.pod_deleted(pod);
                    for event in released {
                        match event {
                            Event::Removed {
                                kind,
                                namespace,
                                name,
                            } => cache.removed(kind, &namespace, &name),
                            changed => cache.set(changed),
                        }
                    }
                    self.scheduling.conditions.remove(&pod);
                }
            }
            "Node" => self.scheduling.cache.node_deleted(&key.name),
            kind => {
                if let Some(kind) = StoredKind::of_name(kind) {
                    let cache = &mut self.scheduling.cache;
                    cache.removed(kind, &key.namespace, &key.name);
                }
                if key.kind == "PodDisruptionBudget" {
                    self.scheduling.budgets = budgets::of(&self.scheduling.cache.cluster);
                }
            }
        }
    }
}

/// The event of an object whose kind the cluster keeps and no plugin registers for.
fn unwatched(mut prepared: Prepared) -> Option<Event> {
    let service = prepared.services.pop().map(Arc::new);
    let controller = prepared.replication_controllers.pop().map(Arc::new);
    let replica_set = prepared.replica_sets.pop().map(Arc::new);
    let stateful_set = prepared.stateful_sets.pop().map(Arc::new);
    service
        .map(Event::ServiceSet)
        .or(controller.map(Event::ReplicationControllerSet))
        .or(replica_set.map(Event::ReplicaSetSet))
        .or(stateful_set.map(Event::StatefulSetSet))
}

/// Annotations of the PersistentVolume controller stay as they are.
fn keep_annotations(meta: &mut ObjectMeta, known: &ObjectMeta) {
    let of_system = |name: &String| name.starts_with(PV_ANNOTATIONS);
    let annotations = meta.annotations.get_or_insert_default();
    annotations.retain(|name, _| !of_system(name));
    let kept = known
        .annotations
        .iter()
        .flatten()
        .filter(|(name, _)| of_system(name));
    annotations.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
}

/// Whether an act may give the PersistentVolume controller something to bind.
pub(super) fn is_about_volumes(act: &Act) -> bool {
    match &act.verb {
        Verb::Create(object) | Verb::Update(object) => matches!(
            object,
            Manifest::PersistentVolume(_)
                | Manifest::PersistentVolumeClaim(_)
                | Manifest::StorageClass(_)
        ),
        Verb::Delete(target) => matches!(
            target.kind.as_str(),
            "PersistentVolume" | "PersistentVolumeClaim" | "StorageClass"
        ),
        Verb::Operate { .. } => false,
    }
}
