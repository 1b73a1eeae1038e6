use k8s_openapi::api::core::v1::{Node, Pod, Taint, Toleration};
use serde_json::{Value, json};

use super::patience::{Patience, patience};
use crate::controllers::tests::Cluster;
use crate::pod_util;
use crate::store::Key;

fn taint(cluster: &mut Cluster, node: &str, taints: Value) {
    let taints: Vec<Taint> = serde_json::from_value(taints).unwrap();
    cluster.edit::<Node>(&Key::new("", node), |node| {
        node.spec.get_or_insert_default().taints = Some(taints);
    });
}

fn tolerating(seconds: Option<i64>) -> Value {
    let mut toleration = json!({"key": "maintenance", "operator": "Exists", "effect": "NoExecute"});
    if let Some(seconds) = seconds {
        toleration["tolerationSeconds"] = json!(seconds);
    }
    json!({"tolerations": [toleration]})
}

fn maintenance() -> Value {
    json!([{"key": "maintenance", "value": "now", "effect": "NoExecute"}])
}

/// A node `n1` with Pods `none`, `some` and `all`, which tolerate the taint not at all, for 20 seconds, and forever.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new(1);
    cluster.pod(
        "none",
        json!({}),
        json!({"terminationGracePeriodSeconds": 5}),
    );
    cluster.pod("some", json!({}), tolerating(Some(20)));
    cluster.pod("all", json!({}), tolerating(None));
    cluster.run_to(10);
    cluster
}

fn is_there(cluster: &Cluster, name: &str) -> bool {
    let pod = cluster.get_pod(name);
    pod.is_some_and(|pod| !pod_util::is_terminating(pod))
}

fn least(taints: &[&str], tolerations: Value) -> Patience {
    let taint = |key: &&str| Taint {
        key: (*key).to_owned(),
        effect: "NoExecute".to_owned(),
        ..Taint::default()
    };
    let taints: Vec<Taint> = taints.iter().map(taint).collect();
    let tolerations: Vec<Toleration> = serde_json::from_value(tolerations).unwrap();
    patience(&taints, &tolerations)
}

#[test]
fn the_shortest_toleration_counts_and_each_taint_needs_one() {
    let for_seconds = |key: &str, seconds: i64| json!({"key": key, "operator": "Exists", "tolerationSeconds": seconds});
    let forever = |key: &str| json!({"key": key, "operator": "Exists"});
    let two = json!([for_seconds("a", 60), for_seconds("b", 20), forever("c")]);
    assert_eq!(least(&["a"], two.clone()), Patience::Until(60_000));
    assert_eq!(least(&["a", "b"], two.clone()), Patience::Until(20_000));
    assert_eq!(least(&["a", "c"], two.clone()), Patience::Until(60_000));
    assert_eq!(least(&["c"], two.clone()), Patience::Forever);
    assert_eq!(least(&["a", "d"], two), Patience::None);
    assert_eq!(
        least(&["a"], json!([for_seconds("a", 0)])),
        Patience::Until(0)
    );
    assert_eq!(
        least(&["a"], json!([for_seconds("a", -5)])),
        Patience::Until(0)
    );
    // The first matching toleration is used.
    let both = json!([forever("a"), for_seconds("a", 5)]);
    assert_eq!(least(&["a"], both), Patience::Forever);
}

#[test]
fn pods_are_evicted_at_once_after_their_time_or_never() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(11);
    assert!(!is_there(&cluster, "none") && is_there(&cluster, "some") && is_there(&cluster, "all"));
    let leaving = cluster.get_pod("none").unwrap();
    let condition = pod_util::condition(leaving, pod_util::DISRUPTION_TARGET).unwrap();
    assert_eq!(condition.reason.as_deref(), Some("DeletionByTaintManager"));
    assert_eq!(
        condition.message.as_deref(),
        Some("Taint manager: deleting due to NoExecute taint")
    );
    cluster.run_to(16);
    assert!(cluster.get_pod("none").is_none());
    cluster.run_to(29);
    assert!(is_there(&cluster, "some"));
    cluster.run_to(30);
    assert!(!is_there(&cluster, "some") && is_there(&cluster, "all"));
    assert_eq!(
        cluster.events("TaintManagerEviction"),
        [
            "10s Normal taint-eviction-controller default/none: Marking for deletion Pod default/none",
            "30s Normal taint-eviction-controller default/some: Marking for deletion Pod default/some",
        ]
    );
}

#[test]
fn no_schedule_taints_do_not_evict() {
    let mut cluster = cluster();
    let taints = json!([{"key": "maintenance", "effect": "NoSchedule"}]);
    taint(&mut cluster, "n1", taints);
    cluster.run_to(100);
    assert!(
        ["none", "some", "all"]
            .iter()
            .all(|name| is_there(&cluster, name))
    );
}

#[test]
fn removing_the_taint_in_time_cancels_the_eviction() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(25);
    taint(&mut cluster, "n1", json!([]));
    cluster.run_to(100);
    assert!(is_there(&cluster, "some"));
    assert_eq!(
        cluster.events("TaintManagerEviction")[1..],
        [
            "25s Normal taint-eviction-controller default/some: Cancelling deletion of Pod default/some"
        ]
    );
    // A new taint starts a new timer.
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(119);
    assert!(is_there(&cluster, "some"));
    cluster.run_to(120);
    assert!(!is_there(&cluster, "some"));
}

#[test]
fn a_taint_added_again_restarts_the_timer() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(25);
    taint(&mut cluster, "n1", json!([]));
    cluster.run_to(27);
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(46);
    assert!(is_there(&cluster, "some"));
    cluster.run_to(47);
    assert!(!is_there(&cluster, "some"));
}

#[test]
fn a_running_timer_is_not_reset_but_untolerated_taints_evict_at_once() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(15);
    let more = json!([
        {"key": "maintenance", "value": "now", "effect": "NoExecute"},
        {"key": "maintenance", "value": "later", "effect": "NoExecute"},
    ]);
    taint(&mut cluster, "n1", more);
    cluster.run_to(20);
    assert!(cluster.events("TaintManagerEviction").len() == 1 && is_there(&cluster, "some"));
    taint(
        &mut cluster,
        "n1",
        json!([{"key": "fire", "effect": "NoExecute"}]),
    );
    cluster.run_to(21);
    assert!(!is_there(&cluster, "some") && !is_there(&cluster, "all"));
}

#[test]
fn changed_tolerations_and_deletions_cancel_the_timer() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(15);
    cluster.edit::<Pod>(&Key::new("default", "some"), |pod| {
        let own = pod.spec.as_mut().unwrap().tolerations.as_mut().unwrap();
        own[0].toleration_seconds = None;
    });
    cluster.run_to(100);
    assert!(is_there(&cluster, "some"));
    cluster.edit::<Pod>(&Key::new("default", "all"), |pod| {
        let own = pod.spec.as_mut().unwrap().tolerations.as_mut().unwrap();
        own[0].toleration_seconds = Some(50);
    });
    cluster.run_to(110);
    let all = Key::new("default", "all");
    cluster.api().delete_within::<Pod>(&all, Some(0)).unwrap();
    cluster.run_to(300);
    let events = cluster.events("TaintManagerEviction");
    assert_eq!(
        events[1..],
        [
            "15s Normal taint-eviction-controller default/some: Cancelling deletion of Pod default/some",
            "110s Normal taint-eviction-controller default/all: Cancelling deletion of Pod default/all",
        ]
    );
}

#[test]
fn the_timer_of_a_pod_bound_to_a_tainted_node_starts_when_it_is_bound() {
    let mut cluster = cluster();
    taint(&mut cluster, "n1", maintenance());
    cluster.run_to(100);
    let mut on_node = tolerating(Some(7));
    on_node["nodeName"] = json!("n1");
    cluster.pod("late", json!({}), on_node);
    cluster.run_to(106);
    assert!(is_there(&cluster, "late"));
    cluster.run_to(107);
    assert!(!is_there(&cluster, "late"));
    cluster.pod("intolerant", json!({}), json!({"nodeName": "n1"}));
    cluster.run_to(108);
    assert!(!is_there(&cluster, "intolerant"));
}

#[test]
fn default_tolerations_permit_five_minutes_on_unreachable_nodes() {
    let mut cluster = Cluster::new(2);
    cluster.deployment("web", 2);
    cluster.run_to(10);
    let taints = json!([{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]);
    taint(&mut cluster, "n1", taints);
    cluster.run_to(309);
    assert!(cluster.events("TaintManagerEviction").is_empty());
    cluster.run_to(310);
    assert_eq!(cluster.events("TaintManagerEviction").len(), 1);
}
