//! The revisions of a DaemonSet: that of the current template, and the old ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, DaemonSetSpec};

use super::Sync;
use crate::controllers::revisions::{by_number, holds, new_revision, next_number};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::Key;
use berth_base::sort;
use berth_core::api::template_hash::{self, revision_data};
use berth_core::api::workloads::REVISION_HASH;

/// The revisions in one sync.
pub(super) struct History {
    /// The hash of the current template.
    pub hash: String,
    /// The old revisions, oldest first.
    old: Vec<Arc<ControllerRevision>>,
}

impl History {
    /// Finds or creates the revision of the current template. An older revision with the same template gets the next
    /// number.
    pub(super) fn of(
        set: &Arc<DaemonSet>,
        spec: &DaemonSetSpec,
        known: &[Arc<ControllerRevision>],
        api: &mut ApiServer,
    ) -> Result<Self, ApiError> {
        let data = revision_data(&spec.template);
        let (mut same, mut old): (Vec<_>, Vec<_>) = known
            .iter()
            .cloned()
            .partition(|revision| holds(revision, &data));
        sort::sort_by(&mut same, by_number);
        sort::sort_by(&mut old, by_number);
        let number = next_number(&old);
        let current = match same.pop() {
            Some(current) if current.revision < number => {
                let mut renumbered = (*current).clone();
                renumbered.revision = number;
                api.update(renumbered)?
            }
            Some(current) => current,
            None => snapshot(set, spec, number, api)?,
        };
        let labels = current.metadata.labels.as_ref();
        let hash = labels.and_then(|all| all.get(REVISION_HASH).cloned());
        Ok(History {
            hash: hash.unwrap_or_default(),
            old,
        })
    }
}

fn snapshot(
    set: &Arc<DaemonSet>,
    spec: &DaemonSetSpec,
    number: i64,
    api: &mut ApiServer,
) -> Result<Arc<ControllerRevision>, ApiError> {
    let collisions = set
        .status
        .as_ref()
        .and_then(|status| status.collision_count);
    let hash = template_hash::of_template(&spec.template, collisions);
    let label = (REVISION_HASH, hash.as_str());
    let created = api.create(new_revision(&**set, &spec.template, label, number));
    if let Err(ApiError::AlreadyExists { .. }) = &created {
        // The hash collides with another template's; the next sync includes the collision count.
        let mut updated = (**set).clone();
        let status = updated.status.get_or_insert_default();
        status.collision_count = Some(status.collision_count.unwrap_or(0).saturating_add(1));
        api.update_status(&updated)?;
    }
    created
}

impl Sync<'_> {
    /// Deletes old revisions beyond `revisionHistoryLimit`, the oldest first. Revisions in use by Pods are kept, but
    /// count toward the limit.
    pub(super) fn clean_up(&mut self, history: &History) -> Result<(), ApiError> {
        let limit = self.spec.revision_history_limit.unwrap_or(10);
        let surplus = history
            .old
            .len()
            .saturating_sub(usize::try_from(limit).unwrap_or(0));
        let own = self.by_node.values().flatten();
        let live: BTreeSet<&str> =
            sort::gather(own.map(|pod| pod_util::label_of(pod, REVISION_HASH)));
        let unused = history.old.iter().filter(|revision| {
            let labels = revision.metadata.labels.as_ref();
            let hash = labels.and_then(|all| all.get(REVISION_HASH));
            hash.is_none_or(|hash| !live.contains(hash.as_str()))
        });
        let doomed = unused.take(surplus);
        let doomed: Vec<Key> = doomed.map(|revision| Key::of(&revision.metadata)).collect();
        for key in doomed {
            self.api.delete::<ControllerRevision>(&key)?;
        }
        Ok(())
    }
}
