//! `kubectl rollout undo` (Kubernetes v1.34 `polymorphichelpers/rollback.go`).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::controllers::deployment::{OWN, revision, same_template};
use super::controllers::template_of;
use super::server::{ApiError, ApiServer};
use super::store::{Key, Stored, uid_of};
use super::strategy::Served;
use berth_base::sort;
use berth_core::api::workloads::TEMPLATE_HASH;

/// How a rollback ends if it does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    RolledBack,
    /// The template is that of this revision already.
    Skipped(i64),
}

/// As kubectl prints it behind the object's name.
impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RolledBack => f.write_str("rolled back"),
            Self::Skipped(revision) => write!(
                f,
                "skipped rollback (current template already matches revision {revision})"
            ),
        }
    }
}

/// Why a rollback fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoError {
    /// There is no such revision, or the object cannot be rolled back.
    Impossible(String),
    /// There is no such object, or the API server refuses the change.
    Server(String),
}

/// As kubectl prints it behind `error: `.
impl fmt::Display for UndoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Impossible(message) | Self::Server(message)) = self;
        f.write_str(message)
    }
}

impl From<ApiError> for UndoError {
    fn from(error: ApiError) -> Self {
        Self::Server(error.to_string())
    }
}

type Outcome = Result<Undone, UndoError>;

/// Restores the template of a revision; of the previous revision if `to` is 0.
///
/// # Errors
/// See [`UndoError`].
pub fn undo(kind: &str, key: &Key, to: i64, api: &mut ApiServer) -> Outcome {
    match kind {
        "Deployment" => undo_deployment(key, to, api),
        "DaemonSet" => undo_by_history::<DaemonSet>(key, to, api, |set, template| {
            let spec = set.spec.get_or_insert_default();
            std::mem::replace(&mut spec.template, template)
        }),
        "StatefulSet" => undo_by_history::<StatefulSet>(key, to, api, |set, template| {
            let spec = set.spec.get_or_insert_default();
            std::mem::replace(&mut spec.template, template)
        }),
        other => Err(UndoError::Impossible(format!(
            "no rollbacker has been implemented for {other:?}"
        ))),
    }
}

fn undo_deployment(key: &Key, to: i64, api: &mut ApiServer) -> Outcome {
    let Some(deployment) = api.store().deployments.get(key).cloned() else {
        return Err(not_found::<Deployment>(key));
    };
    let spec = deployment.spec.clone().unwrap_or_default();
    let sets = api
        .store()
        .replica_sets
        .controlled_by(uid_of(&deployment.metadata));
    let mut sets: Vec<&Arc<ReplicaSet>> = sets.filter(|set| revision(set) > 0).collect();
    sort::sort_by_key(&mut sets, |set| revision(set));
    let set = if to == 0 {
        sets.iter().rev().nth(1)
    } else {
        sets.iter().find(|set| revision(set) == to)
    };
    let Some(set) = set.map(|set| Arc::clone(set)) else {
        return Err(match to {
            0 => UndoError::Impossible(format!(
                "no rollout history found for deployment {:?}",
                key.name()
            )),
            to => unknown_revision(to),
        });
    };
    if spec.paused == Some(true) {
        return Err(UndoError::Impossible(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
                .to_owned(),
        ));
    }
    let mut template = set.spec.as_ref().and_then(|spec| spec.template.clone());
    let Some(template) = template.as_mut() else {
        return Ok(Undone::RolledBack);
    };
    if same_template(template, &spec.template) {
        return Ok(Undone::Skipped(revision(&set)));
    }
    if let Some(labels) = template
        .metadata
        .as_mut()
        .and_then(|meta| meta.labels.as_mut())
    {
        labels.remove(TEMPLATE_HASH);
    }
    let mut updated = (*deployment).clone();
    updated.metadata.annotations = Some(annotations(&deployment.metadata, &set.metadata));
    updated.spec.get_or_insert_default().template = template.clone();
    api.update(updated)?;
    Ok(Undone::RolledBack)
}

/// The Deployment's annotations that are never copied, and all other annotations of the ReplicaSet.
fn annotations(deployment: &ObjectMeta, set: &ObjectMeta) -> BTreeMap<String, String> {
    let of = |meta: &ObjectMeta, own: bool| {
        let all = meta.annotations.clone().unwrap_or_default();
        all.into_iter()
            .filter(move |(key, _)| OWN.contains(&key.as_str()) == own)
    };
    sort::gather(of(deployment, true).chain(of(set, false)))
}

fn undo_by_history<T: Served>(
    key: &Key,
    to: i64,
    api: &mut ApiServer,
    replace: impl Fn(&mut T, PodTemplateSpec) -> PodTemplateSpec,
) -> Outcome {
    let Some(object) = T::table(api.store()).get(key).cloned() else {
        return Err(not_found::<T>(key));
    };
    let history = api
        .store()
        .controller_revisions
        .controlled_by(uid_of(object.metadata()));
    let mut history: Vec<&Arc<ControllerRevision>> = history.collect();
    sort::sort_by_key(&mut history, |revision| revision.revision);
    let revision = match (to, history.as_slice()) {
        (0, [.., previous, _]) => Some(previous),
        (0, _) => {
            let message = "no last revision to roll back to".to_owned();
            return Err(UndoError::Impossible(message));
        }
        (to, all) => all.iter().find(|revision| revision.revision == to),
    };
    let Some(revision) = revision else {
        return Err(unknown_revision(to));
    };
    let number = revision.revision;
    let Some(template) = template_of(revision) else {
        return Ok(Undone::RolledBack);
    };
    let mut updated = (*object).clone();
    let before = replace(&mut updated, template.clone());
    if before == template {
        return Ok(Undone::Skipped(number));
    }
    api.update(updated)?;
    Ok(Undone::RolledBack)
}

fn not_found<T: Stored>(key: &Key) -> UndoError {
    UndoError::Server(format!("{} {:?} not found", T::KIND, key.name()))
}

fn unknown_revision(to: i64) -> UndoError {
    UndoError::Impossible(format!("unable to find specified revision {to} in history"))
}
