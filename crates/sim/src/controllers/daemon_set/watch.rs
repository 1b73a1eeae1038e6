//! Enqueues the DaemonSets that a change affects.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::daemon_spec;
use crate::controllers::claim::resolve;
use crate::controllers::owned_pods::observe_pod;
use crate::store::{Change, Key, Store, name_of, uid_of};
use crate::workqueue::WorkQueue;
use berth_core::api::prepare::node_fit::{Daemon, daemon_fits, target_node};
use berth_scheduler::release::ControllerRules;

pub(super) fn observe(
    rules: ControllerRules,
    change: &Change,
    cache: &Store,
    queue: &mut WorkQueue,
    now_ms: i64,
) {
    if let Some((before, after)) = change.of::<DaemonSet>() {
        if let Some(set) = after.or(before) {
            queue.add(Key::of(&set.metadata));
        }
    } else if let Some((before, after)) = change.of::<Pod>() {
        let (before, after) = (before.map(AsRef::as_ref), after.map(AsRef::as_ref));
        observe_pod::<DaemonSet>(before, after, cache, queue, now_ms);
    } else if let Some((before, Some(node))) = change.of::<Node>() {
        match rules.node_wakes_affected_only {
            true => wake_affected(node, cache, queue),
            false => observe_node(before, node, cache, queue),
        }
    } else if let Some((Some(revision), _)) = change.of::<ControllerRevision>()
        && let Some(set) = resolve::<DaemonSet>(cache, &revision.metadata)
    {
        // New revisions are ignored: the controller itself creates them.
        queue.add(Key::of(&set.metadata));
    }
}

/// Enqueues the DaemonSets that have something to do on the node, or miscount it (`syncNodeUpdate`).
fn wake_affected(node: &Node, cache: &Store, queue: &mut WorkQueue) {
    let name = name_of(&node.metadata);
    for set in cache.daemon_sets.iter() {
        let Some(spec) = &set.spec else { continue };
        let fits = daemon_fits(&daemon_spec(spec), node);
        let own = cache.pods.controlled_by(uid_of(&set.metadata));
        let mut targets = own.filter_map(|pod| pod.spec.as_ref().and_then(target_node));
        let has_pod = targets.any(|target| target == name);
        let status = set.status.as_ref();
        let misplaced = status.is_some_and(|status| status.number_misscheduled > 0);
        let matters = match has_pod {
            true => fits == Daemon::MustNotRun || misplaced,
            false => fits == Daemon::ShouldRun,
        };
        if matters {
            queue.add(Key::of(&set.metadata));
        }
    }
}

/// Enqueues the DaemonSets whose eligibility for the node has changed.
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
