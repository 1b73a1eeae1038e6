//! A stable hash of the state, and an audit that recomputes all derived state.

use std::collections::BTreeMap;

use k8s_openapi::api::resource::v1::ResourceClaim;

use super::class::ClassIx;
use super::counts::NodeCounts;
use super::node::NodeInfo;
use super::{Cluster, NodeIx};
use crate::cluster::devices::allocation_of;
use berth_base::hash::Fnv;
use berth_base::sort;

fn add_node(hash: &mut Fnv, node: &NodeInfo) {
    hash.text(&node.name);
    for (key, value) in node.labels.iter() {
        hash.text(key);
        hash.text(value);
    }
    for taint in node.taints.iter() {
        hash.text(&taint.key);
        hash.text(taint.value.as_deref().unwrap_or_default());
        hash.text(&taint.effect);
    }
    hash.number(i64::from(node.unschedulable));
    hash.number(node.allowed_pods);
    for resources in [&node.allocatable, &node.requested] {
        hash.number(resources.milli_cpu);
        hash.number(resources.memory_bytes);
        hash.number(resources.ephemeral_storage_bytes);
        for (name, amount) in &resources.scalars {
            hash.text(name);
            hash.number(*amount);
        }
    }
}

fn add_claim(hash: &mut Fnv, claim: &ResourceClaim) {
    hash.text(claim.metadata.namespace.as_deref().unwrap_or_default());
    hash.text(claim.metadata.name.as_deref().unwrap_or_default());
    let results = allocation_of(claim).and_then(|it| it.devices.as_ref()?.results.as_ref());
    for result in results.into_iter().flatten() {
        for text in [
            &result.request,
            &result.driver,
            &result.pool,
            &result.device,
        ] {
            hash.text(text);
        }
    }
    let consumers = claim
        .status
        .as_ref()
        .and_then(|it| it.reserved_for.as_ref());
    for consumer in consumers.into_iter().flatten() {
        hash.text(&consumer.uid);
    }
}

/// The hash of a text; the same on every platform.
pub fn of_text(text: &str) -> u64 {
    let mut hash = Fnv::new();
    hash.text(text);
    hash.0
}

impl Cluster {
    /// A hash of nodes, Pods, placements, nominations, claims and budgets. Equal states have equal
    /// hashes on every platform, whatever events led to them.
    pub fn digest(&self) -> u64 {
        let mut hash = Fnv::new();
        for node in self.nodes() {
            add_node(&mut hash, node);
        }
        for pod in self.pods.iter() {
            hash.text(&pod.object.namespace);
            hash.text(&pod.object.name);
            hash.text(pod.object.node_name.as_deref().unwrap_or_default());
            hash.text(pod.object.nominated_node.as_deref().unwrap_or_default());
            hash.number(pod.object.start_ms.unwrap_or(0));
            hash.number(i64::from(pod.object.terminating));
            hash.bytes(&self.spec_of(pod).fingerprint.to_le_bytes());
            for (key, value) in &pod.object.template.labels {
                hash.text(key);
                hash.text(value);
            }
        }
        for ((namespace, name), claim) in &self.volumes.claims {
            hash.text(namespace);
            hash.text(name);
            let spec = claim.spec.as_ref();
            hash.text(
                spec.and_then(|spec| spec.volume_name.as_deref())
                    .unwrap_or_default(),
            );
        }
        for claim in self.devices.claims() {
            add_claim(&mut hash, claim);
        }
        for ((namespace, name), budget) in &self.budgets {
            hash.text(namespace);
            hash.text(name);
            let status = budget.status.as_ref();
            hash.number(
                status
                    .and_then(|status| status.disruptions_allowed)
                    .map_or(0, i64::from),
            );
        }
        hash.0
    }

    /// Recomputes all sums and counts from the Pods and compares them with the incrementally
    /// maintained ones.
    ///
    /// # Errors
    /// Names the first difference.
    pub fn audit(&self) -> Result<(), String> {
        let mut counts: BTreeMap<ClassIx, NodeCounts> = BTreeMap::new();
        let mut nodes: BTreeMap<NodeIx, NodeInfo> = BTreeMap::new();
        for pod in self.pods.iter() {
            let Some(node) = pod.node else {
                continue;
            };
            let terminating = pod.object.terminating;
            let count = counts.entry(pod.class).or_default();
            count.add(node, u32::from(!terminating), u32::from(terminating));
            let fresh = || NodeInfo::new(node, self.node(node).object.clone());
            nodes
                .entry(node)
                .or_insert_with(fresh)
                .add_pod(pod.ix, self.spec_of(pod));
        }
        for node in self.nodes() {
            let fresh = nodes
                .remove(&node.ix)
                .unwrap_or_else(|| NodeInfo::new(node.ix, node.object.clone()));
            audit_node(node, &fresh)?;
        }
        for class in self.classes.indices() {
            let derived = counts.remove(&class).unwrap_or_default();
            if *self.placed(class) != derived {
                return Err(format!("Pods of class {} per node", class.0));
            }
        }
        self.matchers
            .audit(&self.classes, &self.placed, &self.namespaces)
    }
}

fn audit_node(kept: &NodeInfo, derived: &NodeInfo) -> Result<(), String> {
    let sorted = |node: &NodeInfo| {
        let mut pods = node.pods.clone();
        sort::sort(&mut pods);
        pods
    };
    // A resource name keeps an amount of 0 after its last Pod was removed.
    let mut difference = kept.requested.clone();
    difference.subtract(&derived.requested);
    let is_zero = difference.milli_cpu == 0
        && difference.memory_bytes == 0
        && difference.ephemeral_storage_bytes == 0
        && difference.scalars.iter().all(|(_, amount)| *amount == 0);
    if !is_zero || kept.non_zero_requested != derived.non_zero_requested {
        return Err(format!("requests on node {}", kept.name));
    }
    // A port that two Pods held is free once one of them is removed, so `kept` may hold fewer ports.
    let is_held = |port| derived.used_ports.iter().any(|held| held.is_same(port));
    if sorted(kept) != sorted(derived) || !kept.used_ports.iter().all(is_held) {
        return Err(format!("Pods or ports on node {}", kept.name));
    }
    Ok(())
}
