//! The kubelets' nodes: which exist, which resources and ports are in use, and which kubelets are stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use crate::store::{Key, name_of};
use berth_core::api::prepare::nodes::settle_node;
use berth_scheduler::cluster::resources::{Resources, amount};
use berth_scheduler::cluster::spec::HostPort;

/// The first Pod CIDR, 10.244.0.0; each node has 256 addresses.
const POD_NETWORK: u32 = 0x0af4_0000;
/// The first node address, 172.18.0.2, as in kind.
const NODE_NETWORK: u32 = 0xac12_0002;

/// Pods that a kubelet rejects per second. Controllers replace them at once; in a real cluster, their client's rate
/// limit (`--kube-api-qps`, 20) bounds the replacements. Without a bound, one instant would never end.
const REFUSALS: u32 = 20;

/// A node as its kubelet sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeState {
    /// The node's index in order of creation.
    number: u32,
    /// Pod addresses assigned so far.
    came: u32,
    pub is_there: bool,
    /// Pods that use resources: those that were admitted and have not ended.
    pub pods: BTreeSet<Key>,
    pub used: Resources,
    /// Host ports in use, by Pod.
    ports: BTreeMap<Key, Vec<HostPort>>,
    pub stopped_since: Option<i64>,
    /// Pods that changed while the kubelet was stopped.
    pub parked: BTreeSet<Key>,
    /// The second in which Pods were last rejected, and their number.
    refused: (i64, u32),
    /// When memory was last below the threshold; set while the node reports `MemoryPressure`.
    pub pressure_seen: Option<i64>,
    facts: Option<Arc<Facts>>,
}

/// What a node offers.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    version: String,
    pub allocatable: Resources,
    pub pods: i64,
    /// The memory capacity of the node.
    pub memory_bytes: i64,
}

/// All nodes by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    by_name: BTreeMap<String, NodeState>,
    seen: u32,
}

impl Nodes {
    pub fn get(&self, name: &str) -> Option<&NodeState> {
        self.by_name.get(name)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut NodeState> {
        self.by_name.get_mut(name)
    }

    /// Handles a new node.
    pub fn came(&mut self, node: &Node) {
        let name = name_of(&node.metadata);
        if let Some(state) = self.by_name.get_mut(name) {
            state.is_there = true;
            return;
        }
        let number = self.seen;
        self.seen += 1;
        let state = NodeState {
            number,
            is_there: true,
            ..NodeState::default()
        };
        self.by_name.insert(name.to_owned(), state);
    }

    /// Handles the deletion of a node with its kubelet. Returns its Pods, including those that a stopped kubelet had
    /// not seen.
    pub fn went(&mut self, name: &str) -> BTreeSet<Key> {
        let Some(state) = self.by_name.get_mut(name) else {
            return BTreeSet::new();
        };
        let mut pods = std::mem::take(&mut state.pods);
        pods.append(&mut state.parked);
        *state = NodeState {
            number: state.number,
            ..NodeState::default()
        };
        pods
    }

    /// Whether the kubelet of the node is stopped.
    pub fn is_stopped(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|state| state.stopped_since.is_some())
    }

    /// Defers a change of a Pod if the kubelet of its node is stopped; returns whether it did.
    pub fn park(&mut self, node: &str, key: &Key) -> bool {
        let state = self.get_mut(node);
        let stopped = state.filter(|state| state.stopped_since.is_some());
        stopped
            .map(|state| state.parked.insert(key.clone()))
            .is_some()
    }

    /// Adds a Pod's requests and ports to those in use on its node.
    pub fn admit(&mut self, node: &str, key: &Key, requests: &Resources, ports: &[HostPort]) {
        if let Some(state) = self.by_name.get_mut(node)
            && state.pods.insert(key.clone())
        {
            state.used.add(requests);
            if !ports.is_empty() {
                state.ports.insert(key.clone(), ports.to_vec());
            }
        }
    }

    /// Subtracts a Pod's requests and ports from those in use.
    pub fn release(&mut self, node: &str, key: &Key, requests: &Resources) {
        if let Some(state) = self.by_name.get_mut(node)
            && state.pods.remove(key)
        {
            state.used.subtract(requests);
            state.ports.remove(key);
            state.parked.remove(key);
        }
    }
}

impl NodeState {
    /// The node's internal address.
    pub fn host_ip(&self, node: &Node) -> String {
        host_ip(node).unwrap_or_else(|| ip(NODE_NETWORK.wrapping_add(self.number)))
    }

    /// Counts one more rejection in this second. On error, the limit is reached; the value is when to retry.
    pub fn refuse_one(&mut self, now_ms: i64) -> Result<(), i64> {
        let second = now_ms.div_euclid(1_000);
        if self.refused.0 != second {
            self.refused = (second, 0);
        }
        if self.refused.1 >= REFUSALS {
            return Err(second.saturating_add(1).saturating_mul(1_000));
        }
        self.refused.1 += 1;
        Ok(())
    }

    /// Assigns the addresses of the next Pod: its own and the node's.
    pub fn addresses(&mut self, node: &Node, host_network: bool) -> (String, String) {
        let host = self.host_ip(node);
        if host_network {
            return (host.clone(), host);
        }
        // `.0` and `.255` are reserved, and `.1` is the node's end of the bridge.
        let own = self.came % 253 + 2;
        self.came = self.came.wrapping_add(1);
        let network = POD_NETWORK.wrapping_add(self.number.wrapping_mul(256));
        (ip(network.wrapping_add(own)), host)
    }

    /// What the node offers, cached by resource version.
    pub fn facts(&mut self, node: &Node) -> Arc<Facts> {
        let version = node.metadata.resource_version.clone().unwrap_or_default();
        if let Some(facts) = self.facts.as_ref().filter(|facts| facts.version == version) {
            return Arc::clone(facts);
        }
        let mut settled = node.clone();
        settle_node(&mut settled);
        let status = settled.status.unwrap_or_default();
        let list = status.allocatable.unwrap_or_default();
        let capacity = status.capacity.unwrap_or_default();
        let allocatable = Resources::from_list(&list);
        let whole = capacity
            .get("memory")
            .map(|quantity| amount("memory", quantity));
        let facts = Arc::new(Facts {
            version,
            pods: list
                .get("pods")
                .map_or(0, |quantity| amount("pods", quantity)),
            memory_bytes: whole.unwrap_or(allocatable.memory_bytes),
            allocatable,
        });
        self.facts = Some(Arc::clone(&facts));
        facts
    }

    /// Whether one of these host ports is in use.
    pub fn has_conflict(&self, wanted: &[HostPort]) -> bool {
        let mut taken = self.ports.values().flatten();
        !wanted.is_empty() && taken.any(|own| wanted.iter().any(|port| port.conflicts_with(own)))
    }
}

/// The `InternalIP` of the node's status.
fn host_ip(node: &Node) -> Option<String> {
    let addresses = node.status.as_ref()?.addresses.as_ref()?;
    let internal = addresses.iter().find(|own| own.type_ == "InternalIP")?;
    Some(internal.address.clone())
}

fn ip(number: u32) -> String {
    let [a, b, c, d] = number.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}
