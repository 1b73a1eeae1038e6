//! Workloads are scaled, rolled out and deleted; nodes are drained.

use super::*;

#[test]
fn workloads_are_scaled_rolled_and_rolled_back() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml");
    let output = t.good("kubectl rollout status deployment/web");
    assert!(output.starts_with("Waiting for deployment \"web\" rollout to finish: 0 of 2 updated replicas are available...\n"), "{output}");
    assert!(
        output.ends_with("deployment \"web\" successfully rolled out\n"),
        "{output}"
    );
    for (line, stdout) in [
        (
            "kubectl scale deployment/web --replicas=4",
            "deployment.apps/web scaled\n",
        ),
        (
            "kubectl set image deployment/web nginx=nginx:2",
            "deployment.apps/web image updated\n",
        ),
        (
            "kubectl wait --for=condition=Available deployment/web",
            "deployment.apps/web condition met\n",
        ),
        // Waiting for the deletion of an object that does not exist succeeds at once.
        ("kubectl wait --for=delete pod/gone", ""),
        // That a manifest was applied is warned of.
        (
            "kubectl rollout undo deployment/web 2> warning",
            "deployment.apps/web rolled back\n",
        ),
        (
            "kubectl rollout pause deployment web",
            "deployment.apps/web paused\n",
        ),
        (
            "kubectl rollout resume deployment web",
            "deployment.apps/web resumed\n",
        ),
        (
            "kubectl rollout restart deployment web",
            "deployment.apps/web restarted\n",
        ),
        (
            "kubectl set resources deploy web --requests=cpu=100m",
            "deployment.apps/web resource requirements updated\n",
        ),
        (
            "kubectl set resources deploy web --requests=memory=1Gi --limits=cpu=1",
            "deployment.apps/web resource requirements updated\n",
        ),
        (
            "kubectl set env deploy/web A=b",
            "deployment.apps/web env updated\n",
        ),
    ] {
        assert_eq!(t.good(line), stdout, "{line}");
    }
    let spec = t.cluster.json("Deployment", "default", "web")["spec"].clone();
    assert_eq!(spec["replicas"], 4);
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "nginx:1");
    assert_eq!(
        container["resources"],
        json!({"limits": {"cpu": "1"}, "requests": {"cpu": "100m", "memory": "1Gi"}})
    );
    assert_eq!(container["env"], json!([{"name": "A", "value": "b"}]));
}

#[test]
fn invalid_changes_to_workloads_are_refused() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl scale --replicas=4 deploy/web");
    for (line, stderr) in [
        (
            "kubectl scale deployment/web --replicas=1 --current-replicas=9",
            "error: Expected replicas to be 9, was 4\n",
        ),
        (
            "kubectl set image deployment/web db=x",
            "error: unable to find container named \"db\"\n",
        ),
        (
            "kubectl rollout resume deployment web",
            "error: deployments.apps \"web\" is not paused\n",
        ),
        (
            "kubectl wait --for=jsonpath='{.status.phase}'=Gone node/n1 --timeout=5s",
            "error: timed out waiting for the condition on nodes/n1\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
}

#[test]
fn deleted_objects_disappear() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl rollout status deployment/web");
    let name = t.good("kubectl get pods -o name | head -1 | cut -d/ -f2");
    let name = name.trim().to_owned();
    let before = t.good("date +%s").trim().parse::<i64>().unwrap();
    assert_eq!(
        t.good(&format!("kubectl delete pod {name}")),
        format!("pod \"{name}\" deleted from default namespace\n")
    );
    let after = t.good("date +%s").trim().parse::<i64>().unwrap();
    assert_eq!(after - before, 30, "the Pod has its grace");
    assert!(t.cluster.json("Pod", "default", &name).is_null());
    let forced = t.run("kubectl delete pods --all --force --grace-period=0");
    assert!(
        forced.stderr.starts_with("Warning: Immediate deletion"),
        "{}",
        forced.stderr
    );
    assert!(
        forced
            .stdout
            .contains("force deleted from default namespace")
    );
    assert_eq!(
        t.good("kubectl delete -f web.yaml"),
        "deployment.apps \"web\" deleted from default namespace\n"
    );
    assert_eq!(t.good("kubectl delete node n2"), "node \"n2\" deleted\n");
    assert_eq!(t.good("kubectl delete pods -l a=b"), "No resources found\n");
    assert_eq!(
        t.bad("kubectl delete deployment web"),
        "Error from server (NotFound): deployments.apps \"web\" not found\n"
    );
}

#[test]
fn orphans_stay() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml");
    t.good("kubectl delete deployment web --cascade=orphan");
    t.cluster.play(60);
    assert_eq!(t.good("kubectl get rs -o name | wc -l"), "1\n");
    assert_eq!(t.good("kubectl get pods -o name | wc -l"), "2\n");
}

#[test]
fn foreground_deletion_removes_the_owner_last() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl rollout status deployment/web");
    t.good("kubectl delete deployment web --cascade=foreground --wait=false");
    let waits = "kubectl get deployment web -o jsonpath='{.metadata.finalizers}'";
    assert_eq!(t.good(waits), "[\"foregroundDeletion\"]");
    assert_eq!(t.good("kubectl get pods -o name | wc -l"), "2\n");
    t.cluster.play(60);
    t.bad("kubectl get deployment web");
    assert_eq!(t.good("kubectl get rs,pods -o name"), "");
}

#[test]
fn nodes_are_cordoned_and_drained() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl rollout status deployment/web");
    assert_eq!(t.good("kubectl cordon n1"), "node/n1 cordoned\n");
    assert_eq!(t.good("kubectl uncordon n1"), "node/n1 uncordoned\n");
    let output = t.good("kubectl drain n1");
    assert!(
        output.starts_with("node/n1 cordoned\nevicting pod default/web-"),
        "{output}"
    );
    assert!(output.ends_with("node/n1 drained\n"), "{output}");
    assert_eq!(
        t.bad("kubectl cordon n9"),
        "Error from server (NotFound): nodes \"n9\" not found\n"
    );
}
