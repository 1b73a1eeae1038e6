//! The container lifecycle: order, restarts, termination.

use super::fixture::Cluster;

/// A Pod with these fields of its spec, in flow style.
fn pod(spec: &str) -> String {
    format!("{{metadata: {{name: p}}, spec: {{{spec}}}}}")
}

#[test]
fn a_pod_is_created_runs_and_is_deleted() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("containers: [{name: web, image: 'nginx:1.27'}]"));
    assert_eq!(cluster.line(&key), "Pending web:ContainerCreating");
    assert_eq!(cluster.condition(&key, "Ready"), "False/ContainersNotReady");
    assert_eq!(
        cluster.condition(&key, "PodReadyToStartContainers"),
        "False"
    );
    cluster.until(1);
    assert_eq!(cluster.line(&key), "Running web:ready");
    for kind in [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ] {
        assert_eq!(cluster.condition(&key, kind), "True", "{kind}");
    }
    let status = cluster.get(&key).status.clone().unwrap();
    assert_eq!(status.pod_ip.as_deref(), Some("10.244.0.2"));
    assert_eq!(status.host_ip.as_deref(), Some("172.18.0.2"));
    assert_eq!(status.qos_class.as_deref(), Some("BestEffort"));
    let web = &status.container_statuses.unwrap()[0];
    assert_eq!(web.image, "docker.io/library/nginx:1.27");
    assert!(web.image_id.starts_with("docker.io/library/nginx@sha256:"));
    assert!(
        web.container_id
            .as_ref()
            .unwrap()
            .starts_with("containerd://")
    );
    cluster.until(10);
    cluster.delete(&key);
    assert!(cluster.exists(&key));
    cluster.until(11);
    assert!(!cluster.exists(&key));
    assert_eq!(
        cluster.events("p"),
        [
            "Pulled: Container image \"nginx:1.27\" already present on machine",
            "Created: Created container: web",
            "Started: Started container web",
            "Killing: Stopping container web",
        ]
    );
    assert_eq!(cluster.kubelet.next_due(), None);
}

#[test]
fn the_newest_image_is_pulled_each_time() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("containers: [{name: web, image: nginx}]"));
    cluster.until_ms(1_999);
    assert_eq!(cluster.line(&key), "Pending web:ContainerCreating");
    cluster.until(2);
    assert_eq!(cluster.line(&key), "Running web:ready");
    assert_eq!(
        cluster.events("p")[..2],
        [
            "Pulling: Pulling image \"nginx\"",
            "Pulled: Successfully pulled image \"nginx\" in 1s (1s including waiting). Image size: 50000000 bytes.",
        ]
    );
}

#[test]
fn missing_images_are_pulled_with_backoff() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p, annotations: {berth.dev/image: missing}}, spec: {containers: [{name: web, image: 'nginx:typo'}]}}",
    );
    cluster.until(2);
    assert_eq!(cluster.line(&key), "Pending web:ErrImagePull");
    cluster.until(3);
    assert_eq!(cluster.line(&key), "Pending web:ImagePullBackOff");
    let status = cluster.get(&key).status.clone().unwrap();
    let waiting = status.container_statuses.unwrap()[0]
        .state
        .clone()
        .unwrap()
        .waiting
        .unwrap();
    assert!(
        waiting.message.unwrap().starts_with(
            "Back-off pulling image \"nginx:typo\": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/nginx:typo\""
        )
    );
    cluster.until(12);
    assert_eq!(cluster.line(&key), "Pending web:ErrImagePull");
    assert!(
        cluster
            .events("p")
            .contains(&"Failed: Error: ErrImagePull x2".to_owned())
    );
    // The image is corrected.
    cluster.change(&key, |pod| {
        pod.metadata.annotations = None;
        pod.spec.as_mut().unwrap().containers[0].image = Some("nginx:1.27".to_owned());
    });
    cluster.until(60);
    assert_eq!(cluster.line(&key), "Running web:ready");
}

#[test]
fn failing_containers_restart_with_backoff() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(
        "containers: [{name: c, image: 'busybox:1', command: [sh, -c, 'sleep 2; exit 3']}]",
    ));
    let mut seen = Vec::new();
    let mut last = String::new();
    while cluster.api.now_ms() < 60_000 {
        let line = cluster.line(&key);
        if line != last {
            seen.push(format!("{} {line}", cluster.api.now_ms() / 1_000));
            last = line;
        }
        cluster.until_ms(cluster.api.now_ms() + 500);
    }
    assert_eq!(
        seen,
        [
            "0 Pending c:ContainerCreating",
            "1 Running c:ready",
            "3 Running c:Error(3)",
            // The first restart is immediate.
            "4 Running c:ready*1",
            "6 Running c:Error(3)*1",
            "7 Running c:CrashLoopBackOff*1",
            "16 Running c:ready*2",
            "18 Running c:Error(3)*2",
            "19 Running c:CrashLoopBackOff*2",
            "38 Running c:ready*3",
            "40 Running c:Error(3)*3",
            "41 Running c:CrashLoopBackOff*3",
        ]
    );
    let pod = cluster.get(&key);
    let uid = pod.metadata.uid.clone().unwrap();
    assert!(cluster.events("p").contains(&format!(
        "BackOff: Back-off restarting failed container c in pod p_default({uid}) x3"
    )));
    let status = pod
        .status
        .as_ref()
        .unwrap()
        .container_statuses
        .as_ref()
        .unwrap()[0]
        .clone();
    let waiting = status.state.unwrap().waiting.unwrap();
    assert_eq!(
        waiting.message,
        Some(format!(
            "back-off 40s restarting failed container=c pod=p_default({uid})"
        ))
    );
    let last = status.last_state.unwrap().terminated.unwrap();
    assert_eq!((last.exit_code, last.reason.as_deref()), (3, Some("Error")));
}

#[test]
fn restart_policies_decide_what_an_end_means() {
    for (policy, command, expected) in [
        ("Never", "'true'", "Succeeded c:Completed(0)"),
        ("Never", "'false'", "Failed c:Error(1)"),
        ("OnFailure", "'true'", "Succeeded c:Completed(0)"),
        ("OnFailure", "'false'", "Running c:CrashLoopBackOff*1"),
        ("Always", "'true'", "Running c:CrashLoopBackOff*1"),
    ] {
        let mut cluster = Cluster::new(&["n1"]);
        let key = cluster.pod(&pod(&format!(
            "restartPolicy: {policy}, containers: [{{name: c, image: 'busybox:1', command: [{command}]}}]"
        )));
        cluster.until(6);
        assert_eq!(cluster.line(&key), expected, "{policy} {command}");
    }
}

#[test]
fn finished_pods_have_completed_conditions() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(
        "restartPolicy: Never, containers: [{name: c, image: 'perl:5', command: [perl]}]",
    ));
    cluster.until(5);
    assert_eq!(cluster.condition(&key, "Initialized"), "True/PodCompleted");
    assert_eq!(cluster.condition(&key, "Ready"), "False/PodCompleted");
    assert_eq!(
        cluster.condition(&key, "ContainersReady"),
        "False/PodCompleted"
    );
    assert_eq!(
        cluster.condition(&key, "PodReadyToStartContainers"),
        "False"
    );
    cluster.delete(&key);
    assert!(!cluster.exists(&key), "nothing is left to wait for");
}

const INIT: &str = "initContainers: [{name: one, image: 'busybox:1', command: [sleep, '3']}, \
     {name: proxy, image: 'envoy:1', restartPolicy: Always}, \
     {name: two, image: 'busybox:1', command: [sleep, '2']}], ";

#[test]
fn init_containers_run_in_order_and_sidecars_stay() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(&format!(
        "{INIT} restartPolicy: Never, containers: [{{name: c, image: 'busybox:1', command: [sleep, '10']}}]"
    )));
    let mut seen = Vec::new();
    for second in 0..20 {
        cluster.until(second);
        let line = format!("{second} {}", cluster.line(&key));
        let text = |line: &String| line.split_once(' ').map(|(_, text)| text.to_owned());
        if seen.last().and_then(text) != text(&line) {
            seen.push(line);
        }
        if second == 4 {
            assert_eq!(
                cluster.condition(&key, "Initialized"),
                "False/ContainersNotInitialized"
            );
        }
    }
    assert_eq!(
        seen,
        [
            "0 Pending one:PodInitializing proxy:PodInitializing two:PodInitializing c:PodInitializing",
            "1 Pending one:unready proxy:PodInitializing two:PodInitializing c:PodInitializing",
            "4 Pending one:Completed(0) proxy:ready two:unready c:PodInitializing",
            "6 Running one:Completed(0) proxy:ready two:Completed(0) c:ready",
            // The main container is done, so the sidecar is stopped.
            "16 Running one:Completed(0) proxy:ready two:Completed(0) c:Completed(0)",
            "17 Succeeded one:Completed(0) proxy:Completed(0) two:Completed(0) c:Completed(0)",
        ]
    );
}

#[test]
fn an_init_container_that_fails_is_tried_again_or_fails_the_pod() {
    let init = "initContainers: [{name: i, image: 'busybox:1', command: ['false']}], containers: [{name: c, image: 'nginx:1'}]";
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(init));
    cluster.until(6);
    assert_eq!(
        cluster.line(&key),
        "Pending i:CrashLoopBackOff*1 c:PodInitializing"
    );
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(&format!("restartPolicy: Never, {init}")));
    cluster.until(6);
    assert_eq!(cluster.line(&key), "Failed i:Error(1) c:PodInitializing");
}

#[test]
fn a_sidecar_that_ends_comes_back_and_gates_until_it_has_started() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p, annotations: {berth.dev/startup.proxy: 'fail,ok@10s', berth.dev/run-for.proxy: 30s}}, \
         spec: {restartPolicy: Never, initContainers: [{name: proxy, image: 'envoy:1', restartPolicy: Always, \
         startupProbe: {periodSeconds: 2, failureThreshold: 30, httpGet: {port: 80}}}], containers: [{name: c, image: 'nginx:1'}]}}",
    );
    cluster.until(10);
    assert_eq!(
        cluster.line(&key),
        "Pending proxy:unready c:PodInitializing"
    );
    cluster.until(11);
    assert_eq!(cluster.line(&key), "Running proxy:ready c:ready");
    assert!(cluster.events("p").contains(
        &"Unhealthy: Startup probe failed: HTTP probe failed with statuscode: 500 x5".to_owned()
    ));
    cluster.until(32);
    assert_eq!(cluster.line(&key), "Running proxy:unready*1 c:ready");
    assert_eq!(cluster.condition(&key, "Ready"), "False/ContainersNotReady");
}

#[test]
fn a_pod_that_is_deleted_gets_its_grace_and_no_more() {
    for (spec, gone_after) in [
        // `sleep` ignores SIGTERM.
        (
            "containers: [{name: c, image: 'busybox:1', command: [sleep, '3600']}]",
            30,
        ),
        (
            "terminationGracePeriodSeconds: 5, containers: [{name: c, image: 'busybox:1', command: [sleep, '3600']}]",
            5,
        ),
        (
            "containers: [{name: c, image: 'busybox:1', command: [sleep, '15']}]",
            5,
        ),
        ("containers: [{name: c, image: 'nginx:1'}]", 1),
        (
            "containers: [{name: c, image: 'nginx:1', lifecycle: {preStop: {sleep: {seconds: 10}}}}]",
            11,
        ),
        (
            "containers: [{name: c, image: 'nginx:1', lifecycle: {preStop: {exec: {command: [sh, -c, sleep 7]}}}}]",
            8,
        ),
        // A hook as long as the grace period leaves two more seconds.
        (
            "terminationGracePeriodSeconds: 4, containers: [{name: c, image: 'busybox:1', command: [sleep, '90'], lifecycle: {preStop: {sleep: {seconds: 60}}}}]",
            6,
        ),
        // Sidecars stop one by one, after the main containers.
        (
            "initContainers: [{name: a, image: 'nginx:1', restartPolicy: Always}, {name: b, image: 'nginx:1', restartPolicy: Always}], containers: [{name: c, image: 'nginx:1'}]",
            3,
        ),
    ] {
        let mut cluster = Cluster::new(&["n1"]);
        let key = cluster.pod(&pod(spec));
        cluster.until(11);
        cluster.delete(&key);
        cluster.until_ms(11_000 + gone_after * 1_000 - 1);
        assert!(cluster.exists(&key), "{spec}");
        cluster.until(11 + gone_after);
        assert!(!cluster.exists(&key), "{spec}");
    }
}

#[test]
fn finalizers_keep_a_pod_that_has_ended() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod("{metadata: {name: p, finalizers: [a/b]}, spec: {containers: [{name: c, image: 'nginx:1'}]}}");
    cluster.until(5);
    cluster.delete(&key);
    cluster.until(100);
    assert_eq!(cluster.line(&key), "Succeeded c:Completed(0)");
    cluster.change_finalizers(&key);
    assert!(!cluster.exists(&key));
}

#[test]
fn a_pod_may_run_only_so_long() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod(
        "activeDeadlineSeconds: 20, containers: [{name: c, image: 'nginx:1'}]",
    ));
    cluster.until(19);
    assert_eq!(cluster.line(&key), "Running c:ready");
    cluster.until(21);
    assert_eq!(cluster.line(&key), "Failed/DeadlineExceeded c:Completed(0)");
    let message = "Pod was active on the node longer than the specified deadline";
    assert_eq!(
        cluster
            .get(&key)
            .status
            .as_ref()
            .unwrap()
            .message
            .as_deref(),
        Some(message)
    );
}

#[test]
fn a_deadline_that_is_set_later_counts_from_the_start() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("containers: [{name: c, image: 'nginx:1'}]"));
    cluster.until(5);
    cluster.change(&key, |pod| {
        pod.spec.as_mut().unwrap().active_deadline_seconds = Some(20);
    });
    cluster.until(19);
    assert_eq!(cluster.line(&key), "Running c:ready");
    cluster.until(60);
    assert_eq!(cluster.line(&key), "Failed/DeadlineExceeded c:Completed(0)");
}

#[test]
fn a_new_image_restarts_the_container() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("containers: [{name: c, image: 'nginx:1'}]"));
    cluster.until(5);
    cluster.change(&key, |pod| {
        pod.spec.as_mut().unwrap().containers[0].image = Some("nginx:2".to_owned());
    });
    cluster.until(8);
    assert_eq!(cluster.line(&key), "Running c:ready*1");
    assert!(
        cluster
            .events("p")
            .contains(&"Killing: Container c definition changed, will be restarted".to_owned())
    );
}

#[test]
fn a_new_image_restarts_the_container_under_any_policy() {
    for policy in ["Never", "OnFailure"] {
        let mut cluster = Cluster::new(&["n1"]);
        let key = cluster.pod(&pod(&format!(
            "restartPolicy: {policy}, containers: [{{name: c, image: 'nginx:1'}}]"
        )));
        cluster.until(5);
        cluster.change(&key, |pod| {
            pod.spec.as_mut().unwrap().containers[0].image = Some("nginx:2".to_owned());
        });
        // The Pod must not be `Succeeded` in between, or the scheduler would drop it.
        for second in 5..9 {
            cluster.until(second);
            let line = cluster.line(&key);
            assert!(line.starts_with("Running"), "{policy}, {second} s: {line}");
        }
        assert_eq!(cluster.line(&key), "Running c:ready*1");
    }
}

#[test]
fn ephemeral_containers_run_once() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&pod("containers: [{name: c, image: 'nginx:1'}]"));
    cluster.until(5);
    cluster.change(&key, |pod| {
        let debugger = super::fixture::manifest(
            "{metadata: {name: x}, spec: {containers: [], ephemeralContainers: [{name: d, image: 'busybox:1', command: [sleep, '4']}]}}",
        );
        pod.spec.as_mut().unwrap().ephemeral_containers = debugger.spec.unwrap().ephemeral_containers;
    });
    assert_eq!(cluster.line(&key), "Running c:ready d:ready");
    cluster.until(60);
    assert_eq!(cluster.line(&key), "Running c:ready d:Completed(0)");
}
