//! kubectl against a small cluster with controllers.

pub(crate) mod cluster;
pub(crate) mod commands;
mod kinds;
mod requests;
mod shell;
mod words;

use cluster::TestCluster;

#[test]
fn the_test_cluster_runs_workloads() {
    let mut cluster = TestCluster::with_nodes(&["n1"]);
    assert_eq!(
        cluster.json("Node", "", "n1")["status"]["capacity"]["cpu"],
        "4"
    );
    let manifest = serde_json::json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            },
        },
    });
    let (object, _) = berth_core::api::load::read_object(&manifest);
    let object = object
        .as_ref()
        .and_then(berth_sim::store::Object::of_manifest);
    let object = object.expect("a manifest");
    crate::Cluster::api_mut(&mut cluster)
        .create_object(object)
        .expect("it is new");
    cluster.play(2);
    let pod = cluster.json("Pod", "default", "web-0001");
    assert_eq!(pod["spec"]["nodeName"], "n1");
    assert_eq!(pod["status"]["phase"], "Running");
}
