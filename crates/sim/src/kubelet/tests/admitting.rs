//! Pods bound without the scheduler, and nodes that are added and deleted.

use k8s_openapi::api::core::v1::Node;

use super::fixture::Cluster;
use crate::store::Key;
use berth_core::api::script::Processes;

/// Phase, reason and message of a Pod on a small node.
fn verdict(spec: &str) -> (String, String, Vec<String>) {
    let mut cluster = Cluster::new(&[]);
    cluster.node(
        "{metadata: {name: n1, labels: {disk: ssd}}, spec: {taints: [{key: soft, effect: NoSchedule}]}, \
         status: {allocatable: {cpu: '2', memory: 1Gi, pods: '3', example.com/gpu: '1'}}}",
    );
    cluster.pod("{metadata: {name: first}, spec: {containers: [{name: c, image: 'nginx:1', ports: [{containerPort: 80, hostPort: 8080}], resources: {requests: {cpu: 500m}}}]}}");
    let key = cluster.pod(&format!("{{metadata: {{name: p}}, spec: {{{spec}}}}}"));
    let status = cluster.get(&key).status.clone().unwrap();
    (
        [status.phase, status.reason]
            .map(Option::unwrap_or_default)
            .join("/"),
        status.message.unwrap_or_default(),
        cluster.events("p"),
    )
}

#[test]
fn rejected_pods_fail_with_the_kubelets_messages() {
    for (spec, reason, message) in [
        (
            "containers: [{name: c, image: x, resources: {requests: {cpu: 1600m}}}]",
            "OutOfcpu",
            "Node didn't have enough resource: cpu, requested: 1600, used: 500, capacity: 2000",
        ),
        (
            "containers: [{name: c, image: x, resources: {requests: {memory: 2Gi}}}]",
            "OutOfmemory",
            "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
        ),
        (
            "containers: [{name: c, image: x, resources: {requests: {example.com/gpu: '2'}, limits: {example.com/gpu: '2'}}}]",
            "OutOfexample.com/gpu",
            "Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
        ),
        (
            "nodeSelector: {disk: hdd}, containers: [{name: c, image: x}]",
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            "containers: [{name: c, image: x, ports: [{containerPort: 1, hostPort: 8080}]}]",
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        ),
    ] {
        let (phase, rejection, events) = verdict(spec);
        assert_eq!(phase, format!("Failed/{reason}"));
        assert_eq!(rejection, format!("Pod was rejected: {message}"));
        assert_eq!(events, [format!("{reason}: {message}")]);
    }
}

#[test]
fn unknown_extended_resources_do_not_reject_a_pod() {
    for spec in [
        "containers: [{name: c, image: x, resources: {requests: {cpu: 1500m, other.com/fpga: '9'}}}]",
        // Only `NoExecute` taints count; the node's `NoSchedule` taint concerns the scheduler.
        "containers: [{name: c, image: x, ports: [{containerPort: 1, hostPort: 8080, protocol: UDP}]}]",
    ] {
        assert_eq!(verdict(spec).0, "Pending/", "{spec}");
    }
}

#[test]
fn a_node_takes_so_many_pods_and_ended_ones_do_not_count() {
    let mut cluster = Cluster::new(&[]);
    cluster
        .node("{metadata: {name: n1}, status: {allocatable: {cpu: '2', memory: 1Gi, pods: '2'}}}");
    let pod = |name: &str, command: &str| {
        format!(
            "{{metadata: {{name: {name}}}, spec: {{restartPolicy: Never, containers: [{{name: c, image: 'busybox:1', command: [{command}]}}]}}}}"
        )
    };
    cluster.pod(&pod("a", "sleep, '5'"));
    cluster.pod(&pod("b", "sleep, '900'"));
    let third = cluster.pod(&pod("c", "sleep, '900'"));
    assert_eq!(cluster.line(&third), "Failed/OutOfpods");
    cluster.until(10);
    let fourth = cluster.pod(&pod("d", "sleep, '900'"));
    cluster.until(20);
    assert_eq!(cluster.line(&fourth), "Running c:ready");
}

#[test]
fn no_execute_taints_keep_pods_out() {
    let mut cluster = Cluster::new(&[]);
    cluster.node("{metadata: {name: n1}, spec: {taints: [{key: a, effect: NoExecute}]}}");
    let key = cluster.pod("{metadata: {name: p}, spec: {containers: [{name: c, image: x}]}}");
    let message = cluster.get(&key).status.clone().unwrap().message.unwrap();
    assert_eq!(
        message,
        "Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
    );
    let tolerant = cluster.pod("{metadata: {name: q}, spec: {tolerations: [{key: a, operator: Exists}], containers: [{name: c, image: x}]}}");
    assert_eq!(cluster.line(&tolerant), "Pending c:ContainerCreating");
}

#[test]
fn a_critical_pod_makes_room_for_itself() {
    let mut cluster = Cluster::new(&["n1"]);
    let small = cluster.pod("{metadata: {name: small}, spec: {containers: [{name: c, image: 'nginx:1', resources: {requests: {cpu: '1'}}}]}}");
    let large = cluster.pod("{metadata: {name: large}, spec: {containers: [{name: c, image: 'nginx:1', resources: {requests: {cpu: '3'}}}]}}");
    cluster.until(5);
    let critical = cluster.pod("{metadata: {name: critical}, spec: {priority: 2000001000, containers: [{name: c, image: 'nginx:1', resources: {requests: {cpu: '2'}}}]}}");
    cluster.until(10);
    assert_eq!(cluster.line(&critical), "Running c:ready");
    assert_eq!(cluster.line(&small), "Running c:ready");
    assert_eq!(cluster.line(&large), "Failed/Preempting c:Error(137)");
    assert_eq!(
        cluster.condition(&large, "DisruptionTarget"),
        "True/TerminationByKubelet"
    );
    assert!(
        cluster
            .events("large")
            .contains(&"Preempting: Preempted in order to admit critical pod".to_owned())
    );
}

#[test]
fn pods_wait_for_a_node_that_is_not_there() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {nodeName: n2, containers: [{name: c, image: 'nginx:1'}]}}",
    );
    cluster.until(10);
    assert_eq!(cluster.line(&key), "Pending");
    cluster.node("{metadata: {name: n2}, status: {allocatable: {cpu: '1', memory: 1Gi}}}");
    cluster.until(12);
    assert_eq!(cluster.line(&key), "Running c:ready");
}

#[test]
fn pods_that_ran_before_go_on() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {containers: [{name: c, image: 'nginx:1'}]}, status: {phase: Running, podIP: 10.1.2.3, \
         containerStatuses: [{name: c, image: nginx, imageID: '', ready: true, restartCount: 2, state: {running: {startedAt: '2024-12-31T23:00:00Z'}}}]}}",
    );
    assert_eq!(cluster.line(&key), "Running c:ready*2");
    assert_eq!(
        cluster.get(&key).status.clone().unwrap().pod_ip.as_deref(),
        Some("10.1.2.3")
    );
    assert_eq!(cluster.events("p"), [] as [String; 0]);
    cluster.until(100);
    cluster.delete(&key);
    cluster.until(102);
    assert!(!cluster.exists(&key));
}

#[test]
fn nothing_happens_on_a_node_whose_kubelet_is_stopped() {
    let mut cluster = Cluster::new(&["n1"]);
    let pod = |name: &str| {
        format!(
            "{{metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: 'nginx:1'}}]}}}}"
        )
    };
    let (a, b) = (cluster.pod(&pod("a")), cluster.pod(&pod("b")));
    cluster.until(5);
    assert_eq!(cluster.kubelet.nodes.get("n1").unwrap().stopped_since, None);
    assert!(cluster.kubelet.stop_node("n1", &cluster.api));
    assert!(!cluster.kubelet.stop_node("n9", &cluster.api));
    cluster.delete(&a);
    let c = cluster.pod(&pod("c"));
    cluster.until(500);
    assert_eq!(
        cluster.line(&a),
        "Running c:ready",
        "it stays as it is, being deleted"
    );
    assert_eq!(cluster.line(&b), "Running c:ready");
    assert_eq!(cluster.line(&c), "Pending");
    assert_eq!(
        cluster.kubelet.nodes.get("n1").unwrap().stopped_since,
        Some(5_000)
    );
    assert!(cluster.kubelet.start_node("n1", &mut cluster.api));
    cluster.settle();
    cluster.until(505);
    assert!(!cluster.exists(&a));
    assert_eq!(cluster.line(&c), "Running c:ready");
}

#[test]
fn kubelets_write_missing_node_conditions() {
    let mut cluster = Cluster::new(&[]);
    cluster.kubelet = super::super::Kubelet::with_node_status(Processes::ByCommand);
    cluster.node("{metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'False', reason: Mine}]}}");
    let conditions_of = |node: &Node| {
        let conditions = node.status.as_ref().unwrap().conditions.clone().unwrap();
        conditions
            .into_iter()
            .map(|own| format!("{}={}/{}", own.type_, own.status, own.reason.unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        conditions_of(&cluster.get_node("n1")),
        [
            "Ready=False/Mine",
            "MemoryPressure=False/KubeletHasSufficientMemory",
            "DiskPressure=False/KubeletHasNoDiskPressure",
            "PIDPressure=False/KubeletHasSufficientPID"
        ]
    );
    // The node lifecycle controller marks the node as unknown; then the kubelet returns.
    cluster.kubelet.stop_node("n1", &cluster.api);
    let mut lost = (*cluster.get_node("n1")).clone();
    lost.status.as_mut().unwrap().conditions.as_mut().unwrap()[0].status = "Unknown".to_owned();
    cluster.api.update_status(&lost).unwrap();
    cluster.settle();
    cluster.kubelet.start_node("n1", &mut cluster.api);
    assert_eq!(
        conditions_of(&cluster.get_node("n1"))[0],
        "Ready=True/KubeletReady"
    );
}

#[test]
fn kubelets_write_missing_node_info_and_addresses() {
    let mut cluster = Cluster::new(&[]);
    cluster.kubelet = super::super::Kubelet::with_node_status(Processes::ByCommand);
    cluster.node("{metadata: {name: n1, labels: {kubernetes.io/arch: arm64}}}");
    cluster.node(
        "{metadata: {name: n2}, status: {nodeInfo: {kubeletVersion: v1.33.0},
        addresses: [{type: InternalIP, address: 10.0.0.9}]}}",
    );
    let summary = |name: &str| {
        let status = cluster.get_node(name).status.clone().unwrap();
        let info = status.node_info.unwrap();
        let addresses = status.addresses.unwrap();
        let addresses: Vec<_> = addresses.into_iter().map(|own| own.address).collect();
        let version = info.kubelet_version;
        format!("{version} {} {}", info.architecture, addresses.join(" "))
    };
    assert_eq!(summary("n1"), "v1.36.3 arm64 172.18.0.2 n1");
    assert_eq!(summary("n2"), "v1.33.0  10.0.0.9 n2");
}

#[test]
fn pods_that_a_lost_kubelet_never_saw_end_when_their_node_returns() {
    let mut cluster = Cluster::new(&["n1"]);
    cluster.kubelet.stop_node("n1", &cluster.api);
    let pod = cluster.pod("{metadata: {name: a}, spec: {nodeName: n1, terminationGracePeriodSeconds: 2, containers: [{name: c, image: 'redis:7'}]}}");
    cluster.delete(&pod);
    cluster.until(5);
    let node = Key::new("", "n1");
    cluster.api.delete::<Node>(&node).unwrap();
    cluster.settle();
    cluster.until(10);
    assert!(cluster.exists(&pod));
    cluster.node("{metadata: {name: n1}}");
    cluster.until(20);
    assert!(!cluster.exists(&pod));
}

#[test]
fn deleted_mirror_pods_are_created_again() {
    let mut cluster = Cluster::new(&["n1"]);
    let manifest = super::fixture::manifest(
        "{metadata: {name: etcd, namespace: kube-system}, spec: {containers: [{name: c, image: 'etcd:3'}]}}",
    );
    let (api, kubelet) = (&mut cluster.api, &mut cluster.kubelet);
    let key = kubelet.add_static_pod("n1", manifest.clone(), api).unwrap();
    assert_eq!(key, Key::new("kube-system", "etcd-n1"));
    assert!(
        kubelet.add_static_pod("n1", manifest, api).is_err(),
        "once is enough"
    );
    cluster.settle();
    cluster.until(5);
    assert_eq!(cluster.line(&key), "Running c:ready");
    let first = cluster.get(&key);
    let annotations = first.metadata.annotations.clone().unwrap();
    assert_eq!(annotations["kubernetes.io/config.source"], "file");
    assert_eq!(
        annotations["kubernetes.io/config.mirror"],
        annotations["kubernetes.io/config.hash"]
    );
    let owner = &first.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str(), owner.controller),
        ("Node", "n1", Some(true))
    );
    let statuses = |pod: &k8s_openapi::api::core::v1::Pod| {
        pod.status.as_ref().unwrap().container_statuses.clone()
    };
    cluster.delete(&key);
    cluster.until(6);
    let second = cluster.get(&key);
    assert_ne!(first.metadata.uid, second.metadata.uid);
    assert_eq!(second.metadata.deletion_timestamp, None);
    assert_eq!(
        statuses(&first),
        statuses(&second),
        "the containers have not noticed"
    );
}

#[test]
fn loaded_mirror_pods_are_created_again() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: dns-n1, annotations: {kubernetes.io/config.source: file, kubernetes.io/config.mirror: abc}}, \
         spec: {containers: [{name: c, image: 'dns:1'}]}, status: {phase: Running, \
         containerStatuses: [{name: c, image: dns, imageID: '', ready: true, restartCount: 0, state: {running: {}}}]}}",
    );
    cluster.delete(&key);
    cluster.until(40);
    assert_eq!(cluster.line(&key), "Running c:ready");
    assert_eq!(cluster.get(&key).metadata.deletion_timestamp, None);
}

#[test]
fn static_pods_come_with_their_node() {
    let mut cluster = Cluster::new(&[]);
    let manifest = super::fixture::manifest(
        "{metadata: {name: web}, spec: {containers: [{name: c, image: 'nginx:1'}]}}",
    );
    let key = cluster
        .kubelet
        .add_static_pod("n7", manifest, &mut cluster.api)
        .unwrap();
    assert!(!cluster.exists(&key));
    cluster.node("{metadata: {name: n7}, status: {allocatable: {cpu: '1', memory: 1Gi}}}");
    cluster.until(3);
    assert_eq!(cluster.line(&key), "Running c:ready");
}
