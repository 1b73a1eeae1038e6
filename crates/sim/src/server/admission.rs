//! Whether a write may happen: namespaces, admission, validation, quotas.
//!
//! Mirrors the order of kube-apiserver v1.34: mutating admission completes the object, validation checks it, validating
//! admission follows, and quotas come last because they count what is created.

use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{ApiError, ApiServer, finalizers, older};
use crate::quota;
use crate::store::Key;
use crate::strategy::{AdmissionContext, Served};
use berth_core::api::names::base_of;
use berth_core::api::prepare::PodPolicies;
use berth_scheduler::field::FieldError;
use berth_scheduler::release::Release;

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Those that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// The PriorityClasses that every cluster has.
const SYSTEM_CLASSES: [(&str, i32, &str); 2] = [
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
];

/// The state of admission.
#[derive(Clone, Debug, Default)]
pub(super) struct Admission {
    /// Built on demand, and dropped when a PriorityClass, a RuntimeClass or a LimitRange changes.
    policies: Option<Arc<PodPolicies>>,
}

impl ApiServer {
    /// Makes this the API server of a whole cluster: the namespaces and PriorityClasses that every cluster
    /// has are there, and from now on every write passes admission and validation.
    pub fn bootstrap(&mut self) {
        self.admission.get_or_insert_default();
        let written = self.audit_log.len();
        for name in NAMESPACES {
            self.ensure_namespace(name);
        }
        for (name, value, description) in SYSTEM_CLASSES {
            let class = PriorityClass {
                metadata: named(name),
                value: Some(value),
                description: Some(description.to_owned()),
                ..PriorityClass::default()
            };
            self.imply(class);
        }
        // The log does not contain what every cluster has.
        self.audit_log.truncate(written);
    }

    /// Whether every write passes admission.
    pub(crate) fn admits(&self) -> bool {
        self.admission.is_some()
    }

    /// Creates a namespace unless it exists or is not named.
    pub fn ensure_namespace(&mut self, name: &str) {
        let is_there = || self.store.namespaces.get(&Key::new("", name)).is_some();
        if !name.is_empty() && !is_there() {
            self.imply(Namespace {
                metadata: named(name),
                ..Namespace::default()
            });
        }
    }

    /// What the admission of Pods and claims depends on; none if nothing passes admission.
    pub(super) fn policies(&mut self) -> Option<Arc<PodPolicies>> {
        let (admission, store) = (self.admission.as_mut()?, &self.store);
        let policies = admission.policies.get_or_insert_with(|| {
            let classes = store.priority_classes.iter().map(AsRef::as_ref);
            let runtimes = store.runtime_classes.iter().map(AsRef::as_ref);
            let ranges = store.limit_ranges.iter();
            let ranges = ranges.map(|range| (**range).clone()).collect();
            Arc::new(PodPolicies::new(classes, runtimes, ranges))
        });
        Some(Arc::clone(policies))
    }

    /// The object as it is to be stored.
    ///
    /// # Errors
    /// If admission or validation refuses it.
    pub(crate) fn admit<T: Served>(&mut self, mut object: T) -> Result<T, ApiError> {
        let Some(policies) = self.policies() else {
            return Ok(object);
        };
        let cx = AdmissionContext {
            store: &self.store,
            policies: &policies,
            release: &self.release,
            is_dry: self.is_dry,
        };
        let admitted = object.admit(cx);
        // Names are generated after mutating admission, which sees only their base.
        admitted.map_err(|message| {
            let mut refused = forbidden(&object, message);
            if let ApiError::Forbidden { key, .. } = &mut refused
                && let Some(base) = generated_base(object.metadata())
            {
                *key = Key::new(key.namespace(), base);
            }
            refused
        })?;
        let mut errors = Vec::new();
        object.validate_in(None, cx, &mut errors);
        if errors.is_empty() {
            object.validate_stored(&mut errors);
            object.validate_gates(&self.release, &mut errors);
        }
        refuse_invalid(&object, errors, &self.release)?;
        let judged = object.judge(None, cx);
        judged.map_err(|message| forbidden(&object, message))?;
        self.check_security(&object, None)?;
        Ok(object)
    }

    /// Refuses new objects in a namespace that does not exist or is being terminated.
    pub(super) fn check_namespace<T: Served>(&self, object: &T) -> Result<(), ApiError> {
        if self.admission.is_none() || !T::NAMESPACED {
            return Ok(());
        }
        let name = object.metadata().namespace.as_deref().unwrap_or_default();
        let key = Key::new("", name);
        let Some(namespace) = self.store.namespaces.get(&key) else {
            let kind = Namespace::KIND;
            return Err(ApiError::NotFound { kind, key });
        };
        if namespace.metadata.deletion_timestamp.is_some() {
            let message = format!(
                "unable to create new content in namespace {name} because it is being terminated"
            );
            return Err(forbidden(object, message));
        }
        Ok(())
    }

    /// Charges a new object, or the growth of one, to the quotas of its namespace.
    pub(super) fn charge<T: Served>(
        &mut self,
        object: &T,
        before: Option<&T>,
    ) -> Result<(), ApiError> {
        if self.admission.is_none() || !T::NAMESPACED {
            return Ok(());
        }
        let namespace = object.metadata().namespace.as_deref().unwrap_or_default();
        let quotas = self.store.resource_quotas.of_namespace(namespace);
        let quotas: Vec<_> = quotas.cloned().collect();
        if quotas.is_empty() {
            return Ok(());
        }
        let wrap = |object: &T| T::wrap(Arc::new(object.clone()));
        let (object_now, before) = (wrap(object), before.map(wrap));
        let charged = quota::charge(&quotas, &object_now, before.as_ref(), &self.store);
        let charged = charged.map_err(|message| forbidden(object, message))?;
        for quota in charged {
            // Cannot conflict: the quota was just read.
            let _ = self.update_status(&quota);
        }
        Ok(())
    }

    /// Refuses changes that the API server would refuse.
    pub(super) fn check_update<T: Served>(
        &mut self,
        object: &T,
        current: &T,
    ) -> Result<(), ApiError> {
        let (new, old) = (object.metadata(), current.metadata());
        let held = finalizers(old);
        let is_same = new.labels == old.labels
            && new.annotations == old.annotations
            && new.owner_references == old.owner_references
            && finalizers(new).iter().all(|name| held.contains(name));
        if self.admission.is_none() || is_same && !object.wants_else(current) {
            return Ok(());
        }
        let mut errors = Vec::new();
        object.validate_stored(&mut errors);
        object.validate_gates(&self.release, &mut errors);
        object.validate_update(current, &mut errors);
        object.validate_update_by(current, &self.release, &mut errors);
        refuse_invalid(object, errors, &self.release)?;
        self.check_security(object, Some(current))?;
        if !matches!(T::KIND, "PersistentVolumeClaim" | "Service") {
            return Ok(());
        }
        if let Some(policies) = self.policies() {
            let cx = AdmissionContext {
                store: &self.store,
                policies: &policies,
                release: &self.release,
                is_dry: self.is_dry,
            };
            let mut errors = Vec::new();
            object.validate_in(Some(current), cx, &mut errors);
            refuse_invalid(object, errors, &self.release)?;
            let judged = object.judge(Some(current), cx);
            judged.map_err(|message| forbidden(object, message))?;
        }
        self.charge(object, Some(current))
    }

    /// Refuses a status that the API server would refuse.
    pub(super) fn check_status<T: Served>(&self, object: &T, current: &T) -> Result<(), ApiError> {
        let mut errors = Vec::new();
        if self.admission.is_some() {
            object.validate_status(current, &mut errors);
        }
        refuse_invalid(object, errors, &self.release)
    }

    /// Refuses the deletion of system namespaces and PriorityClasses.
    pub(super) fn check_deletion<T: Served>(&self, key: &Key) -> Result<(), ApiError> {
        let message = match T::KIND {
            Namespace::KIND if IMMORTAL.contains(&key.name()) => {
                "this namespace may not be deleted"
            }
            PriorityClass::KIND if key.name().starts_with("system-") => {
                "this is a system priority class and cannot be deleted"
            }
            _ => return Ok(()),
        };
        if self.admission.is_none() {
            return Ok(());
        }
        Err(ApiError::Forbidden {
            kind: T::KIND,
            key: key.clone(),
            message: message.to_owned(),
        })
    }

    /// Drops the built policies if an object of this kind affects them.
    pub(super) fn note_policy(&mut self, kind: &str) {
        if let Some(admission) = &mut self.admission
            && matches!(kind, "PriorityClass" | "RuntimeClass" | "LimitRange")
        {
            admission.policies = None;
        }
    }
}

/// The base of a name that was generated.
fn generated_base(meta: &ObjectMeta) -> Option<&str> {
    let base = meta.generate_name.as_deref().filter(|it| !it.is_empty())?;
    let name = meta.name.as_deref()?;
    name.starts_with(base_of(base)).then_some(base)
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    }
}

fn forbidden<T: Served>(object: &T, message: String) -> ApiError {
    ApiError::Forbidden {
        kind: T::KIND,
        key: Key::of(object.metadata()),
        message,
    }
}

/// The error with all that is wrong, in the words of the release.
fn refuse_invalid<T: Served>(
    object: &T,
    mut errors: Vec<FieldError>,
    release: &Release,
) -> Result<(), ApiError> {
    older::settle(&mut errors, release);
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::Invalid {
        kind: T::KIND,
        key: Key::of(object.metadata()),
        errors,
    })
}

#[cfg(test)]
mod tests;
