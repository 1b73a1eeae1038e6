//! `postStart` and `preStop` hooks.

use super::fixture::Cluster;

fn hooked(hooks: &str, command: &str) -> String {
    format!(
        "{{metadata: {{name: p}}, spec: {{terminationGracePeriodSeconds: 4, containers: [\
         {{name: c, image: 'nginx:1.27', command: {command}, lifecycle: {{{hooks}}}}}, {{name: d, image: 'nginx:1.27'}}]}}}}"
    )
}

fn exec(script: &str) -> String {
    format!("{{exec: {{command: [sh, -c, '{script}']}}}}")
}

#[test]
fn a_container_is_created_until_its_post_start_hook_has_ended() {
    let mut cluster = Cluster::new(&["n1"]);
    let hook = format!("postStart: {}", exec("sleep 7; touch /started"));
    let key = cluster.pod(&hooked(&hook, "[nginx]"));
    cluster.until(7);
    assert_eq!(
        cluster.line(&key),
        "Pending c:ContainerCreating d:ContainerCreating"
    );
    cluster.until(8);
    assert_eq!(cluster.line(&key), "Running c:ready d:ready");
}

#[test]
fn a_container_whose_post_start_hook_fails_is_killed_and_restarts_with_back_off() {
    let mut cluster = Cluster::new(&["n1"]);
    let hook = format!("postStart: {}", exec("sleep 2; exit 3"));
    let key = cluster.pod(&hooked(&hook, "[sleep, \"900\"]"));
    cluster.until(60);
    let events = cluster.events("p");
    let has = |text: &str| {
        events
            .iter()
            .any(|it| it.starts_with(text) && it.ends_with(" x4"))
    };
    let failed = "FailedPostStartHook: PostStartHook failed";
    assert!(has(failed), "{events:?}");
    assert!(has("Killing: FailedPostStartHook"), "{events:?}");
    let back_off = "BackOff: Back-off restarting failed container c";
    assert!(events.iter().any(|it| it.starts_with(back_off)));
    assert!(!cluster.line(&key).contains("c:ready"));
}

#[test]
fn a_hook_that_hangs_ends_with_the_pod() {
    let mut cluster = Cluster::new(&["n1"]);
    let hook = format!("postStart: {}", exec("while true; do sleep 1; done"));
    let key = cluster.pod(&hooked(&hook, "[nginx]"));
    cluster.until(1_000);
    assert!(
        cluster
            .line(&key)
            .starts_with("Pending c:ContainerCreating")
    );
    cluster.delete(&key);
    cluster.until(1_010);
    assert!(!cluster.exists(&key));
}

#[test]
fn a_failed_pre_stop_hook_is_reported() {
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(&hooked(&format!("preStop: {}", exec("exit 1")), "[nginx]"));
    cluster.until(5);
    cluster.delete(&key);
    cluster.until(20);
    assert!(!cluster.exists(&key));
    let events = cluster.events("p");
    assert!(events.contains(&"FailedPreStopHook: PreStopHook failed".to_owned()));
}

#[test]
fn a_server_started_by_a_script_runs_on() {
    for (script, state) in [
        ("/opt/tomcat/bin/start.sh", "ready"),
        ("exec java -jar app.jar", "ready"),
        ("cp /a /b && nginx -g \"daemon off;\"", "ready"),
        ("set -e; gunicorn app | tee /var/log/app", "ready"),
        ("nginx; echo done", "Completed(0)"),
        ("nginx & wait; cp /a /b", "Completed(0)"),
        ("cd /app; ls; env", "Completed(0)"),
        ("if true; then x; fi", "Completed(0)"),
    ] {
        let mut cluster = Cluster::new(&["n1"]);
        let key = cluster.pod(&format!(
            "{{metadata: {{name: p}}, spec: {{restartPolicy: Never, containers: [{{name: c, image: shop, \
             command: [sh, -c, '{script}']}}]}}}}"
        ));
        cluster.until(300);
        assert!(
            cluster.line(&key).ends_with(&format!("c:{state}")),
            "{script}: {}",
            cluster.line(&key)
        );
    }
    // Neither Jobs nor init containers wait for a server.
    let mut cluster = Cluster::new(&["n1"]);
    let key = cluster.pod(
        "{metadata: {name: p}, spec: {initContainers: [{name: i, image: shop, command: [sh, -c, 'sleep 3; ./migrate']}], \
         containers: [{name: c, image: nginx}]}}",
    );
    cluster.until(8);
    assert!(cluster.line(&key).starts_with("Pending"));
    cluster.until(12);
    assert!(cluster.line(&key).starts_with("Running"));
}
