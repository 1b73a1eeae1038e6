use k8s_openapi::api::core::v1::{Endpoints, Pod, PodCondition, PodIP, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;

use crate::controllers::stage::Stage;
use crate::store::Key;

const NODE: &str =
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}}";

fn service(spec: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Service, metadata: {{name: web, labels: {{tier: front}}}}, spec: {{selector: {{app: web}}, {spec}}}}}"
    )
}

fn pod(name: &str, port: u16) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web}}}}, spec: {{nodeName: n1, containers: [{{name: c, image: app, ports: [{{name: http, containerPort: {port}}}]}}]}}}}"
    )
}

/// Gives a Pod its address, and makes it ready or not.
fn set(stage: &mut Stage, name: &str, ip: &str, ready: bool) {
    stage.edit::<Pod>("default", name, |pod| {
        let status = pod.status.get_or_insert_default();
        status.phase = Some("Running".to_owned());
        status.pod_ip = Some(ip.to_owned());
        status.pod_ips = Some(vec![PodIP { ip: ip.to_owned() }]);
        status.conditions = Some(vec![PodCondition {
            type_: "Ready".to_owned(),
            status: if ready { "True" } else { "False" }.to_owned(),
            ..PodCondition::default()
        }]);
    });
}

/// `READY…/NOT READY…:PORT…` of each subset.
fn subsets(stage: &Stage) -> Vec<String> {
    let endpoints = stage.get::<Endpoints>("default", "web");
    let subsets = endpoints.subsets.unwrap_or_default().into_iter();
    let ips = |addresses: Option<Vec<k8s_openapi::api::core::v1::EndpointAddress>>| {
        let ips: Vec<String> = addresses
            .unwrap_or_default()
            .into_iter()
            .map(|it| it.ip)
            .collect();
        ips.join(",")
    };
    let subsets = subsets.map(|subset| {
        let ports = subset.ports.unwrap_or_default().into_iter();
        let ports: Vec<String> = ports.map(|it| it.port.to_string()).collect();
        let (ready, not) = (ips(subset.addresses), ips(subset.not_ready_addresses));
        format!("{ready}/{not}:{}", ports.join(","))
    });
    subsets.collect()
}

fn slices(stage: &Stage) -> Vec<EndpointSlice> {
    stage
        .plane
        .api
        .store()
        .endpoint_slices
        .iter()
        .map(|slice| (**slice).clone())
        .collect()
}

/// The number of endpoints of each slice, in descending order.
fn sizes(stage: &Stage) -> Vec<usize> {
    let mut sizes: Vec<usize> = slices(stage)
        .into_iter()
        .map(|it| it.endpoints.unwrap_or_default().len())
        .collect();
    sizes.sort_by_key(|size| std::cmp::Reverse(*size));
    sizes
}

#[test]
fn endpoints_follow_the_ready_pods_of_a_service() {
    let mut stage = Stage::new();
    stage.apply(NODE);
    stage.apply(&service("ports: [{port: 80, targetPort: 8080}]"));
    assert_eq!(subsets(&stage), [""; 0]);
    stage.apply(&pod("a", 8080));
    stage.apply(&pod("b", 8080));
    set(&mut stage, "a", "10.244.0.7", true);
    set(&mut stage, "b", "10.244.0.8", false);
    assert_eq!(subsets(&stage), ["10.244.0.7/10.244.0.8:8080"]);
    set(&mut stage, "b", "10.244.0.8", true);
    assert_eq!(subsets(&stage), ["10.244.0.7,10.244.0.8/:8080"]);
    let endpoints = stage.get::<Endpoints>("default", "web");
    let labels = endpoints.metadata.labels.unwrap();
    assert_eq!(labels["tier"], "front");
    assert_eq!(
        labels["endpoints.kubernetes.io/managed-by"],
        "endpoint-controller"
    );
    let address = &endpoints.subsets.as_ref().unwrap()[0]
        .addresses
        .as_ref()
        .unwrap()[0];
    assert_eq!(address.node_name.as_deref(), Some("n1"));
    assert_eq!(
        address.target_ref.as_ref().unwrap().name.as_deref(),
        Some("a")
    );
    stage.edit::<Pod>("default", "a", |pod| {
        pod.status.get_or_insert_default().phase = Some("Failed".to_owned());
    });
    assert_eq!(subsets(&stage), ["10.244.0.8/:8080"]);
    stage.delete::<Service>("default", "web");
    assert!(!stage.has::<Endpoints>("default", "web"));
    assert_eq!(
        sizes(&stage),
        [0; 0],
        "the garbage collector deletes the slices"
    );
}

#[test]
fn named_ports_group_the_pods_that_offer_the_same() {
    let mut stage = Stage::new();
    stage.apply(NODE);
    stage.apply(&service("ports: [{name: web, port: 80, targetPort: http}]"));
    for (name, port, ip) in [
        ("a", 8080, "10.0.0.1"),
        ("b", 9090, "10.0.0.2"),
        ("c", 8080, "10.0.0.3"),
    ] {
        stage.apply(&pod(name, port));
        set(&mut stage, name, ip, true);
    }
    assert_eq!(
        subsets(&stage),
        ["10.0.0.1,10.0.0.3/:8080", "10.0.0.2/:9090"]
    );
    assert_eq!(sizes(&stage), [2, 1]);
}

#[test]
fn headless_services_need_no_ports_and_others_without_selector_are_left_alone() {
    let mut stage = Stage::new();
    stage.apply(NODE);
    stage.apply(&service("clusterIP: None"));
    stage.apply(&pod("a", 8080));
    set(&mut stage, "a", "10.0.0.1", true);
    assert_eq!(subsets(&stage), ["10.0.0.1/:"]);
    let labels = stage
        .get::<Endpoints>("default", "web")
        .metadata
        .labels
        .unwrap();
    assert_eq!(labels["service.kubernetes.io/headless"], "");
    stage.apply(
        "{apiVersion: v1, kind: Service, metadata: {name: out}, spec: {ports: [{port: 80}]}}",
    );
    assert!(!stage.has::<Endpoints>("default", "out"));
    stage.apply("{apiVersion: v1, kind: Endpoints, metadata: {name: mine}, subsets: [{addresses: [{ip: 10.9.9.9}]}]}");
    assert!(
        stage.has::<Endpoints>("default", "mine"),
        "without a Service, Endpoints are left alone"
    );
}

#[test]
fn a_slice_has_conditions_zone_and_owner() {
    let mut stage = Stage::new();
    stage.apply(NODE);
    stage.apply(&service("ports: [{port: 80}]"));
    // A Service without Pods has an empty slice.
    assert_eq!(sizes(&stage), [0]);
    let first = slices(&stage)[0].metadata.name.clone();
    stage.apply(&pod("a", 80));
    set(&mut stage, "a", "10.0.0.1", true);
    let all = slices(&stage);
    let [slice] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert_eq!(slice.metadata.name, first, "the empty slice is filled");
    let labels = slice.metadata.labels.as_ref().unwrap();
    assert_eq!(labels["kubernetes.io/service-name"], "web");
    assert_eq!(
        labels["endpointslice.kubernetes.io/managed-by"],
        "endpointslice-controller.k8s.io"
    );
    let owner = &slice.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str()),
        ("Service", "web")
    );
    let endpoint = &slice.endpoints.as_ref().unwrap()[0];
    assert_eq!(endpoint.zone.as_deref(), Some("a"));
    let conditions = |stage: &Stage| {
        let slice = slices(stage).remove(0);
        let it = slice.endpoints.unwrap()[0].conditions.clone().unwrap();
        (it.ready, it.serving, it.terminating)
    };
    assert_eq!(conditions(&stage), (Some(true), Some(true), Some(false)));
    // It terminates, and serves until it is gone.
    stage.delete::<Pod>("default", "a");
    assert_eq!(conditions(&stage), (Some(false), Some(true), Some(true)));
    assert_eq!(subsets(&stage), [""; 0]);
}

#[test]
fn a_slice_holds_a_hundred_endpoints_and_those_that_stay_keep_their_place() {
    let mut stage = Stage::new();
    stage.apply(NODE);
    stage.apply(&service("ports: [{port: 80}]"));
    for number in 0..230 {
        let name = format!("p{number:03}");
        stage.apply(&pod(&name, 80));
        set(
            &mut stage,
            &name,
            &format!("10.0.{}.{}", number / 200, number % 200),
            true,
        );
    }
    assert_eq!(sizes(&stage), [100, 100, 30]);
    let written = |stage: &Stage| -> Vec<_> {
        slices(stage)
            .into_iter()
            .map(|it| (it.metadata.name.unwrap(), it.metadata.generation))
            .collect()
    };
    let before = written(&stage);
    set(&mut stage, "p017", "10.0.0.17", false);
    let after = written(&stage);
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after);
    assert_eq!(
        changed.count(),
        1,
        "one slice is written: {before:?} {after:?}"
    );
    // A deleted slice is created again.
    let key = Key::of(&slices(&stage)[0].metadata);
    stage.delete::<EndpointSlice>("default", key.name());
    assert_eq!(sizes(&stage).iter().sum::<usize>(), 230);
}
