//! The scheduler's informers: they apply each change of the API server's objects to its cache.
//!
//! The scheduler's own writes arrive here as well, and then change nothing.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{Namespace, Node, Pod};

use crate::history::{Entry, PodState};
use crate::pod_util;
use crate::scheduling::Scheduling;
use crate::store::{BeforeAndAfter, Change, Key, Object, name_of};
use berth_core::api::prepare::settle_node;
use berth_core::api::prepared::PodObject;
use berth_scheduler::cluster::event::Event;
use berth_scheduler::pod_object::{
    StatusFields, claim_names, is_of_template, status_fields_of, stored_pod, template_of,
};

/// The label that every namespace has.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

impl Scheduling {
    /// Handles a change.
    pub(crate) fn observe(&mut self, change: &Change) {
        if let Some(pod) = change.of::<Pod>() {
            self.observe_pod(change, pod);
        } else if let Some(node) = change.of::<Node>() {
            self.observe_node(node);
        } else if let Some(set) = change.after.as_ref() {
            self.observe_set(change, set);
        } else if let Some(gone) = change.before.as_ref() {
            self.observe_gone(&change.key, gone);
        }
        self.record_notes();
    }

    /// An object that is neither Pod nor node was added or updated.
    fn observe_set(&mut self, change: &Change, set: &Object) {
        let cache = &mut self.cache;
        match set {
            Object::PersistentVolumeClaim(it) => cache.set(Event::ClaimSet(Arc::clone(it))),
            Object::PersistentVolume(it) => cache.set(Event::VolumeSet(Arc::clone(it))),
            Object::StorageClass(it) => cache.set(Event::StorageClassSet(Arc::clone(it))),
            Object::CSINode(it) => cache.set(Event::CsiNodeSet(Arc::clone(it))),
            Object::CSIDriver(it) => cache.set(Event::CsiDriverSet(Arc::clone(it))),
            Object::CSIStorageCapacity(it) => cache.set(Event::StorageCapacitySet(Arc::clone(it))),
            Object::VolumeAttachment(it) => cache.set(Event::VolumeAttachmentSet(Arc::clone(it))),
            Object::ResourceClaim(it) => cache.set(Event::ResourceClaimSet(Arc::clone(it))),
            Object::ResourceSlice(it) => cache.set(Event::ResourceSliceSet(Arc::clone(it))),
            Object::DeviceClass(it) => cache.set(Event::DeviceClassSet(Arc::clone(it))),
            Object::Namespace(it) => self.namespace_set(it),
            Object::Service(it) => cache.apply_unwatched(Event::ServiceSet(Arc::clone(it))),
            Object::ReplicationController(it) => {
                cache.apply_unwatched(Event::ReplicationControllerSet(Arc::clone(it)));
            }
            Object::PodDisruptionBudget(it) => {
                cache.apply_unwatched(Event::BudgetSet(Arc::clone(it)))
            }
            Object::ReplicaSet(it) => {
                let before = change.of::<ReplicaSet>().and_then(|(before, _)| before);
                if before.is_none_or(|before| before.spec != it.spec) {
                    cache.apply_unwatched(Event::ReplicaSetSet(Arc::clone(it)));
                }
            }
            Object::StatefulSet(it) => {
                let before = change.of::<StatefulSet>().and_then(|(before, _)| before);
                if before.is_none_or(|before| before.spec != it.spec) {
                    cache.apply_unwatched(Event::StatefulSetSet(Arc::clone(it)));
                }
            }
            // `observe` has handled these.
            Object::Node(_) | Object::Pod(_) => {}
            // The scheduler reads none of these: admission has given Pods their priority and limits.
            Object::Deployment(_)
            | Object::DaemonSet(_)
            | Object::Job(_)
            | Object::CronJob(_)
            | Object::ControllerRevision(_)
            | Object::PriorityClass(_)
            | Object::LimitRange(_)
            | Object::ResourceQuota(_)
            | Object::ConfigMap(_)
            | Object::Secret(_)
            | Object::Endpoints(_)
            | Object::EndpointSlice(_)
            | Object::HorizontalPodAutoscaler(_)
            | Object::ResourceClaimTemplate(_)
            | Object::ServiceAccount(_)
            | Object::RuntimeClass(_)
            | Object::PodTemplate(_)
            | Object::Lease(_)
            | Object::Ingress(_)
            | Object::IngressClass(_)
            | Object::NetworkPolicy(_)
            | Object::Role(_)
            | Object::RoleBinding(_)
            | Object::ClusterRole(_)
            | Object::ClusterRoleBinding(_)
            | Object::MutatingWebhookConfiguration(_)
            | Object::ValidatingWebhookConfiguration(_)
            | Object::ValidatingAdmissionPolicy(_)
            | Object::ValidatingAdmissionPolicyBinding(_)
            | Object::CertificateSigningRequest(_)
            | Object::FlowSchema(_)
            | Object::PriorityLevelConfiguration(_)
            | Object::VolumeAttributesClass(_)
            | Object::CustomResourceDefinition(_)
            | Object::APIService(_) => {}
        }
    }

    fn observe_gone(&mut self, key: &Key, gone: &Object) {
        if let Some(kind) = gone.kind_of().stored() {
            self.cache.removed(kind, key.namespace(), key.name());
        }
    }

    fn namespace_set(&mut self, namespace: &Namespace) {
        let name = name_of(&namespace.metadata).to_owned();
        let mut labels = namespace.metadata.labels.clone().unwrap_or_default();
        labels.insert(NAMESPACE_NAME.to_owned(), name.clone());
        self.cache
            .apply_unwatched(Event::NamespaceSet { name, labels });
    }

    fn observe_pod(&mut self, change: &Change, (before, after): BeforeAndAfter<'_, Pod>) {
        let key = &change.key;
        match (before, after) {
            (None, Some(pod)) => self.pod_came(pod),
            (Some(before), Some(after)) => {
                let is_alike = change.is_of_status || is_made_alike(before, after);
                self.pod_changed(key, before, after, is_alike);
            }
            (Some(_), None) => {
                self.forget_pod(key);
                self.record_state(key, PodState::Gone);
            }
            (None, None) => {}
        }
    }

    fn pod_came(&mut self, pod: &Pod) {
        if !is_of_template(pod, &self.template) {
            self.template = Arc::new(template_of(pod));
        }
        let object = stored_pod(pod, Arc::clone(&self.template));
        let namespaces = self.cache.cluster.namespaces();
        let is_known = namespaces
            .iter()
            .any(|(name, _)| *name == *object.namespace);
        if !is_known {
            let name = object.namespace.to_string();
            let labels = [(NAMESPACE_NAME.to_owned(), name.clone())].into();
            self.cache
                .apply_unwatched(Event::NamespaceSet { name, labels });
        }
        self.cache.pod_added(object);
    }

    /// A finished Pod is deleted from the cache. `is_alike`: only the status differs.
    fn pod_changed(&mut self, key: &Key, before: &Pod, after: &Pod, is_alike: bool) {
        let was_finished = pod_util::is_finished(before);
        if !was_finished && pod_util::is_finished(after) {
            let failed = pod_util::phase_of(after) == "Failed";
            self.record_state(
                key,
                if failed {
                    PodState::Failed
                } else {
                    PodState::Succeeded
                },
            );
            self.forget_pod(key);
            return;
        }
        if pod_util::phase_of(before) != "Running" && pod_util::phase_of(after) == "Running" {
            self.record_state(key, PodState::Running);
        }
        match (pod_util::is_ready(before), pod_util::is_ready(after)) {
            (false, true) => self.record_state(key, PodState::Ready),
            (true, false) => self.record_state(key, PodState::NotReady),
            _ => {}
        }
        self.update_pod(key, after, is_alike);
    }

    fn update_pod(&mut self, key: &Key, pod: &Pod, is_alike: bool) {
        let pods = self.cache.cluster.pods();
        let Some(known) = pods.find(key.namespace(), key.name()) else {
            return;
        };
        let (ix, old) = (known.ix, &known.object);
        // Compare templates only if more than the status changed, which is rare.
        let is_same = is_alike || is_of_template(pod, &old.template);
        let status_fields = status_fields_of(pod);
        let now = StatusFields {
            terminating: old.terminating || status_fields.terminating,
            ..status_fields
        };
        let before = StatusFields {
            phase: old.phase,
            start_ms: old.start_ms,
            terminating: old.terminating,
            resized: old.resized.clone(),
        };
        let made = pod.status.as_ref().map(claim_names).unwrap_or_default();
        if is_same && before == now && made == old.claim_names {
            return;
        }
        let template = if is_same {
            Arc::clone(&old.template)
        } else {
            Arc::new(template_of(pod))
        };
        let new = PodObject {
            node_name: old.node_name.clone(),
            nominated_node: old.nominated_node.clone(),
            terminating: now.terminating,
            preempted_by_scheduler: old.preempted_by_scheduler,
            ..stored_pod(pod, template)
        };
        self.cache.pod_updated(ix, new);
    }

    fn forget_pod(&mut self, key: &Key) {
        let pods = self.cache.cluster.pods();
        if let Some(known) = pods.find(key.namespace(), key.name()) {
            let ix = known.ix;
            self.cache.pod_deleted(ix);
            self.conditions.remove(&ix);
        }
    }

    /// Forgets the node of a Pod whose PreBind has failed, and hands it back to the queue with an error.
    pub(super) fn binding_failed(&mut self, key: &Key, pod: &Pod, message: String) {
        self.forget_pod(key);
        self.pod_came(pod);
        let pods = self.cache.cluster.pods();
        let found = pods.find(key.namespace(), key.name()).map(|it| it.ix);
        let popped = found.and_then(|ix| self.cache.queue.pop_active(ix));
        if let Some(popped) = popped {
            self.binding_handed_back(&popped, key, message);
        }
        self.record_notes();
    }

    fn record_state(&mut self, key: &Key, now: PodState) {
        self.entries.push(Entry::Pod {
            at: self.instant,
            pod: key.to_string(),
            now,
        });
    }

    fn observe_node(&mut self, (before, after): BeforeAndAfter<'_, Node>) {
        match (before, after) {
            (_, Some(node)) => {
                let mut node = (**node).clone();
                settle_node(&mut node);
                self.cache.node_set(node);
            }
            (Some(node), None) => {
                let name = node.metadata.name.as_deref().unwrap_or_default();
                self.cache.node_deleted(name);
            }
            (None, None) => {}
        }
    }
}

/// Whether only the status of a Pod differs.
fn is_made_alike(a: &Pod, b: &Pod) -> bool {
    let (meta, others) = (&a.metadata, &b.metadata);
    a.spec == b.spec
        && meta.labels == others.labels
        && meta.annotations == others.annotations
        && meta.owner_references == others.owner_references
}
