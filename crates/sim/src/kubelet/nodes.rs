//! The kubelets' nodes: which exist, which resources and ports are in use, and whether the kubelet works.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use crate::store::{Key, name_of};
use berth_core::api::prepare::nodes::settle_node;
use berth_core::cluster::resources::{Resources, amount};
use berth_core::cluster::spec::HostPort;

/// Pod networks begin here, 256 addresses for each node: 10.244.0.0.
const POD_NETWORK: u32 = 0x0af4_0000;
/// Nodes have addresses from 172.18.0.2 on, as those of kind.
const NODE_NETWORK: u32 = 0xac12_0002;

/// Pods that a kubelet refuses in a second. Controllers replace them at once; in a real cluster they make as many
/// as their client may write (`--kube-api-qps`, 20). Without a bound there would be no end of it in one moment.
const REFUSALS: u32 = 20;

/// A node as its kubelet sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeState {
    /// Numbers nodes in order of creation.
    number: u32,
    /// Pods that have arrived so far.
    came: u32,
    pub is_there: bool,
    /// Pods that use resources: all that were admitted and have not ended.
    pub pods: BTreeSet<Key>,
    pub used: Resources,
    /// Ports of the node in use, by Pod.
    ports: BTreeMap<Key, Vec<HostPort>>,
    pub stopped_since: Option<i64>,
    /// Pods that changed while the kubelet did not work.
    pub parked: BTreeSet<Key>,
    /// The second in which Pods were last refused, and how many.
    refused: (i64, u32),
    /// When memory was last short, while the node reports `MemoryPressure`.
    pub pressure_seen: Option<i64>,
    facts: Option<Arc<Facts>>,
}

/// What a node offers.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    version: String,
    pub allocatable: Resources,
    pub pods: i64,
    /// The memory of the whole machine.
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

    /// A node was added or updated.
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

    /// A node was deleted, with its kubelet. Returns its Pods, also those that a stopped kubelet had not seen.
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

    /// Whether the kubelet of the node does not work.
    pub fn is_stopped(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|state| state.stopped_since.is_some())
    }

    /// Defers the change of a Pod if the kubelet of its node does not work; whether it did.
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

    /// Takes them off again.
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
    /// The node's own address.
    pub fn host_ip(&self, node: &Node) -> String {
        host_ip(node).unwrap_or_else(|| ip(NODE_NETWORK.wrapping_add(self.number)))
    }

    /// Whether the kubelet refuses one more Pod in this second; if not, when it looks at it again.
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

    /// Addresses of the next Pod: its own and the node's.
    pub fn addresses(&mut self, node: &Node, host_network: bool) -> (String, String) {
        let host = self.host_ip(node);
        if host_network {
            return (host.clone(), host);
        }
        // .0 and .255 are no addresses, .1 is the node's end of the bridge.
        let own = self.came % 253 + 2;
        self.came = self.came.wrapping_add(1);
        let network = POD_NETWORK.wrapping_add(self.number.wrapping_mul(256));
        (ip(network.wrapping_add(own)), host)
    }

    /// What the node offers, read anew when it has changed.
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

    /// Whether one of these ports of the node is taken.
    pub fn has_conflict(&self, wanted: &[HostPort]) -> bool {
        let mut taken = self.ports.values().flatten();
        !wanted.is_empty() && taken.any(|own| wanted.iter().any(|port| port.conflicts_with(own)))
    }
}

/// The address that the node's status gives.
fn host_ip(node: &Node) -> Option<String> {
    let addresses = node.status.as_ref()?.addresses.as_ref()?;
    let internal = addresses.iter().find(|own| own.type_ == "InternalIP")?;
    Some(internal.address.clone())
}

fn ip(number: u32) -> String {
    let [a, b, c, d] = number.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}
