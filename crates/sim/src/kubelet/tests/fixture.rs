//! A cluster with only an API server and kubelets.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};

use crate::kubelet::{ByContainers, Kubelet};
use crate::server::{ApiServer, Naming};
use crate::store::Key;
use berth_core::api::load::read_object;
use berth_core::api::object::Manifest;

/// The maximum number of rounds at one instant.
const MAX_ROUNDS: usize = 1_000;

pub(super) struct Cluster {
    pub api: ApiServer,
    pub kubelet: Kubelet,
}

impl Cluster {
    /// Nodes with 4 CPUs, 8Gi and 110 Pods each.
    pub fn new(nodes: &[&str]) -> Self {
        let naming = Naming::new(berth_protocol::defaults::Edition::default(), 1);
        let mut cluster = Cluster {
            api: ApiServer::new(naming, None),
            kubelet: Kubelet::new(),
        };
        for name in nodes {
            cluster.node(&format!(
                "{{metadata: {{name: {name}}}, status: {{allocatable: {{cpu: '4', memory: 8Gi}}}}}}"
            ));
        }
        cluster
    }

    pub fn node(&mut self, yaml: &str) {
        let Manifest::Node(node) = object("v1", "Node", yaml) else {
            panic!("no node: {yaml}");
        };
        self.api.create(*node).unwrap();
        self.settle();
    }

    /// Creates a Pod; one without a node goes to `n1`.
    pub fn pod(&mut self, yaml: &str) -> Key {
        let mut pod = manifest(yaml);
        let spec = pod.spec.get_or_insert_default();
        spec.node_name.get_or_insert_with(|| "n1".to_owned());
        let status = pod.status.get_or_insert_default();
        status.phase.get_or_insert_with(|| "Pending".to_owned());
        let pod = self.api.create(pod).unwrap();
        self.settle();
        Key::of(&pod.metadata)
    }

    /// Updates the spec and the status of a Pod.
    pub fn change(&mut self, key: &Key, change: impl FnOnce(&mut Pod)) {
        let mut pod = (*self.get(key)).clone();
        change(&mut pod);
        let status = pod.clone();
        let updated = self.api.update(pod).unwrap();
        let mut status = status;
        status
            .metadata
            .resource_version
            .clone_from(&updated.metadata.resource_version);
        self.api.update_status(&status).unwrap();
        self.settle();
    }

    /// Removes the Pod's finalizers.
    pub fn change_finalizers(&mut self, key: &Key) {
        let mut pod = (*self.get(key)).clone();
        pod.metadata.finalizers = None;
        self.api.update(pod).unwrap();
        self.settle();
    }

    pub fn delete(&mut self, key: &Key) {
        self.api.delete::<Pod>(key).unwrap();
        self.settle();
    }

    /// Runs the cluster until this second.
    pub fn until(&mut self, second: i64) {
        self.until_ms(second * 1_000);
    }

    pub fn until_ms(&mut self, ms: i64) {
        let mut moments = 0;
        while let Some(due) = self.kubelet.next_due().filter(|due| *due <= ms) {
            moments += 1;
            assert!(moments < 20_000, "no rest at {due}");
            assert!(due > self.api.now_ms() || moments < 1_000, "stuck at {due}");
            self.api.set_now_ms(due);
            self.kubelet.act(&mut self.api);
            self.settle();
        }
        self.api.set_now_ms(ms);
        self.settle();
    }

    pub fn settle(&mut self) {
        for _ in 0..MAX_ROUNDS {
            while let Some(change) = self.api.next_change() {
                self.kubelet.observe(&change);
            }
            self.kubelet.start_arrived(&mut ByContainers, &mut self.api);
            self.kubelet.end_graces(&mut self.api);
            if self.api.is_delivered() {
                return;
            }
        }
        panic!("no rest at {}", self.api.now_ms());
    }

    pub fn get(&self, key: &Key) -> Arc<Pod> {
        Arc::clone(self.api.store().pods.get(key).expect("a Pod"))
    }

    pub fn exists(&self, key: &Key) -> bool {
        self.api.store().pods.get(key).is_some()
    }

    pub fn get_node(&self, name: &str) -> Arc<Node> {
        Arc::clone(
            self.api
                .store()
                .nodes
                .get(&Key::new("", name))
                .expect("a node"),
        )
    }

    /// The phase, the reason and the containers' states: `Running web:ready`.
    pub fn line(&self, key: &Key) -> String {
        let pod = self.get(key);
        let status = pod.status.clone().unwrap_or_default();
        let mut line = status.phase.unwrap_or_default();
        if let Some(reason) = status.reason {
            line += &format!("/{reason}");
        }
        let all = status
            .init_container_statuses
            .into_iter()
            .chain(status.container_statuses);
        for own in all.chain(status.ephemeral_container_statuses).flatten() {
            let state = own.state.unwrap_or_default();
            let text = if state.running.is_some() {
                let ready = if own.ready { "ready" } else { "unready" };
                ready.to_owned()
            } else if let Some(ended) = state.terminated {
                format!("{}({})", ended.reason.unwrap_or_default(), ended.exit_code)
            } else {
                state
                    .waiting
                    .and_then(|waiting| waiting.reason)
                    .unwrap_or_default()
            };
            let restarts = if own.restart_count > 0 {
                format!("*{}", own.restart_count)
            } else {
                String::new()
            };
            line += &format!(" {}:{text}{restarts}", own.name);
        }
        line
    }

    /// `Status/Reason` of a Pod's condition.
    pub fn condition(&self, key: &Key, kind: &str) -> String {
        let pod = self.get(key);
        let conditions = pod
            .status
            .as_ref()
            .and_then(|status| status.conditions.clone());
        let own = conditions
            .into_iter()
            .flatten()
            .find(|own| own.type_ == kind);
        own.map_or(String::new(), |own| match own.reason {
            Some(reason) => format!("{}/{reason}", own.status),
            None => own.status,
        })
    }

    /// The events of a Pod, even a deleted one: `Reason: message`, with `xN` if repeated.
    pub fn events(&self, name: &str) -> Vec<String> {
        let all = self
            .api
            .events()
            .iter()
            .filter(|event| event.key.name() == name);
        all.map(|event| {
            let count = if event.count() > 1 {
                format!(" x{}", event.count())
            } else {
                String::new()
            };
            format!("{}: {}{count}", event.reason, event.message)
        })
        .collect()
    }
}

pub(super) fn manifest(yaml: &str) -> Pod {
    match object("v1", "Pod", yaml) {
        Manifest::Pod(pod) => *pod,
        _ => panic!("no Pod: {yaml}"),
    }
}

fn object(version: &str, kind: &str, yaml: &str) -> Manifest {
    let mut value: serde_json::Value = serde_yaml::from_str(yaml).unwrap();
    value["apiVersion"] = version.into();
    value["kind"] = kind.into();
    read_object(&value).0.expect("an object")
}
