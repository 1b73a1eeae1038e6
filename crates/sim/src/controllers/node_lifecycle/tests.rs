use k8s_openapi::api::core::v1::{Node, NodeCondition, Pod};
use serde_json::json;

use super::taint_queue::TaintQueue;
use super::zones::{Census, Verdict, Zones};
use crate::controllers::tests::Cluster;
use crate::pod_util;
use crate::store::Key;

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

fn post(cluster: &mut Cluster, node: &str, kind: &str, status: &str) {
    let now = cluster.api().now();
    cluster.edit_status::<Node>(&Key::new("", node), |node| {
        let status_of = node.status.get_or_insert_default();
        let conditions = status_of.conditions.get_or_insert_default();
        conditions.retain(|it| it.type_ != kind);
        conditions.push(NodeCondition {
            type_: kind.to_owned(),
            status: status.to_owned(),
            last_heartbeat_time: Some(now),
            ..NodeCondition::default()
        });
    });
}

fn ready(cluster: &Cluster, node: &str) -> String {
    let status = cluster.node(node).status.clone().unwrap();
    let mut conditions = status.conditions.unwrap().into_iter();
    conditions.find(|it| it.type_ == "Ready").unwrap().status
}

fn both(key: &str) -> [String; 2] {
    [format!("{key}:NoSchedule"), format!("{key}:NoExecute")]
}

#[test]
fn conditions_taint_and_untaint_at_once() {
    let mut cluster = Cluster::new(1);
    for (kind, taint) in [
        ("MemoryPressure", "memory-pressure"),
        ("DiskPressure", "disk-pressure"),
        ("PIDPressure", "pid-pressure"),
        ("NetworkUnavailable", "network-unavailable"),
    ] {
        post(&mut cluster, "n1", kind, "True");
        cluster.run_to(1);
        let taint = format!("node.kubernetes.io/{taint}:NoSchedule");
        assert_eq!(cluster.taints("n1"), [taint]);
        post(&mut cluster, "n1", kind, "Unknown");
        cluster.run_to(1);
        assert!(cluster.taints("n1").is_empty(), "{kind}");
    }
}

#[test]
fn a_cordon_taints_until_it_is_lifted_and_other_taints_stay() {
    let mut cluster = Cluster::new(1);
    let cordon = |cluster: &mut Cluster, value: Option<bool>| {
        cluster.edit::<Node>(&Key::new("", "n1"), |node| {
            node.spec.get_or_insert_default().unschedulable = value;
        });
        cluster.run_to(1);
    };
    cluster.edit::<Node>(&Key::new("", "n1"), |node| {
        let taints = json!([{"key": "mine", "effect": "NoSchedule"}, {"key": NOT_READY, "effect": "NoSchedule"}]);
        node.spec.get_or_insert_default().taints = Some(serde_json::from_value(taints).unwrap());
    });
    cordon(&mut cluster, Some(true));
    // Without conditions, the manifest's own taints are kept.
    let own = [
        "mine:NoSchedule".to_owned(),
        format!("{NOT_READY}:NoSchedule"),
    ];
    let cordoned = "node.kubernetes.io/unschedulable:NoSchedule".to_owned();
    assert_eq!(cluster.taints("n1")[..2], own);
    assert_eq!(cluster.taints("n1")[2..], [cordoned]);
    post(&mut cluster, "n1", "Ready", "True");
    cordon(&mut cluster, None);
    assert_eq!(cluster.taints("n1"), ["mine:NoSchedule"]);
}

#[test]
fn a_node_that_is_not_ready_gets_a_no_execute_taint_in_the_next_round() {
    let mut cluster = Cluster::new(2);
    cluster.run_to(7);
    post(&mut cluster, "n1", "Ready", "False");
    cluster.run_to(9);
    assert_eq!(cluster.taints("n1"), [format!("{NOT_READY}:NoSchedule")]);
    cluster.run_to(10);
    assert_eq!(cluster.taints("n1"), both(NOT_READY));
    // The kubelet posts that condition itself, so the controller records no event.
    assert!(cluster.events("NodeNotReady").is_empty());
    post(&mut cluster, "n1", "Ready", "True");
    cluster.run_to(14);
    assert_eq!(cluster.taints("n1"), [format!("{NOT_READY}:NoExecute")]);
    cluster.run_to(15);
    assert!(cluster.taints("n1").is_empty());
}

#[test]
fn a_silent_node_is_unknown_after_fifty_seconds_and_its_pods_are_not_ready() {
    let mut cluster = Cluster::new(2);
    cluster.pod("a", json!({}), json!({"nodeName": "n1"}));
    cluster.pod("b", json!({}), json!({"nodeName": "n2"}));
    cluster.run_to(3);
    cluster.api().silence_node("n1").unwrap();
    cluster.run_to(54);
    assert_eq!(ready(&cluster, "n1"), "True");
    // Its last heartbeat was observed at second 5.
    cluster.run_to(55);
    let status = cluster.node("n1").status.clone().unwrap();
    for kind in ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] {
        let mut conditions = status.conditions.iter().flatten();
        let condition = conditions.find(|it| it.type_ == kind).unwrap();
        assert_eq!(condition.status, "Unknown", "{kind}");
        assert_eq!(condition.reason.as_deref(), Some("NodeStatusUnknown"));
        assert_eq!(
            condition.message.as_deref(),
            Some("Kubelet stopped posting node status.")
        );
    }
    assert!(!pod_util::is_ready(cluster.get_pod("a").unwrap()));
    assert!(pod_util::is_ready(cluster.get_pod("b").unwrap()));
    assert_eq!(
        cluster.events("NodeNotReady"),
        [
            "55s Normal node-controller n1: Node n1 status is now: NodeNotReady",
            "55s Warning node-controller default/a: Node is not ready",
        ]
    );
    assert_eq!(cluster.taints("n1"), [format!("{UNREACHABLE}:NoSchedule")]);
    cluster.run_to(60);
    assert_eq!(cluster.taints("n1"), both(UNREACHABLE));
}

#[test]
fn pods_of_a_lost_node_are_evicted_after_five_minutes_and_terminate_on_its_return() {
    let mut cluster = Cluster::new(3);
    cluster.deployment("web", 3);
    cluster.run_to(5);
    let on_n1 = |cluster: &Cluster| {
        cluster
            .plane
            .api
            .store()
            .pods
            .iter()
            .filter(|pod| pod_util::node_of(pod) == "n1")
            .map(|pod| pod_util::is_terminating(pod))
            .collect::<Vec<bool>>()
    };
    cluster.api().silence_node("n1").unwrap();
    // Unknown at 55, tainted at 60, and tolerated for 300 seconds.
    cluster.run_to(359);
    assert_eq!(on_n1(&cluster), [false]);
    cluster.run_to(1_000);
    assert_eq!(on_n1(&cluster), [true]);
    assert_eq!(cluster.events("TaintManagerEviction").len(), 1);
    cluster.api().revive_node("n1").unwrap();
    cluster.run_to(1_001);
    assert!(on_n1(&cluster).is_empty());
    assert_eq!(ready(&cluster, "n1"), "True");
    cluster.run_to(1_005);
    assert!(cluster.taints("n1").is_empty());
    assert_eq!(
        cluster.events("NodeReady"),
        ["1000s Normal kubelet n1: Node n1 status is now: NodeReady"]
    );
}

#[test]
fn a_node_that_is_back_in_time_has_its_pods_ready_again() {
    let mut cluster = Cluster::new(2);
    cluster.pod("a", json!({}), json!({"nodeName": "n1"}));
    cluster.run_to(0);
    cluster.api().silence_node("n1").unwrap();
    cluster.run_to(100);
    assert!(!pod_util::is_ready(cluster.get_pod("a").unwrap()));
    cluster.api().revive_node("n1").unwrap();
    cluster.run_to(1_000);
    assert!(pod_util::is_ready(cluster.get_pod("a").unwrap()));
    let events = cluster.events("TaintManagerEviction");
    assert_eq!(events.len(), 1);
    assert!(
        events[0].ends_with("Cancelling deletion of Pod default/a"),
        "{events:?}"
    );
    // A short silence has no effect.
    cluster.api().silence_node("n1").unwrap();
    cluster.run_to(1_020);
    cluster.api().revive_node("n1").unwrap();
    cluster.run_to(2_000);
    assert_eq!(cluster.events("NodeNotReady").len(), 2);
}

#[test]
fn a_pod_bound_to_a_lost_node_is_not_ready() {
    let mut cluster = Cluster::new(2);
    cluster.api().silence_node("n1").unwrap();
    cluster.run_to(60);
    let pod = json!({"metadata": {"name": "a", "namespace": "default"}, "spec": {"nodeName": "n1", "containers": []}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    cluster.create::<Pod>(pod);
    cluster.run_to(61);
    assert!(!pod_util::is_ready(cluster.get_pod("a").unwrap()));
}

#[test]
fn nodes_are_registered_and_removed_in_the_next_round() {
    let mut cluster = Cluster::new(1);
    cluster.run_to(7);
    cluster.create::<Node>(json!({"metadata": {"name": "n2"}}));
    cluster.run_to(12);
    cluster.api().delete::<Node>(&Key::new("", "n1")).unwrap();
    cluster.run_to(20);
    assert_eq!(
        cluster.events("RegisteredNode"),
        [
            "0s Normal node-controller n1: Node n1 event: Registered Node n1 in Controller",
            "10s Normal node-controller n2: Node n2 event: Registered Node n2 in Controller",
        ]
    );
    assert_eq!(
        cluster.events("RemovingNode"),
        ["15s Normal node-controller n1: Node n1 event: Removing Node n1 from Controller"]
    );
}

#[test]
fn old_labels_follow_the_new_ones() {
    let mut cluster = Cluster::new(0);
    let labels = json!({"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "other"});
    cluster.create::<Node>(json!({"metadata": {"name": "n1", "labels": labels}}));
    cluster.run_to(1);
    let labels = cluster.node("n1").metadata.labels.clone().unwrap();
    assert_eq!(labels["beta.kubernetes.io/os"], "linux");
    assert!(!labels.contains_key("beta.kubernetes.io/arch"));
}

#[test]
fn lost_nodes_of_a_zone_are_tainted_one_in_ten_seconds() {
    let mut cluster = Cluster::new(5);
    for node in ["n1", "n2"] {
        cluster.api().silence_node(node).unwrap();
    }
    cluster.run_to(56);
    assert_eq!(
        cluster.taints("n1").len() + cluster.taints("n2").len(),
        2 + 1
    );
    cluster.run_to_ms(64_999);
    assert_eq!(cluster.taints("n2"), [format!("{UNREACHABLE}:NoSchedule")]);
    cluster.run_to(65);
    assert_eq!(cluster.taints("n2"), both(UNREACHABLE));
}

#[test]
fn when_all_nodes_are_lost_none_is_tainted_until_some_return() {
    let mut cluster = Cluster::new(2);
    cluster.pod("a", json!({}), json!({"nodeName": "n1"}));
    cluster.run_to(1);
    cluster.api().silence_node("n1").unwrap();
    cluster.run_to(100);
    assert_eq!(cluster.taints("n1"), both(UNREACHABLE));
    cluster.api().silence_node("n2").unwrap();
    cluster.run_to(1_000);
    // Nodes that were tainted before lose their taint, too.
    let only = [format!("{UNREACHABLE}:NoSchedule")];
    assert_eq!(cluster.taints("n1"), only);
    assert_eq!(cluster.taints("n2"), only);
    assert!(!pod_util::is_terminating(cluster.get_pod("a").unwrap()));
    cluster.api().revive_node("n2").unwrap();
    cluster.run_to(1_100);
    assert_eq!(cluster.taints("n1"), both(UNREACHABLE));
    assert!(cluster.taints("n2").is_empty());
}

fn census(well: usize, lost: usize) -> Census {
    let mut census = Census::default();
    for _ in 0..well {
        census.count("z", true);
    }
    for _ in 0..lost {
        census.count("z", false);
    }
    census
}

/// When the second of two nodes may be tainted, if the zone has these counts from second 0 on.
fn second_at(well: usize, lost: usize) -> Option<i64> {
    let mut zones = Zones::default();
    zones.add_zone("z", 0);
    // Another zone is healthy.
    let mut census = census(well, lost);
    census.count("other", true);
    zones.add_zone("other", 0);
    assert_eq!(zones.judge(&census, 0), Verdict::Usual);
    zones.queue_taint("z", "a", false);
    zones.queue_taint("z", "b", false);
    zones.pop_due(0)?;
    assert_eq!(zones.pop_due(0), None);
    zones.next_due()
}

#[test]
fn the_pace_depends_on_how_many_of_a_zone_are_lost() {
    assert_eq!(second_at(5, 5), Some(10_000));
    // Two lost nodes do not count as a disruption.
    assert_eq!(second_at(1, 2), Some(10_000));
    // From 55 percent on, small zones stop and large ones slow down.
    assert_eq!(second_at(9, 11), None);
    assert_eq!(second_at(10, 11), Some(10_000));
    assert_eq!(second_at(22, 28), None);
    assert_eq!(second_at(22, 29), Some(100_000));
    // A fully lost zone has the usual pace if other zones are healthy.
    assert_eq!(second_at(0, 60), Some(10_000));
}

#[test]
fn losing_all_zones_stops_tainting() {
    let mut zones = Zones::default();
    zones.add_zone("z", 0);
    assert_eq!(zones.judge(&census(1, 1), 0), Verdict::Usual);
    assert_eq!(zones.judge(&census(0, 2), 5), Verdict::AllLost);
    zones.queue_taint("z", "a", false);
    assert_eq!((zones.pop_due(9), zones.next_due()), (None, None));
    assert_eq!(zones.judge(&census(0, 2), 10), Verdict::Usual);
    assert_eq!(zones.judge(&census(1, 1), 20), Verdict::SomeBack);
    assert_eq!(zones.next_due(), Some(10_020));
}

#[test]
fn a_queue_takes_each_node_once_at_its_pace() {
    let mut queue = TaintQueue::new(10_000, 0);
    queue.add("a");
    queue.add("b");
    queue.add("a");
    assert_eq!(queue.take(5).as_deref(), Some("a"));
    assert_eq!(queue.take(10_004), None);
    // It was already taken.
    queue.add("a");
    assert_eq!(queue.take(10_005).as_deref(), Some("b"));
    assert_eq!(queue.next_due(), None);
    queue.forget("a");
    queue.add("a");
    assert_eq!(queue.next_due(), Some(20_005));
    queue.set_pace(None, 11_000);
    assert_eq!(queue.next_due(), None);
    queue.set_pace(Some(100_000), 12_000);
    assert_eq!(queue.next_due(), Some(112_000));
    queue.set_pace(Some(10_000), 113_000);
    assert_eq!(queue.take(113_000).as_deref(), Some("a"));
}
