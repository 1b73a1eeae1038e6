//! `kubectl rollout history` on a small cluster.

use serde_json::json;

use crate::tests::cluster::TestCluster;
use crate::tests::commands::{create, fails, prints, run};

#[test]
fn a_history_lists_revisions_and_shows_their_templates() {
    let mut cluster = TestCluster::with_nodes(&["n1"]);
    create(
        &mut cluster,
        &json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "annotations": {"kubernetes.io/change-cause": "first"}},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}},
        }),
    );
    cluster.play(3);
    prints(
        &mut cluster,
        "rollout history deployment/web",
        "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         first\n\n",
    );
    let shown = run(&mut cluster, "rollout history deployment web --revision=1").stdout;
    assert!(shown.starts_with("deployment.apps/web with revision #1\nPod Template:\n  Labels:\tapp=web\n\tpod-template-hash="), "{shown}");
    assert!(shown.contains("\n  Annotations:\tkubernetes.io/change-cause: first\n  Containers:\n   c:\n    Image:\tnginx:1\n"), "{shown}");
    fails(
        &mut cluster,
        "rollout history deploy/web --revision=9",
        "error: unable to find the specified revision",
    );
    fails(
        &mut cluster,
        "rollout history node/n1",
        "error: no history viewer has been implemented for \"Node\"",
    );
    let set = run(
        &mut cluster,
        "rollout history deploy/web --revision=1 -o yaml",
    )
    .stdout;
    assert!(
        set.starts_with("apiVersion: apps/v1\nkind: ReplicaSet\n"),
        "{set}"
    );
    fails(
        &mut cluster,
        "rollout history deploy/web --revision=9 -o yaml",
        "error: unable to find the specified revision",
    );
}

#[test]
fn the_revisions_of_a_set_are_the_set_with_their_templates() {
    let mut cluster = TestCluster::with_nodes(&["n1"]);
    create(
        &mut cluster,
        &json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "log"},
            "spec": {"selector": {"matchLabels": {"app": "log"}}, "template": {
                "metadata": {"labels": {"app": "log"}},
                "spec": {"containers": [{"name": "c", "image": "fluentd:1"}]}}},
        }),
    );
    cluster.play(3);
    let output = run(&mut cluster, "set image ds/log c=fluentd:2");
    assert_eq!(output.code, 0, "{output:?}");
    cluster.play(9);
    let shown = run(&mut cluster, "rollout history ds/log -o yaml").stdout;
    let images: Vec<&str> = shown.lines().filter(|it| it.contains("image:")).collect();
    let wanted = ["      - image: fluentd:1", "      - image: fluentd:2"];
    assert_eq!(images, wanted, "{shown}");
    assert_eq!(
        shown
            .matches("\n---\napiVersion: apps/v1\nkind: DaemonSet\n")
            .count(),
        1
    );
    let paths =
        "rollout history ds/log --revision=1 -o jsonpath={.spec.template.spec.containers[0].image}";
    assert_eq!(run(&mut cluster, paths).stdout, "fluentd:1");
}
