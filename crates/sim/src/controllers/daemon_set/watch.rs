//! Enqueues the DaemonSets that a change affects.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::daemon_spec;
use crate::controllers::claim::resolve;
use crate::controllers::owned_pods::observe_pod;
use crate::store::{Change, Key, Store};
use crate::workqueue::WorkQueue;
use berth_core::api::prepare::node_fit::{Daemon, daemon_fits};

pub(super) fn observe(change: &Change, cache: &Store, queue: &mut WorkQueue, now_ms: i64) {
    if let Some((before, after)) = change.of::<DaemonSet>() {
        if let Some(set) = after.or(before) {
            queue.add(Key::of(&set.metadata));
        }
    } else if let Some((before, after)) = change.of::<Pod>() {
        let (before, after) = (before.map(AsRef::as_ref), after.map(AsRef::as_ref));
        observe_pod::<DaemonSet>(before, after, cache, queue, now_ms);
    } else if let Some((before, Some(node))) = change.of::<Node>() {
        observe_node(before, node, cache, queue);
    } else if let Some((Some(revision), _)) = change.of::<ControllerRevision>()
        && let Some(set) = resolve::<DaemonSet>(cache, &revision.metadata)
    {
        // New revisions are ignored: the controller itself creates them.
        queue.add(Key::of(&set.metadata));
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
