//! A round of the monitor: registers and removes nodes, checks heartbeats, adds taints, and updates the state of
//! zones (`monitorNodeHealth`).

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::health::{Health, Ready, heartbeat, ready_of, with_unknown_conditions};
use super::taints::{has, swap};
use super::zones::{Census, Verdict, zone_of};
use super::{NodeLifecycleController, mark_not_ready, next_round, taint_key};
use crate::audit_log::{Event, Level};
use crate::server::ApiServer;
use crate::store::{Key, Store, name_of, uid_of};
use berth_core::api::prepare::node_fit::{NOT_READY, UNREACHABLE};

/// Nodes with this label are excluded from the count of healthy nodes of a zone.
const EXCLUDED: &str = "node.kubernetes.io/exclude-disruption";

/// The fields of a node that a round depends on.
pub(super) type MonitoredFields = (Ready, Option<Time>, bool, bool, String, bool);

/// The fields of a node that a round depends on; only their changes trigger a round.
pub(super) fn monitored_fields(node: &Node) -> MonitoredFields {
    (
        ready_of(node),
        heartbeat(node),
        has(node, NOT_READY),
        has(node, UNREACHABLE),
        zone_of(node),
        is_excluded(node),
    )
}

fn is_excluded(node: &Node) -> bool {
    let labels = node.metadata.labels.as_ref();
    labels.is_some_and(|labels| labels.contains_key(EXCLUDED))
}

impl NodeLifecycleController {
    /// Runs one round.
    pub(super) fn round(&mut self, cache: &Store, api: &mut ApiServer) {
        let now = api.now_ms();
        self.last_round_ms = Some(now);
        self.add_new(cache, api);
        self.remove_deleted(cache, api);
        let mut census = Census::default();
        for node in cache.nodes.iter() {
            self.visit(node, &mut census, cache, api);
        }
        match self.zones.judge(&census, now) {
            Verdict::AllLost => {
                for node in cache.nodes.iter() {
                    self.mark_reachable(node, api);
                }
            }
            Verdict::SomeBack => {
                for health in self.health.values_mut() {
                    health.restart_observation(now);
                }
            }
            Verdict::Usual => {}
        }
        self.taint(cache, api);
        self.ask_for_the_next(cache, now);
    }

    /// Registers new nodes and zones.
    fn add_new(&mut self, cache: &Store, api: &mut ApiServer) {
        let now = api.now_ms();
        for node in cache.nodes.iter() {
            let name = name_of(&node.metadata);
            self.zones.add_zone(&zone_of(node), now);
            let uid = uid_of(&node.metadata).to_owned();
            if self.known.insert(name.to_owned(), uid).is_some() {
                continue;
            }
            let message = format!("Node {name} event: Registered Node {name} in Controller");
            api.event(Event::new(
                &**node,
                Level::Normal,
                "RegisteredNode",
                message,
            ));
            if ready_of(node) != Ready::Missing {
                self.mark_reachable(node, api);
            }
        }
    }

    /// Removes deleted nodes.
    fn remove_deleted(&mut self, cache: &Store, api: &mut ApiServer) {
        let gone = self.known.iter().filter(|(name, _)| {
            let key = Key::new("", name.as_str());
            cache.nodes.get(&key).is_none()
        });
        let gone: BTreeMap<String, String> =
            berth_base::sort::gather(gone.map(|(name, uid)| (name.clone(), uid.clone())));
        for (name, uid) in gone {
            self.known.remove(&name);
            self.health.remove(&name);
            let message = format!("Node {name} event: Removing Node {name} from Controller");
            let (key, reason) = (Key::new("", name), "RemovingNode");
            api.event(Event::about(
                "Node",
                key,
                uid,
                Level::Normal,
                reason,
                message,
            ));
        }
    }

    fn visit(&mut self, node: &Arc<Node>, census: &mut Census, cache: &Store, api: &mut ApiServer) {
        let name = name_of(&node.metadata);
        let now = api.now_ms();
        let health = self.health.entry(name.to_owned());
        let health = health.or_insert_with(|| Health::new(node, now));
        health.listen(node, api);
        let observed = ready_of(node);
        let mut current = observed;
        if health.end_ms(node).is_some_and(|end| end <= now) {
            let lost = with_unknown_conditions(node, &api.now());
            if api.update_status(&lost).is_err() {
                // On a conflict, the next round tries again.
                return;
            }
            current = Ready::Unknown;
        }
        if !is_excluded(node) {
            // A node without conditions counts as healthy.
            let is_well = matches!(current, Ready::True | Ready::Missing);
            census.count(&zone_of(node), is_well);
        }
        match observed {
            Ready::Missing => {}
            Ready::True => self.mark_reachable(node, api),
            Ready::False => self.handle_unhealthy(node, NOT_READY, UNREACHABLE, api),
            Ready::Unknown => self.handle_unhealthy(node, UNREACHABLE, NOT_READY, api),
        }
        if observed == Ready::True && current != Ready::True {
            let message = format!("Node {name} status is now: NodeNotReady");
            let event = Event::new(&**node, Level::Normal, "NodeNotReady", message);
            api.event(event);
            self.mark_pods(name, cache, api);
        }
    }

    fn mark_pods(&self, node: &str, cache: &Store, api: &mut ApiServer) {
        let pods = self.placed.on(node);
        let pods = pods.filter_map(|key| cache.pods.get(key));
        let pods: Vec<&Arc<Pod>> = pods.collect();
        for pod in pods {
            mark_not_ready(pod, api);
        }
    }

    /// Removes the NoExecute taints of a healthy node (`markNodeAsReachable`).
    fn mark_reachable(&mut self, node: &Node, api: &mut ApiServer) {
        let name = name_of(&node.metadata);
        swap(name, None, &[UNREACHABLE, NOT_READY], api);
        self.zones.unqueue(&zone_of(node), name);
    }

    /// Handles an unhealthy node: queues it for its taint, or replaces the other NoExecute taint by it.
    fn handle_unhealthy(&mut self, node: &Node, taint: &str, other: &str, api: &mut ApiServer) {
        let name = name_of(&node.metadata);
        if has(node, other) {
            swap(name, Some(taint), &[other], api);
        } else {
            let is_tainted = has(node, taint);
            self.zones.queue_taint(&zone_of(node), name, is_tainted);
        }
    }

    /// Taints the nodes that are due (`doNoExecuteTaintingPass`).
    pub(super) fn taint(&mut self, cache: &Store, api: &mut ApiServer) {
        let now = api.now_ms();
        while let Some(name) = self.zones.pop_due(now) {
            let Some(node) = cache.nodes.get(&Key::new("", name.as_str())) else {
                continue;
            };
            // This round may have written a newer version.
            let key = Key::of(&node.metadata);
            let ready = api.store().nodes.get(&key).map(|node| ready_of(node));
            match ready {
                Some(Ready::False) => swap(&name, Some(NOT_READY), &[UNREACHABLE], api),
                Some(Ready::Unknown) => swap(&name, Some(UNREACHABLE), &[NOT_READY], api),
                _ => {}
            }
        }
        if let Some(next) = self.zones.next_due() {
            self.queue.add_after(taint_key(), next - now, now);
        }
    }

    /// Schedules the round in which the next grace period ends.
    fn ask_for_the_next(&mut self, cache: &Store, now_ms: i64) {
        let ends = cache.nodes.iter().filter_map(|node| {
            let health = self.health.get(name_of(&node.metadata))?;
            health.end_ms(node)
        });
        let next = ends.filter(|end| *end > now_ms).min();
        if let Some(next) = next {
            self.ask_for_round(next_round(next), now_ms);
        }
    }
}
