//! The health of nodes by their heartbeats, and the conditions of a node without them (`tryUpdateNodeHealth`).

use k8s_openapi::api::core::v1::{Node, NodeCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::next_round;
use crate::server::ApiServer;
use crate::store::name_of;

/// How long a node may send no heartbeat (`--node-monitor-grace-period`, 50 s since v1.32).
const GRACE_MS: i64 = 50_000;
/// The same for a node that has never posted a status (`--node-startup-grace-period`).
const STARTUP_GRACE_MS: i64 = 60_000;

/// Conditions that a kubelet posts; another component posts `NetworkUnavailable`.
const KUBELET_CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// The status of the condition `Ready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    True,
    False,
    Unknown,
    Missing,
}

/// The health data of a node, kept between rounds.
#[derive(Clone, Debug)]
pub(super) struct Health {
    /// When the last heartbeat was observed, in milliseconds: the time of the observing round.
    heard_ms: i64,
    /// `lastHeartbeatTime` of `Ready`.
    heartbeat: Option<Time>,
    /// When its heartbeats stopped, as of the last round.
    silent_since_ms: Option<i64>,
}

impl Health {
    pub(super) fn new(node: &Node, now_ms: i64) -> Self {
        Health {
            heard_ms: now_ms,
            heartbeat: heartbeat(node),
            silent_since_ms: None,
        }
    }

    /// Checks for heartbeats since the last round.
    pub(super) fn listen(&mut self, node: &Node, api: &ApiServer) {
        let now = api.now_ms();
        let silent_since = api.silent_since(name_of(&node.metadata));
        let heartbeat = heartbeat(node);
        match silent_since {
            None => self.heard_ms = now,
            // Its last heartbeat was observed in the following round.
            Some(since) if self.silent_since_ms != silent_since => {
                self.heard_ms = next_round(since).min(now);
            }
            Some(_) if heartbeat != self.heartbeat => self.heard_ms = now,
            Some(_) => {}
        }
        self.heartbeat = heartbeat;
        self.silent_since_ms = silent_since;
    }

    /// Restarts all observations after a time in which no node sent heartbeats.
    pub(super) fn restart_observation(&mut self, now_ms: i64) {
        self.heard_ms = now_ms;
    }

    /// When the node's grace period ends, in milliseconds; `None` if it sends heartbeats or is already `Unknown`.
    pub(super) fn end_ms(&self, node: &Node) -> Option<i64> {
        self.silent_since_ms?;
        let grace = match ready_of(node) {
            Ready::Unknown => return None,
            Ready::Missing => STARTUP_GRACE_MS,
            Ready::True | Ready::False => GRACE_MS,
        };
        Some(self.heard_ms.saturating_add(grace))
    }
}

/// The node with its kubelet's conditions set to `Unknown`, after too long a time without heartbeats.
pub(super) fn with_unknown_conditions(node: &Node, now: &Time) -> Node {
    let mut node = node.clone();
    let created = node.metadata.creation_timestamp.clone();
    let status = node.status.get_or_insert_default();
    let conditions = status.conditions.get_or_insert_default();
    for kind in KUBELET_CONDITIONS {
        let Some(known) = conditions.iter_mut().find(|it| it.type_ == kind) else {
            conditions.push(NodeCondition {
                type_: kind.to_owned(),
                status: "Unknown".to_owned(),
                reason: Some("NodeStatusNeverUpdated".to_owned()),
                message: Some("Kubelet never posted node status.".to_owned()),
                last_heartbeat_time: created.clone(),
                last_transition_time: Some(now.clone()),
            });
            continue;
        };
        if known.status != "Unknown" {
            known.status = "Unknown".to_owned();
            known.reason = Some("NodeStatusUnknown".to_owned());
            known.message = Some("Kubelet stopped posting node status.".to_owned());
            known.last_transition_time = Some(now.clone());
        }
    }
    node
}

fn ready_condition(node: &Node) -> Option<&NodeCondition> {
    let conditions = node.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().find(|it| it.type_ == "Ready")
}

/// The condition `Ready` of a node.
pub(super) fn ready_of(node: &Node) -> Ready {
    match ready_condition(node).map(|it| it.status.as_str()) {
        Some("True") => Ready::True,
        Some("False") => Ready::False,
        Some(_) => Ready::Unknown,
        None => Ready::Missing,
    }
}

/// `lastHeartbeatTime` of `Ready`.
pub(super) fn heartbeat(node: &Node) -> Option<Time> {
    ready_condition(node)?.last_heartbeat_time.clone()
}
