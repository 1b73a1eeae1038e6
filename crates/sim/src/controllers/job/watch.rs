//! Enqueues the Jobs that a change affects, with a delay.

use std::borrow::Cow;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;

use super::{BATCH_MS, is_finished, selector};
use crate::controllers::claim::{matching_owners, resolve, resolve_reference};
use crate::pod_util;
use crate::server::ms_of;
use crate::store::{Change, Key, Store, controller_of};
use crate::workqueue::WorkQueue;
use berth_protocol::due::DueKind;

pub(super) fn observe(change: &Change, cache: &Store, queue: &mut WorkQueue, now_ms: i64) {
    if let Some((before, after)) = change.of::<Job>() {
        match (before, after) {
            (Some(before), Some(after)) => job_updated(before, after, queue, now_ms),
            (None, Some(job)) | (Some(job), None) => queue.add(Key::of(&job.metadata)),
            (None, None) => {}
        }
    } else if let Some((before, after)) = change.of::<Pod>() {
        let before = before.map(AsRef::as_ref);
        observe_pod(before, after.map(AsRef::as_ref), cache, queue, now_ms);
    }
}

/// Syncs a new spec at once; a new status, which the controller itself wrote, after the batch period.
fn job_updated(before: &Job, after: &Job, queue: &mut WorkQueue, now_ms: i64) {
    let key = Key::of(&after.metadata);
    let same = before.metadata.generation == after.metadata.generation;
    let delay = if same { BATCH_MS } else { 0 };
    queue.add_after(key.clone(), delay, now_ms);
    let limit = |job: &Job| {
        job.spec
            .as_ref()
            .and_then(|spec| spec.active_deadline_seconds)
    };
    let status = after.status.as_ref();
    let start = status.and_then(|status| status.start_time.as_ref());
    if let (Some(start), Some(seconds)) = (start, limit(after))
        && limit(before) != Some(seconds)
    {
        let remaining = ms_of(start) + seconds.saturating_mul(1_000) - now_ms;
        queue.add_due(DueKind::Deadline, key, remaining, now_ms);
    }
}

fn observe_pod(
    before: Option<&Pod>,
    after: Option<&Pod>,
    cache: &Store,
    queue: &mut WorkQueue,
    now_ms: i64,
) {
    let Some(pod) = after.or(before) else { return };
    let mut enqueue = |key: Key| queue.add_after(key, BATCH_MS, now_ms);
    let owner = controller_of(&pod.metadata);
    let old = before.and_then(|before| controller_of(&before.metadata));
    let leaves = after.is_none() || pod_util::is_terminating(pod);
    if let Some(old) = old.filter(|old| owner != Some(*old) && !leaves)
        && let Some(job) = resolve_reference::<Job>(cache, &pod.metadata, old)
    {
        enqueue(Key::of(&job.metadata));
    }
    if owner.is_some() {
        let job = resolve::<Job>(cache, &pod.metadata);
        if let Some(job) = job.filter(|job| !leaves || !is_finished(job)) {
            enqueue(Key::of(&job.metadata));
        }
        return;
    }
    let relabeled = before.is_none_or(|it| it.metadata.labels != pod.metadata.labels);
    if !leaves && (relabeled || old.is_some()) {
        for key in
            matching_owners::<Job>(cache, &pod.metadata, |job| selector(job).map(Cow::Borrowed))
        {
            enqueue(key);
        }
    }
}
