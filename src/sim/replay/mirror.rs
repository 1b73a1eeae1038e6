//! What the scheduler hears of an API server with controllers: its objects' changes, one after the other.
//!
//! What the scheduler wrote itself comes back here as well, and changes nothing then. Nominations are not
//! told to the API server: the cluster has them.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{Node, PersistentVolumeClaim, Pod};

use super::Replay;
use super::controllers::bind_what_can_be;
use super::record::{Entry, PodState};
use super::store::{ObjectKey, key_of};
use crate::api::object::Object;
use crate::api::prepare::{settle_node, stored_pod, template_of};
use crate::api::prepared::{PodObject, PodTemplate};
use crate::api::script::{Act, Verb};
use crate::cluster::event::{Event, StoredKind};
use crate::sim::controllers::pods;
use crate::sim::store::{BeforeAndAfter, Change, Key};

/// The label that every namespace has.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

impl Replay {
    /// Takes note of a change.
    pub(super) fn observe(&mut self, change: &Change) {
        if let Some(pod) = change.of::<Pod>() {
            self.observe_pod(pod);
        } else if let Some(node) = change.of::<Node>() {
            self.observe_node(node);
        } else if let Some(claim) = change.of::<PersistentVolumeClaim>() {
            self.observe_claim(claim);
        } else if let Some((before, after)) = change.of::<ReplicaSet>() {
            let same = before.zip(after);
            let same = same.is_some_and(|(before, after)| before.spec == after.spec);
            let event = after.map(|set| Event::ReplicaSetSet(Arc::clone(set)));
            self.observe_owner(StoredKind::ReplicaSet, change, same, event);
        } else if let Some((before, after)) = change.of::<StatefulSet>() {
            let same = before.zip(after);
            let same = same.is_some_and(|(before, after)| before.spec == after.spec);
            let event = after.map(|set| Event::StatefulSetSet(Arc::clone(set)));
            self.observe_owner(StoredKind::StatefulSet, change, same, event);
        }
        self.take_notes();
    }

    fn observe_pod(&mut self, (before, after): BeforeAndAfter<'_, Pod>) {
        match (before, after) {
            (None, Some(pod)) => self.pod_came(pod),
            (Some(before), Some(after)) => self.pod_changed(before, after),
            (Some(pod), None) => {
                let key = Key::of(&pod.metadata);
                self.forget_pod(&key);
                self.tell_state(&key, PodState::Gone);
            }
            (None, None) => {}
        }
    }

    fn pod_came(&mut self, pod: &Pod) {
        let template = template_of(pod);
        if template != *self.template {
            self.template = Arc::new(template);
        }
        let object = stored_pod(pod, Arc::clone(&self.template));
        let namespaces = self.watch.cluster.namespaces();
        let is_known = namespaces
            .iter()
            .any(|(name, _)| *name == *object.namespace);
        if !is_known {
            let name = object.namespace.to_string();
            let labels = [(NAMESPACE_NAME.to_owned(), name.clone())].into();
            self.watch.unheard(Event::NamespaceSet { name, labels });
        }
        self.budgets.pod_came(&object);
        self.watch.pod_added(object);
    }

    /// A finished Pod is gone for the scheduler.
    fn pod_changed(&mut self, before: &Pod, after: &Pod) {
        let key = Key::of(&after.metadata);
        let was_finished = pods::is_finished(before);
        if !was_finished && pods::is_finished(after) {
            let failed = pods::phase_of(after) == "Failed";
            self.tell_state(
                &key,
                if failed {
                    PodState::Failed
                } else {
                    PodState::Succeeded
                },
            );
            self.forget_pod(&key);
            return;
        }
        if pods::phase_of(before) != "Running" && pods::phase_of(after) == "Running" {
            self.tell_state(&key, PodState::Running);
        }
        match (pods::is_ready(before), pods::is_ready(after)) {
            (false, true) => self.tell_state(&key, PodState::Ready),
            (true, false) => self.tell_state(&key, PodState::NotReady),
            _ => {}
        }
        self.update_pod(&key, after);
    }

    fn update_pod(&mut self, key: &Key, pod: &Pod) {
        let known = self.watch.cluster.pods().find(&key.namespace, &key.name);
        let Some(known) = known else {
            return;
        };
        let (ix, old) = (known.ix, known.object.clone());
        let template = template_of(pod);
        let template: Arc<PodTemplate> = if template == *old.template {
            Arc::clone(&old.template)
        } else {
            Arc::new(template)
        };
        let new = stored_pod(pod, template);
        let new = PodObject {
            node_name: old.node_name.clone(),
            nominated_node: old.nominated_node.clone(),
            terminating: old.terminating || new.terminating,
            preempted_by_scheduler: old.preempted_by_scheduler,
            ..new
        };
        let is_same = Arc::ptr_eq(&old.template, &new.template)
            && (old.phase, old.start_ms, old.terminating)
                == (new.phase, new.start_ms, new.terminating);
        if is_same {
            return;
        }
        self.budgets.pod_went(&old);
        self.budgets.pod_came(&new);
        self.watch.pod_updated(ix, new);
    }

    fn forget_pod(&mut self, key: &Key) {
        let known = self.watch.cluster.pods().find(&key.namespace, &key.name);
        if let Some(known) = known {
            let ix = known.ix;
            self.budgets.pod_went(&known.object);
            self.watch.pod_deleted(ix);
            self.conditions.remove(&ix);
        }
    }

    fn tell_state(&mut self, key: &Key, now: PodState) {
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
                self.watch.node_set(node);
            }
            (Some(node), None) => {
                let name = node.metadata.name.as_deref().unwrap_or_default();
                self.watch.node_deleted(name);
            }
            (None, None) => {}
        }
    }

    /// Claims that controllers make are bound like others; those that are known already stay as they are.
    fn observe_claim(&mut self, (before, after): BeforeAndAfter<'_, PersistentVolumeClaim>) {
        if let (Some(gone), None) = (before, after) {
            let Key { namespace, name } = Key::of(&gone.metadata);
            let key = ObjectKey::new("PersistentVolumeClaim", &namespace, &name);
            self.store.remove(&key);
            self.remove(&key);
            return;
        }
        let (None, Some(claim)) = (before, after) else {
            return;
        };
        let mut claim = (**claim).clone();
        // As its author gave it.
        claim.metadata.uid = None;
        claim.metadata.resource_version = None;
        let claim = Object::PersistentVolumeClaim(Box::new(claim));
        if key_of(&claim).is_some_and(|key| !self.store.contains(&key)) {
            let path = String::new();
            let verb = Verb::Create(claim);
            self.act(&Act { path, verb });
            bind_what_can_be(&self.store, &mut self.watch);
        }
    }

    /// Owners of Pods, whose selectors are the defaults of spreading.
    fn observe_owner(&mut self, kind: StoredKind, change: &Change, same: bool, set: Option<Event>) {
        if same {
            return;
        }
        let Some(object) = change.object() else {
            return;
        };
        let Key { namespace, name } = Key::of(object.metadata());
        self.watch.unheard(set.unwrap_or(Event::Removed {
            kind,
            namespace,
            name,
        }));
    }
}
