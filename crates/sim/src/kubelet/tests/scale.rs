//! Many Pods, and determinism.

use super::fixture::Cluster;

/// A cluster with this many Pods on ten nodes.
fn crowd(pods: usize) -> Cluster {
    let nodes: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    let mut cluster = Cluster::new(&[]);
    for node in &nodes {
        cluster.node(&format!("{{metadata: {{name: {node}}}, status: {{allocatable: {{cpu: '900', memory: 900Gi, pods: '2000'}}}}}}"));
    }
    let pod = super::fixture::manifest(
        "{metadata: {name: p}, spec: {containers: [{name: c, image: 'nginx:1', resources: {requests: {cpu: 10m}}, \
         livenessProbe: {httpGet: {port: 80}}, readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 3}}]}}",
    );
    for number in 0..pods {
        let mut pod = pod.clone();
        pod.metadata.name = Some(format!("p-{number:05}"));
        pod.spec.as_mut().unwrap().node_name = Some(nodes[number % nodes.len()].clone());
        pod.status.get_or_insert_default().phase = Some("Pending".to_owned());
        cluster.api.create(pod).unwrap();
    }
    cluster.settle();
    cluster
}

#[test]
fn thousands_of_pods_run_and_then_nothing_is_left_to_do() {
    let mut cluster = crowd(2_000);
    cluster.until(10);
    let ready = cluster
        .api
        .store()
        .pods
        .iter()
        .filter(|pod| crate::pod_util::is_ready(pod))
        .count();
    assert_eq!(ready, 2_000);
    assert_eq!(
        cluster.kubelet.next_due(),
        None,
        "probes that see nothing new are not asked one by one"
    );
}

#[test]
fn equal_runs_are_identical() {
    let lives = [(); 2].map(|()| {
        let mut cluster = crowd(50);
        cluster.until(10);
        let pods = cluster.api.store().pods.iter().map(|pod| (**pod).clone());
        (
            pods.collect::<Vec<_>>(),
            cluster.api.events().iter().cloned().collect::<Vec<_>>(),
        )
    });
    assert_eq!(lives[0], lives[1]);
}
