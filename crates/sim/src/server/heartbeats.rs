//! Kubelets that stop sending heartbeats, and what they report when they are back.
//!
//! Renewals of leases are not written. What is stored is the opposite: the nodes whose kubelets have stopped, and
//! since when.

use std::sync::Arc;

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::{Node, NodeCondition, Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{ApiError, ApiServer, time_at};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::store::{Change, Key, Object};

/// The conditions that a healthy kubelet reports: type, status, reason, message (kubelet v1.34 `nodestatus`).
pub(crate) const HEALTHY: [[&str; 4]; 4] = [
    [
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ],
    [
        "DiskPressure",
        "False",
        "KubeletHasNoDiskPressure",
        "kubelet has no disk pressure",
    ],
    [
        "PIDPressure",
        "False",
        "KubeletHasSufficientPID",
        "kubelet has sufficient PID available",
    ],
    [
        "Ready",
        "True",
        "KubeletReady",
        "kubelet is posting ready status",
    ],
];

impl ApiServer {
    /// Since when a node's kubelet has been silent, in milliseconds; `None` if it is not.
    pub fn silent_since(&self, node: &str) -> Option<i64> {
        self.silent.get(node).copied()
    }

    /// The nodes whose kubelets are silent, by name, and since when.
    pub fn silent_nodes(&self) -> impl Iterator<Item = (&str, i64)> {
        self.silent
            .iter()
            .map(|(name, since)| (name.as_str(), *since))
    }

    /// A node's kubelet stops: it posts no status and renews no lease, and does nothing for its Pods. Nothing happens
    /// if it is silent already. The conditions that it reported stay; missing ones are added as healthy.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn silence_node(&mut self, name: &str) -> Result<(), ApiError> {
        let node = self.node(name)?;
        if self.silent.contains_key(name) {
            return Ok(());
        }
        self.silent.insert(name.to_owned(), self.now_ms);
        self.count_write();
        let created = node.metadata.creation_timestamp.clone();
        let since = created.unwrap_or_else(|| time_at(self.now_ms));
        let mut posted = (*node).clone();
        let conditions = posted.status.get_or_insert_default();
        let conditions = conditions.conditions.get_or_insert_default();
        for condition in HEALTHY.map(|healthy| node_condition(healthy, &since)) {
            if !conditions.iter().any(|own| own.type_ == condition.type_) {
                conditions.push(condition);
            }
        }
        let node = self.update_status(&posted)?;
        // A change without a difference: it only makes the node lifecycle controller notice the missing renewals.
        let object = Object::Node(node);
        self.pending.push_back(Change {
            key: Key::new("", name),
            before: Some(object.clone()),
            after: Some(object),
            is_of_status: true,
        });
        Ok(())
    }

    /// The kubelet is back: it posts the status of its node and of its Pods. Nothing happens if it was not silent.
    ///
    /// # Errors
    /// If there is no such node.
    pub fn revive_node(&mut self, name: &str) -> Result<(), ApiError> {
        let node = self.node(name)?;
        if self.silent.remove(name).is_none() {
            return Ok(());
        }
        self.count_write();
        let now = time_at(self.now_ms);
        let mut posted = (*node).clone();
        let status = posted.status.get_or_insert_default();
        let mut returned = false;
        for condition in status.conditions.iter_mut().flatten() {
            let healthy = HEALTHY.iter().find(|healthy| healthy[0] == condition.type_);
            let Some(healthy) = healthy else { continue };
            condition.last_heartbeat_time = Some(now.clone());
            if condition.status == "Unknown" {
                *condition = node_condition(*healthy, &now);
                returned |= condition.type_ == "Ready";
            }
        }
        let node = self.update_status(&posted)?;
        if returned {
            let message = format!("Node {name} status is now: NodeReady");
            let event = Event::new(&*node, Level::Normal, "NodeReady", message);
            self.event(event.at("kubelet", name));
        }
        self.correct_readiness(name);
        Ok(())
    }

    /// Marks Pods as ready again whose containers are ready: only their node had made them not ready.
    fn correct_readiness(&mut self, node: &str) {
        let on_node = self
            .store
            .pods
            .iter()
            .filter(|pod| pod_util::node_of(pod) == node && !pod_util::is_finished(pod));
        let wrong = on_node.filter(|pod| {
            let containers = pod_util::condition(pod, "ContainersReady");
            containers.is_some_and(|it| it.status == "True") && !pod_util::is_ready(pod)
        });
        let wrong: Vec<Arc<Pod>> = wrong.cloned().collect();
        let now = self.now();
        for pod in wrong {
            let mut pod = (*pod).clone();
            let ready = PodCondition {
                type_: "Ready".to_owned(),
                status: "True".to_owned(),
                ..PodCondition::default()
            };
            pod_util::set_condition(&mut pod, ready, &now);
            // Cannot conflict: the Pod was just read.
            let _ = self.update_status(&pod);
        }
    }

    fn node(&self, name: &str) -> Result<Arc<Node>, ApiError> {
        let key = Key::new("", name);
        let node = self.store.nodes.get(&key).cloned();
        node.ok_or(ApiError::NotFound {
            kind: Node::KIND,
            key,
        })
    }
}

/// A condition with `since` as its times.
pub(crate) fn node_condition(
    [kind, status, reason, message]: [&str; 4],
    since: &Time,
) -> NodeCondition {
    NodeCondition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_heartbeat_time: Some(since.clone()),
        last_transition_time: Some(since.clone()),
    }
}
