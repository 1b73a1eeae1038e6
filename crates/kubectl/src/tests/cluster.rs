//! A cluster with controllers, kubelets and a binder that assigns fitting nodes round-robin.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

use crate::{Clock, Cluster};
use berth_core::api::load::load;
use berth_core::api::source::SourceFile;
use berth_scheduler::release::Release;
use berth_shell::Files;
use berth_sim::control_plane::{ControlPlane, DataPlane};
use berth_sim::controllers::Options;
use berth_sim::kubelet::{Kubelet, ScriptedLife, ScriptedLives};
use berth_sim::round_robin::RoundRobin;
use berth_sim::server::{ApiServer, Naming};
use berth_sim::store::{Change, Key, Object, namespace_of};

/// Pods are ready one second after they start. Unless their restart policy is `Always`, they succeed five seconds
/// later.
#[derive(Clone, Debug)]
struct SoonReady;

impl ScriptedLives for SoonReady {
    fn of(&mut self, pod: &Pod) -> Option<ScriptedLife> {
        let policy = pod.spec.as_ref().and_then(|it| it.restart_policy.as_ref());
        let ends = policy.is_some_and(|policy| policy != "Always");
        Some(ScriptedLife {
            ready_after_ms: Some(1_000),
            ends: ends.then_some((6_000, 0)),
        })
    }
}

#[derive(Clone, Debug)]
struct BinderAndKubelet {
    binder: RoundRobin,
    kubelet: Kubelet,
}

impl DataPlane for BinderAndKubelet {
    fn observe(&mut self, change: &Change, _: &mut ApiServer) {
        self.binder.observe(change);
        self.kubelet.observe(change);
    }

    fn act(&mut self, api: &mut ApiServer) -> bool {
        self.kubelet.start_arrived(&mut SoonReady, api);
        self.binder.act(&mut self.kubelet, &mut SoonReady, api);
        self.kubelet.end_graces(api);
        false
    }
}

/// A cluster for tests.
#[derive(Clone, Debug)]
pub(crate) struct TestCluster {
    plane: ControlPlane,
    data_plane: BinderAndKubelet,
    pub(crate) files: BTreeMap<String, String>,
}

impl TestCluster {
    /// A cluster of these manifests; generated names end in a counter (`web-0001`).
    pub(crate) fn new(manifests: &str) -> Self {
        Self::of_release(Release::default(), manifests)
    }

    /// The same, of a release.
    pub(crate) fn of_release(release: Release, manifests: &str) -> Self {
        let api = ApiServer::new(Naming::Counted(BTreeMap::new()), None);
        let mut api = api.of_release(release);
        api.bootstrap();
        let options = Options {
            release,
            ..Options::default()
        };
        let mut cluster = TestCluster {
            plane: ControlPlane::new(api, options),
            data_plane: BinderAndKubelet {
                binder: RoundRobin::default(),
                kubelet: Kubelet::new(),
            },
            files: BTreeMap::new(),
        };
        let loaded = load(&[SourceFile::new("cluster.yaml", manifests)]);
        assert_eq!(loaded.problems, [], "{manifests}");
        let objects = loaded.documents.iter();
        for object in objects.filter_map(|document| document.object.as_ref()) {
            let object = Object::of_manifest(object).expect("a kind that is stored");
            let api = &mut cluster.plane.api;
            api.ensure_namespace(namespace_of(object.metadata()));
            if api
                .store()
                .get(object.kind(), &Key::of(object.metadata()))
                .is_none()
            {
                api.create_object(object).expect("it is accepted");
            }
        }
        cluster.settle();
        cluster
    }

    /// A cluster of nodes with these names (4 CPUs, 8Gi, 110 Pods) and namespace `default`.
    pub(crate) fn with_nodes(names: &[&str]) -> Self {
        let size = "{cpu: \"4\", memory: 8Gi, pods: \"110\"}";
        let nodes = names.iter().map(|name| {
            format!(
                "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}\nstatus: {{capacity: {size}, allocatable: {size}, conditions: [{{type: Ready, status: \"True\"}}]}}\n"
            )
        });
        let nodes: String = nodes.collect();
        TestCluster::new(&format!(
            "apiVersion: v1\nkind: Namespace\nmetadata: {{name: default}}\n{nodes}"
        ))
    }

    /// An object, as JSON; null if there is none. Cluster-scoped kinds have the namespace "".
    pub(crate) fn json(&self, kind: &str, namespace: &str, name: &str) -> serde_json::Value {
        let found = self.api().store().get(kind, &Key::new(namespace, name));
        found.map(|object| object.to_json()).unwrap_or_default()
    }

    /// Advances the clock by this many seconds.
    pub(crate) fn play(&mut self, seconds: i64) {
        let until = self.api().now_ms() + seconds * 1_000;
        while self.api().now_ms() < until {
            self.advance(until);
        }
    }
}

impl Cluster for TestCluster {
    fn api(&self) -> &ApiServer {
        &self.plane.api
    }

    fn name_writer(&mut self, manager: &str) {
        self.api_mut().set_user_manager(manager);
        self.api_mut().set_user_write(true);
    }

    fn api_mut(&mut self) -> &mut ApiServer {
        &mut self.plane.api
    }
}

impl Clock for TestCluster {
    fn settle(&mut self) {
        self.plane
            .settle(&mut self.data_plane)
            .expect("no livelock");
    }

    fn advance(&mut self, until_ms: i64) -> bool {
        let due = [self.data_plane.kubelet.next_due(), self.plane.next_due()];
        let due = due.into_iter().flatten().min();
        let happens = due.is_some_and(|at| at <= until_ms);
        let next = due.filter(|_| happens).unwrap_or(until_ms);
        self.plane.api.set_now_ms(next);
        self.data_plane.kubelet.act(&mut self.plane.api);
        self.plane.release();
        self.settle();
        happens
    }
}

impl Files for TestCluster {
    fn file(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text);
    }

    fn files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }
}
