//! Kubelets together with controllers and a binder.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Node;

use crate::control_plane::{ControlPlane, DataPlane};
use crate::controllers::Options;
use crate::kubelet::{ByContainers, Kubelet};
use crate::pod_util;
use crate::round_robin::RoundRobin;
use crate::server::{ApiServer, Naming};
use crate::store::{Change, Key};

#[derive(Default)]
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
        self.kubelet.start_arrived(&mut ByContainers, api);
        self.binder.act(&mut self.kubelet, &mut ByContainers, api);
        self.kubelet.end_graces(api);
        false
    }
}

fn read<T: serde::de::DeserializeOwned>(yaml: &str) -> T {
    serde_yaml::from_str(yaml).unwrap()
}

fn play(plane: &mut ControlPlane, data_plane: &mut BinderAndKubelet, second: i64) {
    plane.settle(data_plane).unwrap();
    loop {
        let due = [data_plane.kubelet.next_due(), plane.next_due()];
        let Some(due) = due
            .into_iter()
            .flatten()
            .min()
            .filter(|due| *due <= second * 1_000)
        else {
            return;
        };
        plane.api.set_now_ms(due);
        data_plane.kubelet.act(&mut plane.api);
        plane.release();
        plane.settle(data_plane).unwrap();
    }
}

fn plane() -> ControlPlane {
    let api = ApiServer::new(
        Naming::new(berth_protocol::defaults::Edition::default(), 3),
        None,
    );
    let mut plane = ControlPlane::new(api, Options::default());
    for name in ["n1", "n2"] {
        let node: Node = read(&format!(
            "{{metadata: {{name: {name}}}, status: {{allocatable: {{cpu: '8', memory: 16Gi}}}}}}"
        ));
        plane.api.create(node).unwrap();
    }
    plane
}

#[test]
fn a_job_completes_and_its_pods_stay() {
    let (mut plane, mut data_plane) = (plane(), BinderAndKubelet::default());
    let job: Job = read(
        "{metadata: {name: pi}, spec: {completions: 3, parallelism: 2, template: {spec: {restartPolicy: Never, \
         containers: [{name: c, image: 'perl:5.34', command: [perl, -e, print]}]}}}}",
    );
    plane.api.create(job).unwrap();
    play(&mut plane, &mut data_plane, 60);
    let job = plane
        .api
        .store()
        .jobs
        .get(&Key::new("default", "pi"))
        .unwrap();
    assert_eq!(job.status.as_ref().unwrap().succeeded, Some(3));
    let phases: Vec<_> = plane
        .api
        .store()
        .pods
        .iter()
        .map(|pod| pod_util::phase_of(pod))
        .collect();
    assert_eq!(phases, ["Succeeded"; 3]);
}

#[test]
fn a_rollout_waits_for_readiness() {
    let (mut plane, mut data_plane) = (plane(), BinderAndKubelet::default());
    let deployment = |image: &str| -> Deployment {
        read(&format!(
            "{{metadata: {{name: web}}, spec: {{replicas: 4, selector: {{matchLabels: {{app: web}}}}, template: \
             {{metadata: {{labels: {{app: web}}, annotations: {{berth.dev/ready-after: 5s}}}}, spec: {{containers: [{{name: c, image: '{image}'}}]}}}}}}}}"
        ))
    };
    plane.api.create(deployment("nginx:1")).unwrap();
    play(&mut plane, &mut data_plane, 5);
    let key = Key::new("default", "web");
    let ready = |plane: &ControlPlane| {
        let web = plane.api.store().deployments.get(&key).unwrap();
        web.status
            .as_ref()
            .and_then(|status| status.ready_replicas)
            .unwrap_or(0)
    };
    assert_eq!(ready(&plane), 0);
    play(&mut plane, &mut data_plane, 6);
    assert_eq!(ready(&plane), 4);
    let mut next = (**plane.api.store().deployments.get(&key).unwrap()).clone();
    next.spec.as_mut().unwrap().template = deployment("nginx:2").spec.unwrap().template;
    plane.api.update(next).unwrap();
    play(&mut plane, &mut data_plane, 8);
    assert_eq!(ready(&plane), 3, "one at a time may be missing");
    play(&mut plane, &mut data_plane, 120);
    let images: Vec<_> = plane
        .api
        .store()
        .pods
        .iter()
        .map(|pod| {
            pod.spec.as_ref().unwrap().containers[0]
                .image
                .clone()
                .unwrap()
        })
        .collect();
    assert_eq!(images, ["nginx:2"; 4]);
    assert_eq!(ready(&plane), 4);
}
