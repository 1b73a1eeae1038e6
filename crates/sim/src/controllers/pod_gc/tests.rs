use k8s_openapi::api::core::v1::{Node, Pod, Taint};
use serde_json::json;

use super::PodGarbageCollector;
use crate::control_plane::ControlPlane;
use crate::controllers::Controller;
use crate::controllers::stage::NoNodes;
use crate::controllers::tests::Cluster;
use crate::pod_util;
use crate::server::{ApiServer, Naming};
use crate::store::{Change, Key, Object, Store};
use crate::workqueue::{Retry, WorkQueue};

/// A cluster with a node `n1` that has a Pod, and a node without Pods.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new(2);
    cluster.pod("a", json!({}), json!({"nodeName": "n1"}));
    cluster.run_to(5);
    cluster
}

#[test]
fn pods_of_a_deleted_node_are_deleted_after_the_quarantine() {
    let mut cluster = cluster();
    cluster.api().delete::<Node>(&Key::new("", "n1")).unwrap();
    // Observed at second 20, deleted 40 seconds later.
    cluster.run_to_ms(59_999);
    assert!(
        cluster
            .get_pod("a")
            .is_some_and(|pod| !pod_util::is_finished(pod))
    );
    cluster.run_to(60);
    assert!(cluster.get_pod("a").is_none());
}

#[test]
fn orphans_are_failed_before_deletion() {
    let mut cluster = Cluster::new(1);
    let held = json!({"metadata": {"name": "a", "namespace": "default", "finalizers": ["example.com/keep"]}, "spec": {"nodeName": "lost", "containers": []}, "status": {"phase": "Running"}});
    cluster.create::<Pod>(held);
    cluster.run_to(100);
    let pod = cluster.get_pod("a").unwrap();
    assert_eq!(pod_util::phase_of(pod), "Failed");
    let condition = pod_util::condition(pod, pod_util::DISRUPTION_TARGET).unwrap();
    assert_eq!(condition.reason.as_deref(), Some("DeletionByPodGC"));
    assert_eq!(
        condition.message.as_deref(),
        Some("PodGC: node no longer exists")
    );
    assert_eq!(pod.metadata.deletion_grace_period_seconds, Some(0));
}

#[test]
fn a_node_that_comes_back_in_time_keeps_its_pods() {
    let mut cluster = cluster();
    cluster.api().delete::<Node>(&Key::new("", "n1")).unwrap();
    cluster.run_to(45);
    cluster.create::<Node>(json!({"metadata": {"name": "n1"}}));
    cluster.run_to(200);
    assert!(cluster.get_pod("a").is_some());
}

#[test]
fn terminating_unbound_pods_are_failed_in_the_next_round() {
    let mut cluster = cluster();
    cluster.edit::<Node>(&Key::new("", "n2"), |node| {
        node.spec.get_or_insert_default().unschedulable = Some(true);
    });
    let held = json!({"metadata": {"name": "waits", "namespace": "default", "finalizers": ["example.com/keep"]}, "spec": {"containers": [], "schedulingGates": [{"name": "g"}], "nodeSelector": {"no": "where"}}, "status": {"phase": "Pending"}});
    cluster.create::<Pod>(held);
    cluster.run_to(6);
    let waits = Key::new("default", "waits");
    cluster.api().delete::<Pod>(&waits).unwrap();
    cluster.run_to(19);
    assert_eq!(
        pod_util::phase_of(cluster.get_pod("waits").unwrap()),
        "Pending"
    );
    cluster.run_to(20);
    assert_eq!(
        pod_util::phase_of(cluster.get_pod("waits").unwrap()),
        "Failed"
    );
}

#[test]
fn terminating_pods_of_an_out_of_service_node_are_deleted() {
    let mut cluster = cluster();
    cluster.api().silence_node("n1").unwrap();
    cluster
        .api()
        .delete::<Pod>(&Key::new("default", "a"))
        .unwrap();
    cluster.run_to(190);
    assert!(cluster.get_pod("a").is_some());
    cluster.edit::<Node>(&Key::new("", "n1"), |node| {
        let taint = Taint {
            key: "node.kubernetes.io/out-of-service".to_owned(),
            value: Some("nodeshutdown".to_owned()),
            effect: "NoExecute".to_owned(),
            ..Taint::default()
        };
        let spec = node.spec.get_or_insert_default();
        spec.taints.get_or_insert_default().push(taint);
    });
    cluster.run_to(199);
    assert!(cluster.get_pod("a").is_some());
    cluster.run_to(200);
    assert!(cluster.get_pod("a").is_none());
}

#[test]
fn surplus_finished_pods_are_deleted_evicted_and_oldest_first() {
    let mut api = ApiServer::new(Naming::Counted([].into()), None);
    let mut cache = Store::default();
    let queue = WorkQueue::new(Retry::Exponential);
    let mut collector = PodGarbageCollector::new(queue);
    collector.max_finished = 2;
    for (second, name, reason) in [
        (1, "old", ""),
        (2, "older-than-c", ""),
        (3, "c", ""),
        (4, "evicted", "Evicted"),
    ] {
        api.set_now_ms(second * 1_000);
        let pod: Pod = serde_json::from_value(json!({
            "metadata": {"name": name},
            "spec": {"containers": []},
            "status": {"phase": "Failed", "reason": reason},
        }))
        .unwrap();
        let pod = api.create(pod).unwrap();
        let change = Change {
            key: Key::of(&pod.metadata),
            before: None,
            after: Some(Object::Pod(pod)),
            is_of_status: false,
        };
        cache.apply(&change);
        collector.observe(&change, &cache, api.now_ms());
    }
    assert_eq!(collector.queue().next_due(), Some(20_000));
    collector.sync(&Key::default(), &cache, &mut api).unwrap();
    let left: Vec<&str> = api
        .store()
        .pods
        .iter()
        .map(|pod| pod.metadata.name.as_deref().unwrap())
        .collect();
    assert_eq!(left, ["c", "older-than-c"]);
}

#[test]
fn without_work_there_are_no_rounds() {
    let api = ApiServer::new(Naming::Counted([].into()), None);
    let mut plane = ControlPlane::new(api, crate::controllers::Options::default());
    plane.settle(&mut NoNodes).unwrap();
    assert_eq!(plane.next_due(), None);
}
