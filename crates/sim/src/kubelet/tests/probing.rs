//! Readiness, liveness and startup probes, and readiness gates.

use super::fixture::Cluster;

fn pod(annotations: &str, probes: &str) -> String {
    format!(
        "{{metadata: {{name: p, annotations: {{{annotations}}}}}, spec: {{containers: [{{name: c, image: 'nginx:1', {probes}}}]}}}}"
    )
}

#[test]
fn readiness_follows_the_annotation_through_the_probe() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(
        "berth.dev/readiness: 'fail,ok@12s,fail@33s'",
        "readinessProbe: {tcpSocket: {port: 8080}, initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 2}",
    ));
    let mut changes = Vec::new();
    for second in 0..60 {
        cluster.until(second);
        let ready = cluster.condition(&key, "Ready");
        if changes.last().is_none_or(|(_, last)| *last != ready) {
            changes.push((second, ready));
        }
    }
    // The container starts at 1 and is probed at 6, 11, 16, …. It fails at 6 and 11, and from 36 on: a second time at
    // 41.
    let expected = [
        (0, "False/ContainersNotReady"),
        (16, "True"),
        (41, "False/ContainersNotReady"),
    ];
    assert_eq!(
        changes,
        expected.map(|(second, text)| (second, text.to_owned()))
    );
    let unhealthy = "Unhealthy: Readiness probe failed: dial tcp 10.244.0.2:8080: connect: connection refused x7";
    assert!(
        cluster.events("p").contains(&unhealthy.to_owned()),
        "{:?}",
        cluster.events("p")
    );
    let status = cluster.get(&key).status.clone().unwrap();
    let ready = status
        .conditions
        .unwrap()
        .into_iter()
        .find(|own| own.type_ == "ContainersReady");
    assert_eq!(
        ready.unwrap().message.as_deref(),
        Some("containers with unready status: [c]")
    );
}

#[test]
fn annotations_set_readiness_without_a_probe() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("berth.dev/ready-after: 5s", ""));
    cluster.until(5);
    assert_eq!(cluster.line(&key), "Running c:unready");
    cluster.until(6);
    assert_eq!(cluster.line(&key), "Running c:ready");
    assert_eq!(
        cluster.kubelet.next_due(),
        None,
        "there is nothing left to ask"
    );
    cluster.change(&key, |pod| {
        let annotations = pod.metadata.annotations.get_or_insert_default();
        annotations.insert("berth.dev/readiness".to_owned(), "fail".to_owned());
    });
    cluster.until(8);
    assert_eq!(cluster.line(&key), "Running c:unready");
    assert!(
        !cluster
            .events("p")
            .iter()
            .any(|event| event.starts_with("Unhealthy"))
    );
}

#[test]
fn a_container_that_is_not_alive_is_started_again() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {terminationGracePeriodSeconds: 3, containers: [{name: c, image: 'busybox:1', \
         args: [/bin/sh, -c, 'touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600'], \
         livenessProbe: {exec: {command: [cat, /tmp/healthy]}, initialDelaySeconds: 5, periodSeconds: 5}}]}}",
    );
    // Probed at 6, 11, …: fails at 31, 36 and 41, and is killed three seconds later. Without a readiness probe, it
    // stays ready until then.
    cluster.until(43);
    assert_eq!(cluster.line(&key), "Running c:ready");
    cluster.until(44);
    assert_eq!(cluster.line(&key), "Running c:Error(137)");
    cluster.until(45);
    assert_eq!(cluster.line(&key), "Running c:ready*1");
    let events = cluster.events("p");
    for event in [
        "Unhealthy: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory x3",
        "Killing: Container c failed liveness probe, will be restarted",
    ] {
        assert!(events.contains(&event.to_owned()), "{events:?}");
    }
}

#[test]
fn a_container_that_never_starts_up_is_killed_for_good_if_it_may_not_restart() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p, annotations: {berth.dev/startup: fail}}, spec: {restartPolicy: Never, \
         containers: [{name: c, image: 'nginx:1', startupProbe: {httpGet: {port: 80}, periodSeconds: 10, failureThreshold: 2}}]}}",
    );
    cluster.until(5);
    assert_eq!(cluster.line(&key), "Running c:unready");
    cluster.until(30);
    assert_eq!(cluster.line(&key), "Succeeded c:Completed(0)");
    let killing = "Killing: Container c failed startup probe".to_owned();
    assert!(cluster.events("p").contains(&killing));
}

#[test]
fn readiness_gates_are_opened_by_others() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {readinessGates: [{conditionType: example.com/lb}], containers: [{name: c, image: 'nginx:1'}]}}",
    );
    cluster.until(2);
    assert_eq!(cluster.condition(&key, "ContainersReady"), "True");
    assert_eq!(
        cluster.condition(&key, "Ready"),
        "False/ReadinessGatesNotReady"
    );
    cluster.change(&key, |pod| {
        let conditions = pod.status.as_mut().unwrap().conditions.as_mut().unwrap();
        conditions.push(k8s_openapi::api::core::v1::PodCondition {
            type_: "example.com/lb".to_owned(),
            status: "True".to_owned(),
            ..Default::default()
        });
    });
    assert_eq!(cluster.condition(&key, "Ready"), "True");
    assert_eq!(cluster.condition(&key, "example.com/lb"), "True");
}
