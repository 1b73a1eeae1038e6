//! The ReplicaSet of the current template: found, updated, or created.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};

use super::annotations::{self, REVISION};
use super::progress::progressing;
use super::sets::{Sets, same_template};
use super::{Sync, sets};
use crate::audit_log::{Event, Level};
use crate::controllers::conditions;
use crate::server::ApiError;
use crate::store::{Key, is_controlled_by, name_of};
use berth_core::api::{template_hash, workloads};

impl Sync<'_> {
    /// The ReplicaSets, with the new one updated, or created if it is missing and `create` is set.
    pub(super) fn find_sets(
        &mut self,
        owned: &[Arc<ReplicaSet>],
        create: bool,
    ) -> Result<Sets, ApiError> {
        let mut sets = Sets::of(&self.deployment, owned);
        let highest = sets.old.iter().map(|set| annotations::revision(set)).max();
        let revision = highest.unwrap_or(0).max(0) + 1;
        match sets.new.take() {
            Some(set) => sets.new = Some(self.refresh(&set, revision)?),
            None if create => sets.new = self.create_set(&sets, revision)?,
            None => {}
        }
        Ok(sets)
    }

    /// Copies the Deployment's annotations and the next revision to the ReplicaSet, and the ReplicaSet's revision to
    /// the Deployment.
    fn refresh(
        &mut self,
        set: &Arc<ReplicaSet>,
        revision: i64,
    ) -> Result<Arc<ReplicaSet>, ApiError> {
        let mut updated = (**set).clone();
        let of_deployment = self.deployment.metadata.annotations.as_ref();
        let annotated = annotations::follow(&mut updated, of_deployment, revision);
        let wait = self
            .deployment
            .spec
            .as_ref()
            .and_then(|spec| spec.min_ready_seconds);
        let own = set.spec.as_ref().and_then(|spec| spec.min_ready_seconds);
        if annotated || wait.unwrap_or(0) != own.unwrap_or(0) {
            updated.spec.get_or_insert_default().min_ready_seconds = wait;
            return self.api.update(updated);
        }
        let revision = annotations::revision(set);
        let mut needs_update = self.note_revision(revision);
        if self.deadline().is_some() && self.progress().is_none() {
            let message = format!("Found new replica set {:?}", name_of(&set.metadata));
            self.set_condition(progressing(
                "True",
                "FoundNewReplicaSet",
                message,
                self.api.now(),
            ));
            needs_update = true;
        }
        if needs_update {
            self.api.update_status(&self.deployment)?;
        }
        Ok(set.clone())
    }

    fn create_set(
        &mut self,
        sets: &Sets,
        revision: i64,
    ) -> Result<Option<Arc<ReplicaSet>>, ApiError> {
        let replicas = self.initial_replicas(sets);
        let Some(set) = self.make_set(replicas, revision) else {
            return Ok(None);
        };
        let (created, already_exists) = match self.api.create(set.clone()) {
            Ok(created) => (created, false),
            Err(ApiError::AlreadyExists { key, .. }) => (self.collide(&set, &key)?, true),
            Err(error) => {
                self.creation_failed(&set, &error)?;
                return Err(error);
            }
        };
        if !already_exists && replicas > 0 {
            let name = name_of(&created.metadata);
            self.event(format!("Scaled up replica set {name} from 0 to {replicas}"));
        }
        let mut needs_update = self.note_revision(revision);
        if !already_exists && self.deadline().is_some() {
            let message = format!("Created new replica set {:?}", name_of(&created.metadata));
            let now = self.api.now();
            self.set_condition(progressing("True", "NewReplicaSetCreated", message, now));
            needs_update = true;
        }
        if needs_update {
            self.api.update_status(&self.deployment)?;
        }
        Ok(Some(created))
    }

    fn make_set(&self, replicas: i32, revision: i64) -> Option<ReplicaSet> {
        let spec = self.deployment.spec.as_ref()?;
        let collisions = self
            .deployment
            .status
            .as_ref()
            .and_then(|status| status.collision_count);
        let hash = template_hash::of_template(&spec.template, collisions);
        let mut set = workloads::replica_set(&self.deployment, &hash, replicas)?;
        let meta = &self.deployment.metadata;
        annotations::follow(&mut set, meta.annotations.as_ref(), revision);
        annotations::note_replicas(&mut set, self.replicas(), self.most());
        Some(set)
    }

    /// Handles a ReplicaSet of the same name. If the Deployment controls it and the template is equal, a former sync
    /// created it. Otherwise the hash collides, and the next sync uses a different hash.
    fn collide(&mut self, set: &ReplicaSet, key: &Key) -> Result<Arc<ReplicaSet>, ApiError> {
        let existing = self.api.store().replica_sets.get(key).cloned();
        let template = |set: &ReplicaSet| set.spec.as_ref().and_then(|spec| spec.template.clone());
        if let Some(existing) = existing
            && is_controlled_by(&existing.metadata, &self.deployment.metadata)
            && let (Some(one), Some(other)) = (template(&existing), template(set))
            && same_template(&one, &other)
        {
            return Ok(existing);
        }
        let status = self.deployment.status.get_or_insert_default();
        status.collision_count = Some(status.collision_count.unwrap_or(0).saturating_add(1));
        let collided = self.api.update_status(&self.deployment);
        // The sync fails either way, so that the next one uses the new count.
        let (kind, key) = ("ReplicaSet", key.clone());
        Err(collided
            .err()
            .unwrap_or(ApiError::AlreadyExists { kind, key }))
    }

    fn creation_failed(&mut self, set: &ReplicaSet, error: &ApiError) -> Result<(), ApiError> {
        let name = name_of(&set.metadata);
        let message = format!("Failed to create new replica set {name:?}: {error}");
        let reason = "ReplicaSetCreateError";
        let event = Event::new(&self.deployment, Level::Warning, reason, message.clone());
        if self.deadline().is_some() {
            let now = self.api.now();
            self.set_condition(progressing("False", reason, message, now));
            self.api.update_status(&self.deployment)?;
        }
        self.api.event(event);
        Ok(())
    }

    /// The number of replicas of a new ReplicaSet.
    fn initial_replicas(&self, sets: &Sets) -> i32 {
        if !self.is_rolling_update() {
            return self.replicas();
        }
        let room = self.most().saturating_sub(sets.wanted());
        room.min(self.replicas()).max(0)
    }

    /// Writes the revision on the Deployment. Returns whether it changed.
    fn note_revision(&mut self, revision: i64) -> bool {
        let annotations = self.deployment.metadata.annotations.get_or_insert_default();
        let revision = revision.to_string();
        let changed = annotations.get(REVISION) != Some(&revision);
        annotations.insert(REVISION.to_owned(), revision);
        changed
    }

    pub(super) fn event(&mut self, message: String) {
        let event = Event::new(
            &self.deployment,
            Level::Normal,
            "ScalingReplicaSet",
            message,
        );
        self.api.event(event);
    }

    /// Scales a ReplicaSet and writes the annotations of proportional scaling; records an event if the size changes.
    pub(super) fn scale_set(
        &mut self,
        set: &Arc<ReplicaSet>,
        size: i32,
    ) -> Result<Arc<ReplicaSet>, ApiError> {
        let from = sets::replicas(set);
        let mut updated = (**set).clone();
        let annotated = annotations::note_replicas(&mut updated, self.replicas(), self.most());
        if from == size && !annotated {
            return Ok(set.clone());
        }
        updated.spec.get_or_insert_default().replicas = Some(size);
        let updated = self.api.update(updated)?;
        if from != size {
            let direction = if from < size { "up" } else { "down" };
            let name = name_of(&set.metadata);
            self.event(format!(
                "Scaled {direction} replica set {name} from {from} to {size}"
            ));
        }
        Ok(updated)
    }

    /// Like [`Self::scale_set`], if the size differs. Returns whether it was scaled.
    pub(super) fn resize(
        &mut self,
        set: &mut Arc<ReplicaSet>,
        size: i32,
    ) -> Result<bool, ApiError> {
        if sets::replicas(set) == size {
            return Ok(false);
        }
        *set = self.scale_set(set, size)?;
        Ok(true)
    }

    pub(super) fn set_condition(
        &mut self,
        condition: k8s_openapi::api::apps::v1::DeploymentCondition,
    ) {
        let status = self.deployment.status.get_or_insert_default();
        conditions::set(&mut status.conditions, condition);
    }

    pub(super) fn progress(&self) -> Option<k8s_openapi::api::apps::v1::DeploymentCondition> {
        progress_of(&self.deployment).cloned()
    }
}

/// The condition `Progressing`.
pub(super) fn progress_of(
    deployment: &Deployment,
) -> Option<&k8s_openapi::api::apps::v1::DeploymentCondition> {
    let status = deployment.status.as_ref()?;
    conditions::find(status.conditions.as_deref(), "Progressing")
}
