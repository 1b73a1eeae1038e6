//! `kubectl rollout undo` (Kubernetes v1.34 `polymorphichelpers/rollback.go`).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::controllers::deployment::{HASH_LABEL, OWN, revision, same_template};
use super::controllers::template_of;
use super::server::ApiServer;
use super::store::{Key, Stored, uid_of};
use super::strategy::Served;
use berth_core::base::sort;

/// Restores the template of a revision; of the previous revision if `to` is 0. Returns the message that `kubectl`
/// prints instead of its success, if any.
///
/// # Errors
/// If there is no such object, or the API server refuses the change.
pub fn undo(kind: &str, key: &Key, to: i64, api: &mut ApiServer) -> Result<Option<String>, String> {
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
        other => Ok(Some(format!(
            "error: no rollbacker has been implemented for {other:?}"
        ))),
    }
}

fn undo_deployment(key: &Key, to: i64, api: &mut ApiServer) -> Result<Option<String>, String> {
    let Some(deployment) = api.store().deployments.get(key).cloned() else {
        return Err(not_found::<Deployment>(key));
    };
    let spec = deployment.spec.clone().unwrap_or_default();
    if spec.paused == Some(true) {
        let name = key.name();
        return Ok(Some(format!(
            "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/{name}' and try again"
        )));
    }
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
        return Ok(Some(if to == 0 {
            format!(
                "error: no rollout history found for deployment {:?}",
                key.name()
            )
        } else {
            unknown_revision(to)
        }));
    };
    let mut template = set.spec.as_ref().and_then(|spec| spec.template.clone());
    let Some(template) = template.as_mut() else {
        return Ok(None);
    };
    if same_template(template, &spec.template) {
        return Ok(Some(skipped(revision(&set))));
    }
    if let Some(labels) = template
        .metadata
        .as_mut()
        .and_then(|meta| meta.labels.as_mut())
    {
        labels.remove(HASH_LABEL);
    }
    let mut updated = (*deployment).clone();
    updated.metadata.annotations = Some(annotations(&deployment.metadata, &set.metadata));
    updated.spec.get_or_insert_default().template = template.clone();
    api.update(updated).map_err(|error| error.to_string())?;
    Ok(None)
}

/// The Deployment's annotations that are never copied, and all other annotations of the ReplicaSet.
fn annotations(deployment: &ObjectMeta, set: &ObjectMeta) -> BTreeMap<String, String> {
    let of = |meta: &ObjectMeta, own: bool| {
        let all = meta.annotations.clone().unwrap_or_default();
        let all = all.into_iter();
        all.filter(move |(key, _)| OWN.contains(&key.as_str()) == own)
    };
    sort::gather(of(deployment, true).chain(of(set, false)))
}

fn undo_by_history<T: Served>(
    key: &Key,
    to: i64,
    api: &mut ApiServer,
    replace: impl Fn(&mut T, PodTemplateSpec) -> PodTemplateSpec,
) -> Result<Option<String>, String> {
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
        (0, _) => return Ok(Some("error: no last revision to roll back to".to_owned())),
        (to, all) => all.iter().find(|revision| revision.revision == to),
    };
    let Some(revision) = revision else {
        return Ok(Some(unknown_revision(to)));
    };
    let number = revision.revision;
    let Some(template) = template_of(revision) else {
        return Ok(None);
    };
    let mut updated = (*object).clone();
    let before = replace(&mut updated, template.clone());
    if before == template {
        return Ok(Some(skipped(number)));
    }
    api.update(updated).map_err(|error| error.to_string())?;
    Ok(None)
}

fn not_found<T: Stored>(key: &Key) -> String {
    format!("{} {:?} not found", T::KIND, key.name())
}

fn unknown_revision(to: i64) -> String {
    format!("error: unable to find specified revision {to} in history")
}

fn skipped(revision: i64) -> String {
    format!("skipped rollback (current template already matches revision {revision})")
}
