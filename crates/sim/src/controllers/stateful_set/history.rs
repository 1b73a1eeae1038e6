//! The current and the update revision of a StatefulSet.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::Pod;

use super::{Sync, Version};
use crate::controllers::revisions::{
    STATEFUL_HASH_LABEL, by_number, holds, new_revision, next_number, template_of,
};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of};
use berth_base::sort;
use berth_core::api::template_hash::{self, revision_data};
use berth_core::api::workloads::REVISION_HASH;

/// The two revisions in use.
#[derive(Clone, Debug)]
pub(super) struct Revisions {
    /// The revision of the Pods that are not updated yet.
    pub current: Version,
    /// The revision of the current template.
    pub update: Version,
    pub collisions: i32,
}

/// Finds or creates the revision of the current template, and finds the one before.
///
/// A former template reuses its revision, with the next number.
pub(super) fn revisions(
    set: &Arc<StatefulSet>,
    spec: &StatefulSetSpec,
    known: &[Arc<ControllerRevision>],
    api: &mut ApiServer,
) -> Result<Revisions, ApiError> {
    let mut known = known.to_vec();
    sort::sort_by(&mut known, by_number);
    let status = set.status.clone().unwrap_or_default();
    let mut collisions = status.collision_count.unwrap_or(0);
    let data = revision_data(&spec.template);
    let number = next_number(&known);
    let equal = known.iter().rev().find(|revision| holds(revision, &data));
    let update = match (equal, known.last()) {
        (Some(equal), Some(last)) if equal.metadata.uid == last.metadata.uid => last.clone(),
        (Some(equal), _) if equal.revision == number => equal.clone(),
        (Some(equal), _) => {
            let mut renumbered = (**equal).clone();
            renumbered.revision = number;
            api.update(renumbered)?
        }
        (None, _) => loop {
            let hash = template_hash::of_revision(&data, collisions);
            let label = (STATEFUL_HASH_LABEL, hash.as_str());
            match api.create(new_revision(&**set, &spec.template, label, number)) {
                Err(ApiError::AlreadyExists { .. }) => collisions = collisions.saturating_add(1),
                outcome => break outcome?,
            }
        },
    };
    let current = status.current_revision.as_deref();
    let current = known
        .iter()
        .find(|revision| Some(name_of(&revision.metadata)) == current);
    let version = |revision: &Arc<ControllerRevision>| Version {
        template: template_of(revision).unwrap_or_else(|| spec.template.clone()),
        revision: revision.clone(),
    };
    Ok(Revisions {
        current: version(current.unwrap_or(&update)),
        update: version(&update),
        collisions,
    })
}

/// The revisions beyond `revisionHistoryLimit`, oldest first; those in use do not count.
pub(super) fn surplus(
    sync: &Sync<'_>,
    own: &[Arc<Pod>],
    known: &[Arc<ControllerRevision>],
) -> Vec<Key> {
    let mut live: BTreeSet<&str> = BTreeSet::new();
    live.extend([sync.revisions.current.name(), sync.revisions.update.name()]);
    live.extend(own.iter().map(|pod| pod_util::label_of(pod, REVISION_HASH)));
    let mut unused: Vec<&Arc<ControllerRevision>> = known
        .iter()
        .filter(|revision| !live.contains(name_of(&revision.metadata)))
        .collect();
    sort::sort_by(&mut unused, |a, b| by_number(a, b));
    let limit = sync.spec.revision_history_limit.unwrap_or(10);
    let surplus = unused
        .len()
        .saturating_sub(usize::try_from(limit).unwrap_or(0));
    unused
        .into_iter()
        .take(surplus)
        .map(|revision| Key::of(&revision.metadata))
        .collect()
}
