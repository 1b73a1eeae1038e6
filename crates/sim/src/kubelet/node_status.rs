//! The node status that a kubelet writes, and stopped kubelets.
//!
//! Mirrors `pkg/kubelet/nodestatus` v1.34. Fields that the node's manifest sets are kept.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, NodeAddress, NodeSystemInfo};

use super::Kubelet;
use crate::audit_log::{Event, Level};
use crate::server::{ApiServer, HEALTHY, node_condition};
use crate::store::{Key, name_of, uid_of};
use berth_core::api::script::Processes;
use berth_scheduler::release::{Gate, Release};

const RUNTIME: &str = "containerd://2.1.4";
const KERNEL: &str = "6.12.0";
/// Marks the node as simulated.
const IMAGE: &str = "Berth (simulated)";

/// The condition of a node that is short of memory.
const SHORT_OF_MEMORY: [&str; 4] = [
    "MemoryPressure",
    "True",
    "KubeletHasInsufficientMemory",
    "kubelet has insufficient memory available",
];

impl Kubelet {
    /// Kubelets that also write the conditions of their nodes, as those of a real cluster do.
    pub fn with_node_status(processes: Processes) -> Self {
        Kubelet {
            reports_nodes: true,
            processes,
            ..Kubelet::default()
        }
    }

    /// Stops the kubelet of a node, or cuts it off from the API server: nothing changes on the node any more, and
    /// deleted Pods stay. `false` if there is no such node.
    pub fn stop_node(&mut self, node: &str, api: &ApiServer) -> bool {
        let now = api.now_ms();
        match self.nodes.get_mut(node).filter(|state| state.is_there) {
            Some(state) => {
                state.stopped_since.get_or_insert(now);
                true
            }
            None => false,
        }
    }

    /// Starts a stopped kubelet, which then catches up. `false` if it was running or does not exist.
    pub fn start_node(&mut self, node: &str, api: &mut ApiServer) -> bool {
        let now = api.now_ms();
        let Some(state) = self
            .nodes
            .get_mut(node)
            .filter(|state| state.stopped_since.is_some())
        else {
            return false;
        };
        state.stopped_since = None;
        for key in std::mem::take(&mut state.parked) {
            if self.workers.contains_key(&key) {
                self.touched.insert(key);
            } else if self.plans.wake(&key, now) {
                // It becomes ready or ends now, unless it was deleted.
            } else if api
                .store()
                .pods
                .get(&key)
                .is_some_and(|pod| pod.metadata.deletion_timestamp.is_some())
            {
                self.ending.set(&key, Some(now));
            } else {
                self.arrived.push(key);
            }
        }
        self.note_memory(node, now);
        if self.reports_nodes {
            self.write(node, true, api);
        }
        true
    }

    /// Writes the conditions and creates the mirror Pods of new nodes.
    pub(super) fn report_nodes(&mut self, api: &mut ApiServer) {
        for node in std::mem::take(&mut self.fresh_nodes) {
            if self.reports_nodes {
                self.write(&node, false, api);
            }
            self.create_mirrors(&node, api);
        }
    }

    /// Fills in missing parts of a healthy node's status. With `again`, conditions that are `Unknown` are reset, too.
    fn write(&self, node: &str, again: bool, api: &mut ApiServer) {
        let Some(current) = api.store().nodes.get(&Key::new("", node)).cloned() else {
            return;
        };
        let mut node = (*current).clone();
        let status = node.status.get_or_insert_default();
        let version = api.release().version().full();
        status
            .node_info
            .get_or_insert_with(|| machine(&current, version));
        if api.release().is_on(Gate::NodeDeclaredFeatures) {
            let declared = || declared_features(api.release());
            status.declared_features.get_or_insert_with(declared);
        }
        if let Some(state) = self.nodes.get(name_of(&current.metadata)) {
            let own = || vec![address("InternalIP", state.host_ip(&current))];
            let addresses = status.addresses.get_or_insert_with(own);
            if addresses.iter().all(|own| own.type_ != "Hostname") {
                addresses.push(address("Hostname", name_of(&current.metadata).to_owned()));
            }
        }
        let conditions = status.conditions.get_or_insert_default();
        let now = api.now();
        for healthy in HEALTHY {
            let known = conditions.iter_mut().find(|own| own.type_ == healthy[0]);
            match known {
                Some(own) if again && own.status == "Unknown" => {
                    *own = node_condition(healthy, &now);
                }
                Some(_) => {}
                None => conditions.push(node_condition(healthy, &now)),
            }
        }
        // The Node was just read, so the update cannot conflict.
        let _ = api.update_status(&node);
    }
}

/// The features that a kubelet of the release declares (`component-helpers/nodedeclaredfeatures`).
fn declared_features(release: &Release) -> Vec<String> {
    let known = [
        Gate::ExtendWebSocketsToKubelet,
        Gate::InPlacePodLevelResourcesVerticalScaling,
        Gate::InPlacePodVerticalScalingInitContainers,
        Gate::RestartAllContainersOnContainerExits,
    ];
    let on = known.into_iter().filter(|gate| release.is_on(*gate));
    on.map(|gate| gate.name().to_owned()).collect()
}

fn address(kind: &str, address: String) -> NodeAddress {
    NodeAddress {
        type_: kind.to_owned(),
        address,
    }
}

/// The `nodeInfo` of a node whose manifest has none; `kubelet`: its version.
fn machine(node: &Node, kubelet: &str) -> NodeSystemInfo {
    let label = |key: &str, default: &str| {
        let labels = node.metadata.labels.as_ref();
        let label = labels.and_then(|labels| labels.get(key));
        label.map_or(default, String::as_str).to_owned()
    };
    let id = uid_of(&node.metadata);
    NodeSystemInfo {
        architecture: label("kubernetes.io/arch", "amd64"),
        boot_id: id.to_owned(),
        container_runtime_version: RUNTIME.to_owned(),
        kernel_version: KERNEL.to_owned(),
        kubelet_version: kubelet.to_owned(),
        machine_id: id.replace('-', ""),
        operating_system: label("kubernetes.io/os", "linux"),
        os_image: IMAGE.to_owned(),
        system_uuid: id.to_owned(),
        ..NodeSystemInfo::default()
    }
}

/// Writes the `MemoryPressure` condition of a node, with its event.
pub(super) fn set_memory_pressure(node: &str, short: bool, api: &mut ApiServer) {
    let Some(current) = api.store().nodes.get(&Key::new("", node)).cloned() else {
        return;
    };
    let condition = if short { SHORT_OF_MEMORY } else { HEALTHY[0] };
    if says(&current, condition[0], condition[1]) {
        return;
    }
    let event = if short {
        "NodeHasInsufficientMemory"
    } else {
        "NodeHasSufficientMemory"
    };
    let message = format!("Node {node} status is now: {event}");
    api.event(Event::new(&*current, Level::Normal, event, message).at("kubelet", node));
    let mut node = (*current).clone();
    let conditions = node
        .status
        .get_or_insert_default()
        .conditions
        .get_or_insert_default();
    conditions.retain(|own| own.type_ != condition[0]);
    conditions.insert(0, node_condition(condition, &api.now()));
    // The Node was just read, so the update cannot conflict.
    let _ = api.update_status(&node);
}

fn says(node: &Arc<Node>, kind: &str, status: &str) -> bool {
    let conditions = node
        .status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten());
    conditions
        .into_iter()
        .any(|own| own.type_ == kind && own.status == status)
}
