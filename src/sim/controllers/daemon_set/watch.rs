//! Which DaemonSets a change concerns.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::{daemon_spec, selector};
use crate::api::prepare::node_fit::{Daemon, daemon_fits};
use crate::sim::controllers::claim::{resolve, resolve_reference, suitors};
use crate::sim::pod_util;
use crate::sim::store::{Change, Key, Store, controller_of};
use crate::sim::workqueue::WorkQueue;

pub(super) fn observe(change: &Change, cache: &Store, queue: &mut WorkQueue, now_ms: i64) {
    if let Some((before, after)) = change.of::<DaemonSet>() {
        if let Some(set) = after.or(before) {
            queue.add(Key::of(&set.metadata));
        }
    } else if let Some((before, after)) = change.of::<Pod>() {
        observe_pod(before, after, cache, queue, now_ms);
    } else if let Some((before, Some(node))) = change.of::<Node>() {
        observe_node(before, node, cache, queue);
    } else if let Some((Some(revision), _)) = change.of::<ControllerRevision>()
        && let Some(set) = resolve::<DaemonSet>(cache, &revision.metadata)
    {
        // A new one is its own.
        queue.add(Key::of(&set.metadata));
    }
}

fn observe_pod(
    before: Option<&Arc<Pod>>,
    after: Option<&Arc<Pod>>,
    cache: &Store,
    queue: &mut WorkQueue,
    now_ms: i64,
) {
    let Some(pod) = after.or(before) else { return };
    let owner = controller_of(&pod.metadata);
    let old = before.and_then(|before| controller_of(&before.metadata));
    if let Some(old) = old.filter(|old| owner != Some(*old))
        && let Some(set) = resolve_reference::<DaemonSet>(cache, &pod.metadata, old)
    {
        queue.add(Key::of(&set.metadata));
    }
    if owner.is_none() {
        let relabeled = before.is_none_or(|it| it.metadata.labels != pod.metadata.labels);
        if after.is_some() && (relabeled || old.is_some()) {
            for key in suitors(cache, &pod.metadata, selector) {
                queue.add(key);
            }
        }
        return;
    }
    let Some(set) = resolve::<DaemonSet>(cache, &pod.metadata) else {
        return;
    };
    let key = Key::of(&set.metadata);
    queue.add(key.clone());
    let spec = set.spec.as_ref();
    let wait = spec.and_then(|spec| spec.min_ready_seconds).unwrap_or(0);
    let got_ready = before.is_some_and(|it| !pod_util::is_ready(it)) && pod_util::is_ready(pod);
    if wait > 0 && after.is_some() && got_ready && !pod_util::is_terminating(pod) {
        // A second more, for clocks that differ.
        queue.add_after(key, (i64::from(wait) + 1) * 1_000, now_ms);
    }
}

/// A node concerns the DaemonSets that stand otherwise with it than before.
fn observe_node(before: Option<&Arc<Node>>, node: &Node, cache: &Store, queue: &mut WorkQueue) {
    for set in cache.daemon_sets.iter() {
        let Some(spec) = &set.spec else { continue };
        let daemon = daemon_spec(spec);
        let was = before.map_or(Daemon::MustNotRun, |before| daemon_fits(&daemon, before));
        let is = daemon_fits(&daemon, node);
        if was != is {
            queue.add(Key::of(&set.metadata));
        }
    }
}
