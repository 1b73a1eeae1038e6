//! DaemonSets: run one Pod on each eligible node (`pkg/controller/daemon`, Kubernetes v1.34).

mod backoff;
mod history;
mod manage;
mod rolling;
mod status;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::api::core::v1::{Node, Pod, PodSpec};

use super::Controller;
use super::claim::claim;
use super::template::{create_pod, delete_pod, pod_of};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Change, Key, Store, name_of};
use crate::workqueue::WorkQueue;
use berth_base::sort;
use berth_core::api::prepare::node_fit::{
    Daemon, add_daemon_tolerations, daemon_fits, pin_to, target_node,
};
use berth_core::api::workloads::{REVISION_HASH, label_daemon};
use berth_scheduler::release::ControllerRules;

use backoff::Backoff;

/// The maximum number of Pods created, and of Pods deleted, in one sync.
const BURST: usize = 250;

/// The controller of DaemonSets.
#[derive(Clone, Debug)]
pub struct DaemonSetController {
    queue: WorkQueue,
    /// Backoff for failed Pods, by DaemonSet and node.
    backoff: Backoff,
    rules: ControllerRules,
}

impl DaemonSetController {
    pub fn new(queue: WorkQueue, rules: ControllerRules) -> Self {
        DaemonSetController {
            queue,
            rules,
            backoff: Backoff::default(),
        }
    }
}

impl Controller for DaemonSetController {
    fn component(&self) -> &'static str {
        "daemonset-controller"
    }

    fn observe(&mut self, change: &Change, cache: &Store, now_ms: i64) {
        watch::observe(self.rules, change, cache, &mut self.queue, now_ms);
    }

    fn queue(&mut self) -> &mut WorkQueue {
        &mut self.queue
    }

    fn sync(&mut self, key: &Key, cache: &Store, api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(set) = cache.daemon_sets.get(key) else {
            return Ok(());
        };
        let Some(spec) = set.spec.clone() else {
            return Ok(());
        };
        if set.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let candidates = cache.controller_revisions.claimable(&set.metadata);
        let known = claim(&**set, &spec.selector, candidates, api)?;
        let history = history::History::of(set, &spec, &known, api)?;
        let candidates = cache.pods.claimable(&set.metadata);
        let own = claim(&**set, &spec.selector, candidates, api)?;
        let daemon = daemon_spec(&spec);
        let nodes = cache.nodes.iter();
        let mut sync = Sync {
            set,
            spec,
            hash: history.hash.clone(),
            nodes: nodes
                .map(|node| (node, daemon_fits(&daemon, node)))
                .collect(),
            daemon: &daemon,
            by_node: by_node(&own),
            api,
            queue: &mut self.queue,
            backoff: &mut self.backoff,
        };
        let worked = sync.run(&history);
        let written = sync.write_status();
        worked.and(written)
    }
}

/// One sync of a DaemonSet.
struct Sync<'a> {
    set: &'a Arc<DaemonSet>,
    spec: DaemonSetSpec,
    /// The template's Pod spec with the tolerations of daemons.
    daemon: &'a PodSpec,
    /// The hash of the current template.
    hash: String,
    /// All nodes, and whether the daemon should run on each.
    nodes: Vec<(&'a Arc<Node>, Daemon)>,
    /// Its Pods by the node that they are bound to or pinned to.
    by_node: BTreeMap<&'a str, Vec<&'a Arc<Pod>>>,
    api: &'a mut ApiServer,
    queue: &'a mut WorkQueue,
    backoff: &'a mut Backoff,
}

impl Sync<'_> {
    fn run(&mut self, history: &history::History) -> Result<(), ApiError> {
        let managed = self.manage()?;
        // Pods that were just created or deleted are not in the cache yet, so the update waits for the next sync (the
        // real controller uses expectations).
        if !managed && self.is_rolling_update() {
            self.roll()?;
        }
        self.clean_up(history)
    }

    fn is_rolling_update(&self) -> bool {
        let strategy = self.spec.update_strategy.as_ref();
        let kind = strategy.and_then(|strategy| strategy.type_.as_deref());
        kind.unwrap_or("RollingUpdate") == "RollingUpdate"
    }

    fn min_ready_seconds(&self) -> i32 {
        self.spec.min_ready_seconds.unwrap_or(0)
    }

    fn is_available(&self, pod: &Pod) -> bool {
        pod_util::is_available(pod, self.min_ready_seconds(), self.api.now_ms())
    }

    /// Whether a Pod was created from the current template.
    fn is_updated(&self, pod: &Pod) -> bool {
        pod_util::label_of(pod, REVISION_HASH) == self.hash
    }

    /// The number of nodes that should run a Pod.
    fn desired(&self) -> i32 {
        let wanted = self
            .nodes
            .iter()
            .filter(|(_, fits)| *fits == Daemon::ShouldRun);
        i32::try_from(wanted.count()).unwrap_or(i32::MAX)
    }

    /// Creates Pods on nodes and deletes Pods. Returns whether there were any.
    fn write_pods(&mut self, create: &[&str], delete: &[&Arc<Pod>]) -> Result<bool, ApiError> {
        for node in create.iter().take(BURST) {
            let mut pod = pod_of(&**self.set, &self.spec.template);
            let labels = pod.metadata.labels.get_or_insert_default();
            label_daemon(self.set, &self.hash, labels);
            let mut spec = self.daemon.clone();
            pin_to(&mut spec, node);
            pod.spec = Some(spec);
            create_pod(&**self.set, pod, self.api)?;
        }
        for pod in delete.iter().take(BURST) {
            delete_pod(&**self.set, pod, self.api)?;
        }
        Ok(!create.is_empty() || !delete.is_empty())
    }
}

/// The spec of a daemon's Pod before it is pinned to a node.
fn daemon_spec(spec: &DaemonSetSpec) -> PodSpec {
    let mut daemon = spec.template.spec.clone().unwrap_or_default();
    add_daemon_tolerations(&mut daemon);
    daemon
}

/// Pods by node, without finished Pods that are being deleted.
fn by_node(own: &[Arc<Pod>]) -> BTreeMap<&str, Vec<&Arc<Pod>>> {
    let mut by_node: BTreeMap<&str, Vec<&Arc<Pod>>> = BTreeMap::new();
    for pod in own {
        let node = pod.spec.as_ref().and_then(target_node);
        if let Some(node) = node
            && !(pod_util::is_finished(pod) && pod_util::is_terminating(pod))
        {
            by_node.entry(node).or_default().push(pod);
        }
    }
    by_node
}

/// Sorts bound Pods first, then by age, then by name.
fn sort_by_age(own: &mut [&Arc<Pod>]) {
    sort::sort_by(own, |a, b| by_age(a).cmp(&by_age(b)));
}

fn by_age(pod: &Pod) -> (bool, i64, &str) {
    let bound = !pod_util::node_of(pod).is_empty();
    (!bound, pod_util::created_ms(pod), name_of(&pod.metadata))
}

#[cfg(test)]
mod tests;
