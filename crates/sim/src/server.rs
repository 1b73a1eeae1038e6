//! The API server: names, uids, versions, generations, graceful deletion. Every write becomes a change for
//! watchers, and an entry of the audit log.

mod admission;
mod deletion;
mod error;
mod eviction;
mod heartbeats;
mod locks;
pub(crate) mod metadata_update;
mod namespace_objects;
mod naming;
mod older;
mod pod_security;
mod resize;
mod restore;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde_json::Value;

use super::audit_log::{AuditEntry, Event};
use super::events::EventLog;
use super::field_managers::FieldManagers;
use super::pod_util;
use super::store::{Change, Key, Object, Store, Stored, namespace_of};
use super::strategy::Served;
use berth_core::api::kinds::Kind;
use berth_core::api::prepare::add_topology_labels;
use berth_scheduler::field::quote;
use berth_scheduler::release::{Gate, Release};

pub use deletion::{FOREGROUND, ORPHAN, Propagation};
pub use error::ApiError;
pub use eviction::EvictOptions;
pub(crate) use eviction::{set_allowed, set_allowed_to};
pub(crate) use heartbeats::{HEALTHY, node_condition};
pub use namespace_objects::{DEFAULT_ACCOUNT, ROOT_CA};
pub use naming::Naming;

pub use super::virtual_time::{ms_of, time_at};

/// Maximum number of created objects of one kind; a dump may hold more. `replicas: 2000000000` has to be an error
/// within seconds.
const MAX_OBJECTS: usize = 50_000;

/// The default of `terminationGracePeriodSeconds`.
const DEFAULT_GRACE_SECONDS: i64 = 30;

/// The objects, and the changes that watchers have not seen yet.
#[derive(Clone, Debug)]
pub struct ApiServer {
    store: Store,
    pending: VecDeque<Change>,
    audit_log: Vec<AuditEntry>,
    events: EventLog,
    component: &'static str,
    now_ms: i64,
    revision: u64,
    /// Number of removed objects: a removal makes no new version.
    deleted: u64,
    made: u64,
    naming: Naming,
    /// Grace period of every Pod, in place of its own.
    grace_seconds: Option<i64>,
    /// `None`: objects are stored without admission.
    admission: Option<admission::Admission>,
    /// Nodes whose kubelet sends no heartbeats, and since when.
    silent: BTreeMap<String, i64>,
    /// Uids of owners that a dump lacks.
    assumed_uids: BTreeSet<String>,
    /// Objects that nobody wrote, as every cluster has them or others need them, by kind and key.
    implied: BTreeSet<(&'static str, Key)>,
    /// What the user may not change.
    guard: Option<locks::Guard>,
    /// The user makes the writes, which components do not restrict.
    user_write: bool,
    /// Number of the user's writes.
    user_writes: u64,
    /// What admission warns the user of.
    warnings: Vec<String>,
    /// A copy for a dry run.
    is_dry: bool,
    /// The name by which the user's writes manage fields.
    user_manager: String,
    /// Who manages the fields of what the user wrote; shared by copies of the server.
    field_managers: Arc<FieldManagers>,
    release: Release,
}

/// Identifies a state of the API server: cheap to take and to compare, while a digest reads everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    now_ms: i64,
    revision: u64,
    deleted: u64,
    events: u64,
    silent: BTreeMap<String, i64>,
}

impl ApiServer {
    pub fn new(naming: Naming, grace_seconds: Option<i64>) -> Self {
        ApiServer {
            store: Store::default(),
            pending: VecDeque::new(),
            audit_log: Vec::new(),
            events: EventLog::default(),
            component: "",
            now_ms: 0,
            revision: 0,
            deleted: 0,
            made: 0,
            naming,
            grace_seconds,
            admission: None,
            silent: BTreeMap::new(),
            assumed_uids: BTreeSet::new(),
            implied: BTreeSet::new(),
            guard: None,
            user_write: false,
            user_writes: 0,
            warnings: Vec::new(),
            is_dry: false,
            user_manager: String::new(),
            field_managers: Arc::default(),
            release: Release::default(),
        }
    }

    /// The same server of a release.
    #[must_use]
    pub fn of_release(self, release: Release) -> Self {
        Self { release, ..self }
    }

    /// A copy whose writes are only a dry run.
    #[must_use]
    pub fn dry(&self) -> Self {
        Self {
            is_dry: true,
            user_write: true,
            ..self.clone()
        }
    }

    /// The release whose rules hold.
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// The objects as they are now.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Milliseconds since virtual time began.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Moves the clock; it never goes back.
    pub fn set_now_ms(&mut self, now_ms: i64) {
        self.now_ms = self.now_ms.max(now_ms);
    }

    /// The current time as the API writes it.
    pub fn now(&self) -> Time {
        time_at(self.now_ms)
    }

    /// The next change to deliver.
    pub(super) fn next_change(&mut self) -> Option<Change> {
        self.pending.pop_front()
    }

    /// Whether every change is delivered.
    pub fn is_delivered(&self) -> bool {
        self.pending.is_empty()
    }

    /// The audit log since the last call.
    pub fn take_audit_log(&mut self) -> Vec<AuditEntry> {
        std::mem::take(&mut self.audit_log)
    }

    /// Sets the current component, the default source of events.
    pub fn set_component(&mut self, component: &'static str) {
        self.component = component;
    }

    /// Records an event of an object, as `kubectl describe` shows it.
    pub fn event(&mut self, mut event: Event) {
        if event.source.is_empty() {
            event.source = self.component.into();
        }
        let event = Arc::new(event);
        self.events.note(&event, self.now_ms);
        self.audit_log.push(AuditEntry::Event(event));
    }

    /// Changes whenever the observable state does.
    pub fn stamp(&self) -> Stamp {
        Stamp {
            now_ms: self.now_ms,
            revision: self.revision,
            deleted: self.deleted,
            events: self.events.total(),
            silent: self.silent.clone(),
        }
    }

    /// Number of writes that the user made ([`ApiServer::set_user_write`]).
    pub fn user_writes(&self) -> u64 {
        self.user_writes
    }

    /// Sets the name by which the user's next writes manage fields; what earlier writes warned of is forgotten.
    pub fn set_user_manager(&mut self, name: &str) {
        self.warnings.clear();
        self.user_manager = name.to_owned();
    }

    pub(crate) fn field_managers(&self) -> &FieldManagers {
        &self.field_managers
    }

    pub(crate) fn field_managers_mut(&mut self) -> &mut FieldManagers {
        Arc::make_mut(&mut self.field_managers)
    }

    /// Notes whose the changed fields of an object are, if the user changed it.
    pub(crate) fn note_fields(&mut self, kind: Kind, key: &Key, before: &Value, after: &Value) {
        if self.user_write && !self.user_manager.is_empty() {
            let name = self.user_manager.clone();
            self.field_managers_mut()
                .note(kind, key, &name, before, after);
        }
    }

    fn count_write(&mut self) {
        self.user_writes += u64::from(self.user_write);
    }

    /// All events so far.
    pub fn events(&self) -> &EventLog {
        &self.events
    }

    /// Creates an object; `generateName` gets its suffix here.
    ///
    /// # Errors
    /// If one of that name exists, there are too many, or admission or validation refuses it.
    pub fn create<T: Served>(&mut self, object: T) -> Result<Arc<T>, ApiError> {
        self.create_as(object, None)
    }

    /// The same with a given uid: other objects refer to it already.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub(crate) fn create_as<T: Served>(
        &mut self,
        mut object: T,
        uid: Option<String>,
    ) -> Result<Arc<T>, ApiError> {
        if T::table(&self.store).count() >= MAX_OBJECTS {
            return Err(ApiError::TooMany { kind: T::KIND });
        }
        let meta = object.metadata_mut();
        if T::NAMESPACED && namespace_of(meta).is_empty() {
            meta.namespace = Some("default".to_owned());
        }
        self.generate_name::<T>(meta);
        let key = Key::of(meta);
        self.check_namespace(&object)?;
        let exists = T::table(&self.store).get(&key).is_some();
        // Only the user hears what else is wrong with an object that exists.
        if exists && !self.user_write {
            return Err(ApiError::AlreadyExists { kind: T::KIND, key });
        }
        self.check_locks(&key, None, Some(&object))?;
        // Admission and validation see the defaults. A Job gets its selector only with its uid, below.
        object.set_defaults();
        object.drop_disabled(&self.release);
        // A Job is validated with what its uid is part of; a refused one draws none.
        let drawn = (T::KIND == Job::KIND).then(|| self.naming.clone());
        let uid = match uid {
            None if drawn.is_some() => Some(self.naming.uid(self.made + 1)),
            given => given,
        };
        if drawn.is_some() {
            object.metadata_mut().uid.clone_from(&uid);
            object.set_defaults();
        }
        let admitted = self.admit(object).and_then(|object| {
            if exists {
                let key = key.clone();
                return Err(ApiError::AlreadyExists { kind: T::KIND, key });
            }
            self.charge(&object, None)?;
            Ok(object)
        });
        let mut object = match admitted {
            Ok(object) => object,
            Err(refused) => {
                if let Some(before) = drawn {
                    self.naming = before;
                }
                return Err(refused);
            }
        };
        let meta = object.metadata_mut();
        self.made += 1;
        meta.uid = Some(uid.unwrap_or_else(|| self.naming.uid(self.made)));
        meta.creation_timestamp = Some(time_at(self.now_ms));
        meta.generation = T::HAS_GENERATION.then_some(1);
        object.set_defaults();
        object.settle(&self.release, &time_at(self.now_ms));
        let object = self.commit(key, None, object);
        self.audit_log
            .push(AuditEntry::Created(T::wrap(object.clone())));
        Ok(object)
    }

    /// Writes everything but the status.
    ///
    /// # Errors
    /// If the object is gone or has changed since it was read, or the change is invalid.
    pub fn update<T: Served>(&mut self, mut object: T) -> Result<Arc<T>, ApiError> {
        let (key, current) = self.current(&object)?;
        object.set_defaults();
        object.drop_disabled(&self.release);
        object.settle(&self.release, &time_at(self.now_ms));
        let annotations = object.metadata().annotations.clone();
        object.copy_status(&current);
        object.metadata_mut().annotations = annotations;
        object.prepare_update(&current);
        if object == *current {
            return Ok(current);
        }
        self.check_locks(&key, Some(&*current), Some(&object))?;
        self.check_update(&object, &*current)?;
        if object.wants_else(&current) {
            let generation = &mut object.metadata_mut().generation;
            *generation = generation.map(|generation| generation + 1);
        }
        if !object.is_held() && is_over(T::wrap(Arc::new(object.clone()))) {
            self.erase::<T>(&key);
            return Ok(Arc::new(object));
        }
        Ok(self.commit(key, Some(current), object))
    }

    /// Writes the status (and annotations, as the API server lets controllers do).
    ///
    /// # Errors
    /// If the object is gone or has changed since it was read, or the status is invalid.
    pub fn update_status<T: Served>(&mut self, object: &T) -> Result<Arc<T>, ApiError> {
        let (key, current) = self.current(object)?;
        let mut updated = (*current).clone();
        updated.copy_status(object);
        if updated == *current {
            return Ok(current);
        }
        if self.user_write {
            updated.set_defaults();
        }
        self.check_locks(&key, Some(&*current), Some(&updated))?;
        self.check_status(&updated, &*current)?;
        Ok(self.commit(key, Some(current), updated))
    }

    /// Writes a Pod's status: as [`Self::update_status`], with one clone less.
    ///
    /// # Errors
    /// As [`Self::update_status`].
    pub fn set_pod_status(&mut self, pod: &Pod, status: PodStatus) -> Result<Arc<Pod>, ApiError> {
        let (key, current) = self.current(pod)?;
        let updated = Pod {
            metadata: current.metadata.clone(),
            spec: current.spec.clone(),
            status: Some(status),
        };
        Ok(self.write(key, Some(current), updated, true))
    }

    /// Deletes an object, and then its dependents: see [`Self::delete_with`].
    ///
    /// # Errors
    /// If there is none, or it may not be deleted.
    pub fn delete<T: Served>(&mut self, key: &Key) -> Result<(), ApiError> {
        self.delete_with::<T>(key, Propagation::Background, None)
    }

    /// The same with a propagation policy for its dependents.
    ///
    /// # Errors
    /// As [`Self::delete`].
    pub fn delete_as<T: Served>(
        &mut self,
        key: &Key,
        propagation: Propagation,
    ) -> Result<(), ApiError> {
        self.delete_with::<T>(key, propagation, None)
    }

    /// The same with a grace period in seconds; 0 is at once.
    ///
    /// # Errors
    /// As [`Self::delete`].
    pub fn delete_within<T: Served>(
        &mut self,
        key: &Key,
        grace_seconds: Option<i64>,
    ) -> Result<(), ApiError> {
        self.delete_with::<T>(key, Propagation::Background, grace_seconds)
    }

    /// Deletes an object at once, except for running Pods, which get their grace period, and objects with finalizers,
    /// which wait for the removal of these. Another deletion can only shorten the grace period.
    ///
    /// # Errors
    /// If there is none, or it may not be deleted.
    pub fn delete_with<T: Served>(
        &mut self,
        key: &Key,
        propagation: Propagation,
        grace_seconds: Option<i64>,
    ) -> Result<(), ApiError> {
        let Some(current) = T::table(&self.store).get(key).cloned() else {
            let key = key.clone();
            return Err(ApiError::NotFound { kind: T::KIND, key });
        };
        let wrapped = T::wrap(current.clone());
        let grace = Pod::unwrap(&wrapped).map_or(0, |pod| self.grace_of(pod, grace_seconds));
        let mut object = (*current).clone();
        let meta = current.metadata();
        if meta.deletion_timestamp.is_some() {
            let left = meta.deletion_grace_period_seconds.unwrap_or(0);
            let has_finalizers = !finalizers(meta).is_empty();
            if grace_seconds.is_none() || grace > left || (grace == left && has_finalizers) {
                return Ok(());
            }
        } else {
            self.check_locks::<T>(key, Some(&*current), None)?;
            self.check_deletion::<T>(key)?;
            self.audit_log.push(AuditEntry::Deleted {
                kind: T::KIND,
                key: key.clone(),
            });
            if propagation != Propagation::Background {
                propagation.mark(object.metadata_mut());
            }
        }
        let has_finalizers = !finalizers(object.metadata()).is_empty();
        if grace == 0 && !has_finalizers && !object.is_held() {
            self.erase::<T>(key);
            return Ok(());
        }
        let deletion = time_at(self.now_ms.saturating_add(grace.saturating_mul(1_000)));
        let meta = object.metadata_mut();
        meta.deletion_timestamp = Some(deletion);
        meta.deletion_grace_period_seconds = Some(grace);
        object.begin_deletion();
        self.commit(key.clone(), Some(current), object);
        Ok(())
    }

    /// Removes an object at once: its node is lost, or its grace period is over.
    pub fn erase<T: Served>(&mut self, key: &Key) {
        if let Some(before) = T::table_mut(&mut self.store).remove(key) {
            self.deleted += 1;
            self.implied.remove(&(T::KIND, key.clone()));
            self.count_write();
            self.note_policy(T::KIND);
            if T::KIND == Node::KIND {
                self.silent.remove(key.name());
            }
            self.pending.push_back(Change {
                key: key.clone(),
                before: Some(T::wrap(before)),
                after: None,
                is_of_status: false,
            });
        }
    }

    /// Binds a Pod (the `binding` subresource), and writes the status that it has on its node.
    ///
    /// # Errors
    /// If the Pod is gone.
    pub fn bind(&mut self, mut pod: Pod, node: &str) -> Result<Arc<Pod>, ApiError> {
        let (key, current) = self.current(&pod)?;
        pod.spec.get_or_insert_default().node_name = Some(node.to_owned());
        if let Some(node) = self.store.nodes.get(&Key::new("", node)) {
            add_topology_labels(&self.release, &mut pod.metadata.labels, node);
        }
        if self
            .release
            .is_on(Gate::ClearingNominatedNodeNameAfterBinding)
            && let Some(status) = &mut pod.status
        {
            status.nominated_node_name = None;
        }
        self.audit_log.push(AuditEntry::Bound {
            key: key.clone(),
            node: node.to_owned(),
        });
        Ok(self.commit(key, Some(current), pod))
    }

    /// Binds a Pod as a request of a user asks.
    ///
    /// # Errors
    /// If the Pod is gone, is being deleted, has a node, or is gated.
    pub fn bind_as_asked(&mut self, key: &Key, node: &str) -> Result<(), ApiError> {
        let kind = Pod::KIND;
        let Some(pod) = self.store.pods.get(key).cloned() else {
            let key = key.clone();
            return Err(ApiError::NotFound { kind, key });
        };
        let name = key.name();
        let own = pod_util::node_of(&pod);
        let spec = pod.spec.as_ref();
        let gates = spec.and_then(|spec| spec.scheduling_gates.as_ref());
        let why = if pod.metadata.deletion_timestamp.is_some() {
            format!("pod {name} is being deleted, cannot be assigned to a host")
        } else if !own.is_empty() {
            format!("pod {name} is already assigned to node {}", quote(own))
        } else if gates.is_some_and(|gates| !gates.is_empty()) {
            format!("pod {name} has non-empty .spec.schedulingGates")
        } else {
            self.check_locks(key, Some(&*pod), Some(&*pod))?;
            return self.bind((*pod).clone(), node).map(drop);
        };
        let key = Key::new(key.namespace(), name);
        Err(ApiError::BindingConflict { key, why })
    }

    /// A Pod's grace period in seconds: the requested one, or its own; 0 if it has no node.
    fn grace_of(&self, pod: &Pod, asked: Option<i64>) -> i64 {
        let own = pod
            .spec
            .as_ref()
            .and_then(|spec| spec.termination_grace_period_seconds);
        if pod_util::node_of(pod).is_empty() || pod_util::is_finished(pod) {
            return 0;
        }
        let seconds = asked.or(self.grace_seconds).or(own);
        let seconds = seconds.unwrap_or(DEFAULT_GRACE_SECONDS);
        // The API server turns a negative number into the minimum.
        if seconds < 0 { 1 } else { seconds }
    }

    /// The stored object, if `object` was made from that version.
    fn current<T: Served>(&self, object: &T) -> Result<(Key, Arc<T>), ApiError> {
        let key = Key::of(object.metadata());
        let Some(current) = T::table(&self.store).get(&key) else {
            return Err(ApiError::NotFound { kind: T::KIND, key });
        };
        if object.metadata().resource_version == current.metadata().resource_version {
            Ok((key, current.clone()))
        } else {
            Err(ApiError::Conflict { kind: T::KIND, key })
        }
    }

    fn commit<T: Served>(&mut self, key: Key, before: Option<Arc<T>>, after: T) -> Arc<T> {
        self.write(key, before, after, false)
    }

    fn write<T: Served>(
        &mut self,
        key: Key,
        before: Option<Arc<T>>,
        mut after: T,
        is_of_status: bool,
    ) -> Arc<T> {
        self.revision += 1;
        self.count_write();
        after.metadata_mut().resource_version = Some(self.revision.to_string());
        let after = Arc::new(after);
        T::table_mut(&mut self.store).put(&key, after.clone());
        let change = Change {
            key,
            before: before.map(T::wrap),
            after: Some(T::wrap(after.clone())),
            is_of_status,
        };
        self.audit_log.extend(AuditEntry::of_update(&change));
        self.note_policy(T::KIND);
        self.pending.push_back(change);
        after
    }
}

/// `metadata.finalizers`.
pub fn finalizers(meta: &ObjectMeta) -> &[String] {
    meta.finalizers.as_deref().unwrap_or_default()
}

/// Whether an object that is being deleted has nothing left to wait for.
fn is_over(object: Object) -> bool {
    let meta = object.metadata();
    let waits = Pod::unwrap(&object).is_some_and(|pod| {
        meta.deletion_grace_period_seconds.unwrap_or(0) > 0
            && !pod_util::is_finished(pod)
            && !pod_util::node_of(pod).is_empty()
    });
    meta.deletion_timestamp.is_some() && finalizers(meta).is_empty() && !waits
}

#[cfg(test)]
mod tests;
