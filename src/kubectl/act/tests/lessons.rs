//! What tutorials do besides.

use serde_json::json;

use super::Terminal;

const WARNING: &str = "Flag --record has been deprecated, --record will be removed in the future\n";
const CAUSE: &str = "/metadata/annotations/kubernetes.io~1change-cause";

fn cause(t: &Terminal) -> serde_json::Value {
    let object = t.cluster.json("Deployment", "default", "web");
    object.pointer(CAUSE).cloned().unwrap_or_default()
}

#[test]
fn commands_are_recorded_on_request() {
    let mut t = Terminal::new();
    for (line, recorded) in [
        (
            "kubectl create -f web.yaml --record",
            "kubectl create --filename=web.yaml --record=true",
        ),
        (
            "kubectl set image --record deploy/web nginx=nginx:2 -n default",
            "kubectl set image deploy/web nginx=nginx:2 --record=true --namespace=default",
        ),
        (
            "kubectl scale deploy web --replicas 3 --record",
            "kubectl scale deploy web --replicas=3 --record=true",
        ),
        (
            "kubectl apply -f web.yaml --record=true",
            "kubectl apply --filename=web.yaml --record=true",
        ),
    ] {
        let output = t.run(line);
        // `apply` misses what `create` did not write.
        assert!(
            output.stderr.starts_with(WARNING),
            "{line}: {}",
            output.stderr
        );
        assert_eq!((output.code, cause(&t)), (0, json!(recorded)), "{line}");
    }
    // Without the flag the last one stays.
    t.good("kubectl set image deploy/web nginx=nginx:3");
    assert_eq!(cause(&t), "kubectl apply --filename=web.yaml --record=true");
}

#[test]
fn generators_tell_what_validation_refuses() {
    let mut t = Terminal::new();
    assert_eq!(
        t.bad("kubectl create cronjob a --image=x --schedule='61 * * * *' -- date"),
        "error: failed to create cronjob: CronJob.batch \"a\" is invalid: spec.schedule: Invalid value: \
         \"61 * * * *\": end of range (61) above maximum (59): 61\n"
    );
}

#[test]
fn a_set_without_a_partition_has_one_of_none() {
    let mut t = Terminal::new();
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {app: db}}\n  \
               template:\n    metadata: {labels: {app: db}}\n    spec: {containers: [{name: c, image: 'nginx:1'}]}\n";
    t.cluster.files.insert("db.yaml".to_owned(), set.to_owned());
    t.good("kubectl apply -f db.yaml");
    let said = t.good("kubectl rollout status statefulset/db");
    assert!(
        said.ends_with("partitioned roll out complete: 1 new pods have been updated...\n"),
        "{said}"
    );
}

#[test]
fn kubelets_stop_and_come_back() {
    let mut t = Terminal::new();
    let since = |t: &Terminal| crate::kubectl::Cluster::api(&t.cluster).silent_since("n1");
    assert_eq!(t.good("ssh root@n1 'sudo systemctl stop kubelet'"), "");
    assert!(since(&t).is_some());
    let output = t.run("ssh n1 systemctl status kubelet");
    assert_eq!(output.code, 3);
    assert!(
        output.stdout.contains("inactive (dead)"),
        "{}",
        output.stdout
    );
    t.good("ssh n1 systemctl start kubelet");
    assert_eq!(since(&t), None);
    let output = t.run("ssh n9 systemctl stop kubelet");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (
            255,
            "ssh: Could not resolve hostname n9: Temporary failure in name resolution\n"
        )
    );
    assert_eq!(t.run("ssh n1 reboot").code, 2);
}
