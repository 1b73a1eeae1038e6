//! Keeps one Pod on each node that should have one, and none on the others.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};

use super::{Sync, sort_by_age};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::ApiError;
use crate::store::{Key, name_of, namespace_of};
use berth_base::sort;
use berth_core::api::prepare::node_fit::Daemon;
use berth_protocol::due::DueKind;

/// The Pods to create, by node, and to delete.
#[derive(Default)]
struct Plan<'a> {
    create: Vec<&'a str>,
    delete: Vec<&'a Arc<Pod>>,
}

impl<'a> Sync<'a> {
    /// Creates and deletes Pods node by node. Returns whether there was anything to do.
    pub(super) fn manage(&mut self) -> Result<bool, ApiError> {
        let mut plan = Plan::default();
        for (node, fits) in self.nodes.clone() {
            self.look_at(node, fits, &mut plan);
        }
        self.drop_unbound_of_lost_nodes(&mut plan);
        self.write_pods(&plan.create, &plan.delete)
    }

    fn look_at(&mut self, node: &'a Node, fits: Daemon, plan: &mut Plan<'a>) {
        let name = name_of(&node.metadata);
        let own = self.by_node.get(name).cloned().unwrap_or_default();
        match fits {
            Daemon::ShouldRun if own.is_empty() => plan.create.push(name),
            Daemon::ShouldRun | Daemon::MayContinue => {
                let mut running = self.drop_finished(name, own, plan);
                sort_by_age(&mut running);
                if !self.surges() {
                    // Only the oldest Pod is kept.
                    plan.delete.extend(running.into_iter().skip(1));
                } else if running.len() > 1 {
                    self.judge_surge(&running, plan);
                } else if running.is_empty() && fits == Daemon::ShouldRun {
                    plan.create.push(name);
                }
            }
            Daemon::MustNotRun => {
                let there = own.into_iter();
                plan.delete
                    .extend(there.filter(|pod| !pod_util::is_terminating(pod)));
            }
        }
    }

    /// Plans the deletion of finished Pods, of failed ones only with backoff. Returns the other Pods.
    fn drop_finished(
        &mut self,
        node: &str,
        own: Vec<&'a Arc<Pod>>,
        plan: &mut Plan<'a>,
    ) -> Vec<&'a Arc<Pod>> {
        let now = self.api.now_ms();
        let mut running = Vec::new();
        for pod in own.into_iter().filter(|pod| !pod_util::is_terminating(pod)) {
            let (level, reason, text) = match pod_util::phase_of(pod) {
                "Failed" => {
                    let key = Key::of(&self.set.metadata);
                    let id = (key.to_string(), node.to_owned());
                    if let Some(delay) = self.backoff.pending(&id, now) {
                        self.queue.add_due(DueKind::Backoff, key, delay, now);
                        continue;
                    }
                    self.backoff.next(id, now);
                    let text = ("failed", "will try to kill it");
                    (Level::Warning, "FailedDaemonPod", text)
                }
                "Succeeded" => {
                    let text = ("succeeded", "will try to delete it");
                    (Level::Normal, "SucceededDaemonPod", text)
                }
                _ => {
                    running.push(pod);
                    continue;
                }
            };
            let (how, what) = text;
            let meta = &pod.metadata;
            let (namespace, name) = (namespace_of(meta), name_of(meta));
            let message =
                format!("Found {how} daemon pod {namespace}/{name} on node {node}, {what}");
            let event = Event::new(&**self.set, level, reason, message);
            self.api.event(event);
            plan.delete.push(pod);
        }
        running
    }

    /// Of several Pods on a node, the oldest of the current template and the oldest other one are kept, until the
    /// former is available or the latter is no longer ready.
    fn judge_surge(&self, running: &[&'a Arc<Pod>], plan: &mut Plan<'a>) {
        let mut new = running.iter().filter(|pod| self.is_updated(pod));
        let mut old = running.iter().filter(|pod| !self.is_updated(pod));
        let (first_new, first_old) = (new.next(), old.next());
        let rest = running.iter().filter(|pod| {
            let is = |first: Option<&&Arc<Pod>>| first.is_some_and(|first| Arc::ptr_eq(first, pod));
            !is(first_new) && !is(first_old)
        });
        plan.delete.extend(rest);
        if let (Some(new), Some(old)) = (first_new, first_old)
            && (!pod_util::is_ready(old) || self.is_available(new))
        {
            plan.delete.push(old);
        }
    }

    /// The names of all nodes.
    pub(super) fn node_names(&self) -> BTreeSet<&'a str> {
        let nodes = self.nodes.iter();
        sort::gather(nodes.map(|(node, _)| name_of(&node.metadata)))
    }

    /// Plans the deletion of unbound Pods whose node is gone, since they could never be scheduled.
    fn drop_unbound_of_lost_nodes(&self, plan: &mut Plan<'a>) {
        let nodes = self.node_names();
        for (node, own) in &self.by_node {
            let unbound = own.iter().filter(|pod| pod_util::node_of(pod).is_empty());
            plan.delete
                .extend(unbound.filter(|_| !nodes.contains(node)));
        }
    }
}
