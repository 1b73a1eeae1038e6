//! Memory usage above a container's limit, and above the node's capacity.

use super::fixture::Cluster;

/// A Pod with this memory usage, request and priority.
fn pod(name: &str, in_use: &str, request: &str, priority: i32) -> String {
    let resources = if request.is_empty() {
        String::new()
    } else {
        format!(", resources: {{requests: {{memory: {request}}}}}")
    };
    format!(
        "{{metadata: {{name: {name}, annotations: {{berth.dev/memory: '{in_use}'}}}}, spec: {{priority: {priority}, containers: [{{name: c, image: 'nginx:1'{resources}}}]}}}}"
    )
}

#[test]
fn more_than_the_limit_is_killed_and_starts_again() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {containers: [{name: c, image: 'polinux/stress:1', resources: {requests: {memory: 50Mi}, limits: {memory: 100Mi}}, \
         command: [stress], args: [--vm, '1', --vm-bytes, 250M, --vm-hang, '1']}]}}",
    );
    cluster.until(1);
    assert_eq!(cluster.line(&key), "Running c:ready");
    cluster.until(2);
    assert_eq!(cluster.line(&key), "Running c:OOMKilled(137)");
    cluster.until(5);
    assert_eq!(cluster.line(&key), "Running c:CrashLoopBackOff*1");
    let fits = cluster.pod(
        "{metadata: {name: q}, spec: {containers: [{name: c, image: 'polinux/stress:1', resources: {limits: {memory: 200Mi}}, \
         command: [stress], args: [--vm, '1', --vm-bytes, 150M]}]}}",
    );
    cluster.until(60);
    assert_eq!(cluster.line(&fits), "Running c:ready");
}

#[test]
fn memory_that_grows_is_killed_when_it_passes_the_limit() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p, annotations: {berth.dev/memory: '50Mi,90Mi@10s,101Mi@20s'}}, spec: {restartPolicy: Never, \
         containers: [{name: c, image: 'nginx:1', resources: {limits: {memory: 100Mi}}}]}}",
    );
    cluster.until(20);
    assert_eq!(cluster.line(&key), "Running c:ready");
    cluster.until(21);
    assert_eq!(cluster.line(&key), "Failed c:OOMKilled(137)");
}

#[test]
fn a_node_that_is_short_evicts_one_after_the_other() {
    let mut cluster = Cluster::new(&["n1"]);
    // The node has 8Gi; 3 + 2 + 2 + 1.5 Gi exceed it, and one eviction suffices.
    let modest = cluster.pod(&pod("modest", "3Gi", "4Gi", 0));
    let important = cluster.pod(&pod("important", "2Gi", "1Gi", 1000));
    let greedy = cluster.pod(&pod("greedy", "2Gi", "500Mi", 0));
    let slight = cluster.pod(&pod("slight", "1536Mi", "1Gi", 0));
    cluster.until(9);
    assert_eq!(cluster.line(&greedy), "Running c:ready");
    cluster.until(10);
    assert_eq!(
        cluster.line(&greedy),
        "Failed/Evicted c:Error(137)",
        "the most beyond its request of the least important"
    );
    cluster.until(30);
    for key in [&modest, &important, &slight] {
        assert_eq!(cluster.line(key), "Running c:ready");
    }
    let status = cluster.get(&greedy).status.clone().unwrap();
    let message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. \
                   Container c was using 2Gi, request is 500Mi, has larger consumption of memory. ";
    assert_eq!(status.message.as_deref(), Some(message));
    assert!(
        cluster
            .events("greedy")
            .contains(&format!("Evicted: {message}"))
    );
    assert_eq!(
        cluster.condition(&greedy, "DisruptionTarget"),
        "True/TerminationByKubelet"
    );
    assert_eq!(
        cluster.events("n1"),
        [
            "EvictionThresholdMet: Attempting to reclaim memory",
            "NodeHasInsufficientMemory: Node n1 status is now: NodeHasInsufficientMemory"
        ]
    );
    // Under memory pressure, BestEffort Pods are rejected.
    let lax =
        cluster.pod("{metadata: {name: lax}, spec: {containers: [{name: c, image: 'nginx:1'}]}}");
    assert_eq!(
        cluster.get(&lax).status.clone().unwrap().message.as_deref(),
        Some("Pod was rejected: The node had condition: [MemoryPressure]. ")
    );
    let pressure = |cluster: &Cluster| {
        let conditions = cluster
            .get_node("n1")
            .status
            .clone()
            .unwrap()
            .conditions
            .unwrap();
        conditions
            .into_iter()
            .find(|own| own.type_ == "MemoryPressure")
            .unwrap()
            .status
    };
    cluster.until(309);
    assert_eq!(pressure(&cluster), "True");
    cluster.until(310);
    assert_eq!(pressure(&cluster), "False");
    assert_eq!(
        cluster.kubelet.next_due(),
        None,
        "memory is not measured while nothing changes"
    );
}

#[test]
fn pods_within_their_requests_go_last_and_critical_ones_never() {
    let mut cluster = Cluster::new(&["n1"]);
    let critical = cluster.pod(&pod("critical", "4Gi", "1Gi", 2_000_000_000));
    let guaranteed = cluster.pod(&pod("within", "2Gi", "3Gi", 0));
    let rising = cluster.pod(&pod("rising", "100Mi,2Gi@30s", "", 100));
    cluster.until(35);
    assert_eq!(cluster.line(&rising), "Running c:ready");
    cluster.until(40);
    assert_eq!(
        cluster.line(&rising),
        "Failed/Evicted c:Error(137)",
        "8Gi are in use, and BestEffort is beyond its request"
    );
    let more = cluster.pod(&pod("more", "1950Mi", "3Gi", 5));
    cluster.until(70);
    assert_eq!(
        cluster.line(&guaranteed),
        "Failed/Evicted c:Error(137)",
        "the less important of those within their requests"
    );
    assert_eq!(cluster.line(&more), "Running c:ready");
    assert_eq!(cluster.line(&critical), "Running c:ready");
}
