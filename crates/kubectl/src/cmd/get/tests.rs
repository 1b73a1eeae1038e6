//! `kubectl get` on a small cluster.

use serde_json::json;

use crate::tests::cluster::TestCluster;
use crate::tests::commands::{fails, prints, run, web};
use crate::{Clock as _, Cluster as _};
use berth_shell::Files as _;

#[test]
fn tables_with_the_columns_that_flags_add() {
    let mut cluster = web();
    prints(
        &mut cluster,
        "get pods",
        "NAME       READY   STATUS    RESTARTS   AGE\n\
         web-0001   1/1     Running   0          5s\n\
         web-0002   1/1     Running   0          5s\n",
    );
    prints(
        &mut cluster,
        "get po web-0002 --no-headers -L app,example.com/tier --show-labels",
        "web-0002   1/1   Running   0     5s    web         app=web\n",
    );
    prints(
        &mut cluster,
        "get rs,nodes -A",
        "NAMESPACE   NAME                  DESIRED   CURRENT   READY   AGE\n\
         default     replicaset.apps/web   2         2         2       5s\n\n\
         NAME      STATUS   ROLES    AGE   VERSION\n\
         node/n1   Ready    <none>   5s    \n",
    );
}

#[test]
fn missing_objects_are_reported() {
    let mut cluster = web();
    let none = run(&mut cluster, "get jobs");
    assert_eq!((none.stdout.as_str(), none.code), ("", 0));
    assert_eq!(none.stderr, "No resources found in default namespace.\n");
    assert_eq!(run(&mut cluster, "get pv").stderr, "No resources found\n");
    assert_eq!(run(&mut cluster, "get jobs --ignore-not-found").stderr, "");
    let half = run(&mut cluster, "get rs web api");
    assert_eq!(
        half.stdout,
        "NAME   DESIRED   CURRENT   READY   AGE\nweb    2         2         2       5s\n"
    );
    assert_eq!(
        half.stderr,
        "Error from server (NotFound): replicasets.apps \"api\" not found\n"
    );
    assert_eq!(half.code, 1);
    fails(
        &mut cluster,
        "get widgets",
        "error: the server doesn't have a resource type \"widgets\"",
    );
    fails(
        &mut cluster,
        "get po a -A",
        "error: a resource cannot be retrieved by name across all namespaces",
    );
    fails(
        &mut cluster,
        "get po a -l x=y",
        "error: name cannot be provided when a selector is specified",
    );
    fails(
        &mut cluster,
        "get po -o fancy",
        "error: unable to match a printer suitable for the output format \"fancy\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml",
    );
    fails(&mut cluster, "get", super::NOTHING_ASKED);
}

#[test]
fn selectors_choose() {
    let mut cluster = web();
    prints(
        &mut cluster,
        "get po -l app=web -o name",
        "pod/web-0001\npod/web-0002\n",
    );
    prints(
        &mut cluster,
        "get po --field-selector metadata.name!=web-0001 -o name",
        "pod/web-0002\n",
    );
    prints(
        &mut cluster,
        "get all -o name",
        "pod/web-0001\npod/web-0002\nservice/kubernetes\nreplicaset.apps/web\n",
    );
    prints(
        &mut cluster,
        "get events --field-selector involvedObject.kind=ReplicaSet -o jsonpath={.items[*].reason}",
        "SuccessfulCreate SuccessfulCreate",
    );
}

#[test]
fn objects_as_yaml_and_by_path() {
    let mut cluster = TestCluster::with_nodes(&[]);
    let namespace = run(&mut cluster, "get ns default -o yaml").stdout;
    assert_eq!(
        namespace,
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  creationTimestamp: \"2025-01-01T00:00:00Z\"\n  labels:\n    kubernetes.io/metadata.name: default\n  name: default\n  resourceVersion: \"1\"\n  uid: uid-000001\nspec:\n  finalizers:\n  - kubernetes\nstatus:\n  phase: Active\n"
    );
    prints(
        &mut cluster,
        "get po -o yaml",
        "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
    );
    prints(
        &mut cluster,
        "get ns -o jsonpath={.items[0].kind}",
        "Namespace",
    );
    prints(
        &mut cluster,
        "get ns default -o jsonpath-as-json={.kind}",
        "[\n    \"Namespace\"\n]\n",
    );
    prints(
        &mut cluster,
        "get ns -o custom-columns=N:.metadata.name",
        "N\ndefault\nkube-node-lease\nkube-public\nkube-system\n",
    );
    fails(
        &mut cluster,
        "get po -o jsonpath={.items[0].kind}",
        "error: error executing jsonpath \"{.items[0].kind}\": Error executing template: array index out of bounds: index 0, length 0. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{.items[0].kind}\n\tobject given to jsonpath engine was:\n\t\tmap[string]interface {}{\"apiVersion\":\"v1\", \"items\":[]interface {}{}, \"kind\":\"List\", \"metadata\":map[string]interface {}{\"resourceVersion\":\"\"}}\n\n",
    );
}

#[test]
fn objects_are_sorted_by_a_path() {
    let mut cluster = TestCluster::with_nodes(&["n10", "n2"]);
    prints(
        &mut cluster,
        "get nodes --sort-by=.metadata.name -o name",
        "node/n2\nnode/n10\n",
    );
}

#[test]
fn a_watch_prints_changes_until_the_cluster_is_quiet() {
    let mut cluster = TestCluster::with_nodes(&["n1"]);
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let (pod, _) = berth_core::api::load::read_object(&pod);
    let pod = pod
        .as_ref()
        .and_then(berth_sim::store::Object::of_manifest)
        .expect("a pod");
    cluster.api_mut().create_object(pod).expect("it is new");
    cluster.settle();
    let start = cluster.api().now_ms();
    let watched = run(&mut cluster, "get po -w --output-watch-events");
    assert_eq!(
        watched.stdout,
        "EVENT   NAME   READY   STATUS    RESTARTS   AGE\n\
         ADDED   a      0/1     Running   0          0s\n\
         MODIFIED   a      1/1     Running   0          1s\n"
    );
    assert_eq!(cluster.api().now_ms() - start, 31_000);
}

#[test]
fn objects_that_a_file_names() {
    let mut cluster = web();
    let file = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\n";
    cluster.write_file("web.yaml", file.to_owned());
    prints(
        &mut cluster,
        "get -f web.yaml -o name",
        "replicaset.apps/web\n",
    );
    fails(
        &mut cluster,
        "get pods -f web.yaml",
        "error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    );
}
