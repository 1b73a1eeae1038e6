//! A small cluster for controller tests: Pods run and are ready as soon as they are bound, and silenced kubelets do
//! nothing.

use berth_core::api::prepare::add_default_tolerations;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, PodCondition, PodStatus};
use serde_json::{Value, json};

use super::Options;
use crate::control_plane::{ControlPlane, DataPlane};
use crate::pod_util;
use crate::server::{ApiServer, Naming, ms_of};
use crate::store::{Change, Key, name_of};
use crate::strategy::Served;
use berth_core::api::prepare::node_fit::accepts;

/// A cluster with all controllers.
pub(crate) struct Cluster {
    pub plane: ControlPlane,
    data_plane: InstantPods,
}

struct InstantPods;

impl DataPlane for InstantPods {
    fn observe(&mut self, _: &Change, _: &mut ApiServer) {}

    fn act(&mut self, api: &mut ApiServer) -> bool {
        let all: Vec<Arc<Pod>> = api.store().pods.iter().cloned().collect();
        for pod in all {
            let node = pod_util::node_of(&pod).to_owned();
            if api.silent_since(&node).is_some() {
                continue;
            }
            if let Some(end) = &pod.metadata.deletion_timestamp {
                let is_held = pod.metadata.finalizers.is_some();
                if ms_of(end) <= api.now_ms() && !node.is_empty() && !is_held {
                    api.erase::<Pod>(&Key::of(&pod.metadata));
                }
            } else if node.is_empty() {
                bind(&pod, api);
            } else if pod_util::phase_of(&pod) == "Pending" {
                let mut pod = (*pod).clone();
                pod.status = Some(running(api));
                api.update_status(&pod).unwrap();
            }
        }
        false
    }
}

/// Binds a Pod to the suitable node with the fewest Pods.
fn bind(pod: &Pod, api: &mut ApiServer) {
    let load = |node: &Node| {
        api.store()
            .pods
            .iter()
            .filter(|pod| pod_util::node_of(pod) == name_of(&node.metadata))
            .count()
    };
    let spec = pod.spec.clone().unwrap();
    let nodes = api.store().nodes.iter().filter(|node| accepts(&spec, node));
    let Some(node) = nodes.min_by_key(|node| load(node)).cloned() else {
        return;
    };
    let mut bound = pod.clone();
    bound.status = Some(running(api));
    api.bind(bound, name_of(&node.metadata)).unwrap();
}

fn running(api: &ApiServer) -> PodStatus {
    let condition = |kind: &str| PodCondition {
        type_: kind.to_owned(),
        status: "True".to_owned(),
        last_transition_time: Some(api.now()),
        ..PodCondition::default()
    };
    PodStatus {
        phase: Some("Running".to_owned()),
        conditions: Some(vec![condition("Ready"), condition("ContainersReady")]),
        ..PodStatus::default()
    }
}

/// A Pod's spec with the tolerations that admission adds: the fixture's API server has no admission, so its Pods may
/// have any status and node.
fn admitted(spec: Value) -> Value {
    let mut spec = serde_json::from_value(spec).unwrap();
    add_default_tolerations(&mut spec);
    serde_json::to_value(spec).unwrap()
}

impl Cluster {
    /// A cluster with the nodes `n1`, `n2`, ….
    pub(crate) fn new(nodes: usize) -> Self {
        let naming = Naming::new(berth_protocol::defaults::Edition::default(), 1);
        let api = ApiServer::new(naming, None);
        let mut cluster = Cluster {
            plane: ControlPlane::new(api, Options::default()),
            data_plane: InstantPods,
        };
        for number in 1..=nodes {
            cluster.create::<Node>(json!({"metadata": {"name": format!("n{number}")}}));
        }
        cluster.run_to(0);
        cluster
    }

    pub(crate) fn api(&mut self) -> &mut ApiServer {
        &mut self.plane.api
    }

    pub(crate) fn create<T: Served>(&mut self, object: Value) -> Arc<T> {
        let object: T = serde_json::from_value(object).unwrap();
        self.api().create(object).unwrap()
    }

    /// Creates a Pod; `more` is merged into its spec.
    pub(crate) fn pod(&mut self, name: &str, labels: Value, more: Value) -> Arc<Pod> {
        let mut spec = json!({"containers": [{"name": "c", "image": "app"}]});
        for (key, value) in more.as_object().unwrap() {
            spec[key] = value.clone();
        }
        let spec = admitted(spec);
        let meta = json!({"name": name, "namespace": "default", "labels": labels});
        self.create(json!({"metadata": meta, "spec": spec, "status": {"phase": "Pending"}}))
    }

    /// Creates a Deployment `name` with Pods labeled `app: NAME`.
    pub(crate) fn deployment(&mut self, name: &str, replicas: i32) {
        let labels = json!({"app": name});
        let spec = admitted(json!({"containers": [{"name": "c", "image": "app"}]}));
        self.create::<k8s_openapi::api::apps::v1::Deployment>(json!({
            "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        }));
    }

    /// Updates an object.
    pub(crate) fn edit<T: Served>(&mut self, key: &Key, change: impl FnOnce(&mut T)) {
        let mut object = (**T::table(self.api().store()).get(key).unwrap()).clone();
        change(&mut object);
        self.api().update(object).unwrap();
    }

    /// Updates an object's status.
    pub(crate) fn edit_status<T: Served>(&mut self, key: &Key, change: impl FnOnce(&mut T)) {
        let mut object = (**T::table(self.api().store()).get(key).unwrap()).clone();
        change(&mut object);
        self.api().update_status(&object).unwrap();
    }

    /// Runs the cluster until this time in milliseconds.
    pub(crate) fn run_to_ms(&mut self, until_ms: i64) {
        self.plane.settle(&mut self.data_plane).unwrap();
        for _ in 0..100_000 {
            let now = self.api().now_ms();
            let graces = self.plane.api.store().pods.iter().filter_map(|pod| {
                let silent = self
                    .plane
                    .api
                    .silent_since(pod_util::node_of(pod))
                    .is_some();
                let end = pod.metadata.deletion_timestamp.as_ref().map(ms_of);
                end.filter(|end| !silent && *end > now)
            });
            let graces = graces.min();
            let due = self.plane.next_due().into_iter().chain(graces).min();
            let Some(due) = due.filter(|due| *due <= until_ms) else {
                self.api().set_now_ms(until_ms);
                return;
            };
            self.api().set_now_ms(due);
            self.plane.release();
            self.plane.settle(&mut self.data_plane).unwrap();
        }
        panic!("it never comes to rest");
    }

    /// Runs the cluster until this second.
    pub(crate) fn run_to(&mut self, second: i64) {
        self.run_to_ms(second * 1_000);
    }

    pub(crate) fn get_pod(&self, name: &str) -> Option<&Arc<Pod>> {
        self.plane.api.store().pods.get(&Key::new("default", name))
    }

    pub(crate) fn node(&self, name: &str) -> &Arc<Node> {
        let nodes = &self.plane.api.store().nodes;
        nodes.get(&Key::new("", name)).unwrap()
    }

    /// The taints of a node, as `key:effect`.
    pub(crate) fn taints(&self, node: &str) -> Vec<String> {
        let spec = self.node(node).spec.as_ref();
        let taints = spec.and_then(|spec| spec.taints.as_deref());
        taints
            .unwrap_or_default()
            .iter()
            .map(|taint| format!("{}:{}", taint.key, taint.effect))
            .collect()
    }

    /// The events with this reason, as `SECONDS TYPE COMPONENT OBJECT: MESSAGE`.
    pub(crate) fn events(&self, reason: &str) -> Vec<String> {
        let all = self
            .plane
            .api
            .events()
            .iter()
            .filter(|event| event.reason == reason);
        all.map(|event| {
            format!(
                "{}s {} {} {}: {}",
                event.first_ms() as f64 / 1_000.0,
                event.level.name(),
                event.source,
                event.key,
                event.message
            )
        })
        .collect()
    }
}
