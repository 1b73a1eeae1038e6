//! Files that are no answers, and rules that a recorded answer does not show alone.

use berth_core::api::source::SourceFile;
use berth_protocol::verify::{Verification, What};
use serde_json::{Value, json};

use super::{ClusterReport, verify};
use crate::testing::{session, two_nodes};

const CASE: &str = concat!(
    two_nodes!(),
    "---
{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}}
"
);

const REFUSED: &str = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: \
    0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

fn list(items: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn on(name: &str, node: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"nodeName": node}, "status": {"conditions": [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-28T20:00:00Z"}]}})
}

fn waiting(name: &str, reason: &str, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {}, "status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": reason,
            "message": message, "lastTransitionTime": "2026-11-28T20:00:00Z"}]}})
}

fn compared(
    case: &str,
    pods: &[Value],
    events: Option<&[Value]>,
    log: Option<&str>,
) -> Verification {
    let pods = SourceFile::new("pods.json", list(pods));
    let events = events.map(|events| SourceFile::new("events.json", list(events)));
    let log = log.map(|log| SourceFile::new("scheduler.log", log));
    let said = ClusterReport {
        pods: &pods,
        events: events.as_ref(),
        log: log.as_ref(),
    };
    verify(&session(case), said).expect("the files can be read")
}

/// What is wrong with a file of Pods.
fn refused(pods: &str) -> String {
    let pods = SourceFile::new("pods.json", pods);
    let said = ClusterReport {
        pods: &pods,
        events: None,
        log: None,
    };
    verify(&session(CASE), said)
        .expect_err("no answer")
        .to_string()
}

#[test]
fn files_that_are_no_answers_are_refused_with_their_place() {
    for (pods, why) in [
        ("", "pods.json:1:0: EOF while parsing a value"),
        (
            "{\"kind\": \"List\",\n\"items\": [{",
            "pods.json:2:11: EOF while parsing an object",
        ),
        ("apiVersion: v1", "pods.json:1:1: expected value"),
        (
            "{\"kind\": \"List\", \"items\": 3}",
            "pods.json:1:27: invalid type: integer",
        ),
        (
            "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"web\"}}",
            "pods.json: not a list",
        ),
        (
            "{\"kind\": \"List\", \"items\": [{\"kind\": \"Node\"}]}",
            "pods.json: item 1 is of kind Node, not Pod",
        ),
        (
            "{\"kind\": \"List\", \"items\": [{\"kind\": \"Pod\"}]}",
            "pods.json: item 1 has no name",
        ),
    ] {
        let said = refused(pods);
        assert!(said.starts_with(why), "{pods}: {said}");
    }
    let log = SourceFile::new(
        "a.log",
        "I1128 20:31:38.1 1 flags.go:64] FLAG: --v=\"10\"\n",
    );
    let pods = SourceFile::new("pods.json", list(&[on("web", "node-a")]));
    let said = ClusterReport {
        pods: &pods,
        events: None,
        log: Some(&log),
    };
    let why = verify(&session(CASE), said)
        .expect_err("no attempts")
        .to_string();
    assert!(why.starts_with("a.log: no line says"), "{why}");
}

#[test]
fn a_comparison_of_nothing_is_an_error() {
    let pods = SourceFile::new("pods.json", list(&[]));
    let said = ClusterReport {
        pods: &pods,
        events: None,
        log: None,
    };
    let why = verify(&session(two_nodes!()), said).expect_err("no Pods");
    assert_eq!(
        why.to_string(),
        "pods.json: neither the case nor the cluster has a Pod"
    );
}

#[test]
fn pods_alone_are_enough_and_any_of_equal_nodes_is_right() {
    for node in ["node-a", "node-b"] {
        let pods = [on("web", node), waiting("big", "Unschedulable", REFUSED)];
        let all = compared(CASE, &pods, None, None);
        assert_eq!(all.differences, []);
        assert_eq!(
            (all.counts.attempts.equal, all.counts.messages.equal),
            (2, 1)
        );
    }
}

#[test]
fn another_count_is_found_and_another_wording_is_not() {
    let pods = |message: &str| {
        [
            on("web", "node-a"),
            waiting("big", "Unschedulable", message),
        ]
    };
    let fewer = REFUSED.replacen("2 Insufficient", "1 Insufficient", 1);
    let all = compared(CASE, &pods(&fewer), None, None);
    let [only] = all.differences.as_slice() else {
        panic!("{:?}", all.differences);
    };
    let expected = What::Message {
        cluster: fewer,
        berth: REFUSED.to_owned(),
    };
    assert_eq!((&*only.pod, &only.what), ("default/big", &expected));
    let older = REFUSED.replace("no new claims to deallocate, ", "");
    assert_eq!(compared(CASE, &pods(&older), None, None).differences, []);
    let helped = REFUSED.replace(
        "2 Preemption is not helpful",
        "2 No preemption victims found",
    );
    assert_eq!(
        compared(CASE, &pods(&helped), None, None).differences.len(),
        1
    );
}

#[test]
fn a_gated_pod_is_gated_in_both() {
    let gated = CASE.replacen("spec: {", "spec: {schedulingGates: [{name: a.b/c}], ", 1);
    let said = [
        waiting("web", "SchedulingGated", "blocked"),
        waiting("big", "Unschedulable", REFUSED),
    ];
    let all = compared(&gated, &said, None, None);
    assert_eq!(all.differences, []);
    let all = compared(CASE, &said, None, None);
    let whats: Vec<&What> = all.differences.iter().map(|it| &it.what).collect();
    assert!(
        matches!(whats.as_slice(), [What::Condition { berth: None, .. }]),
        "{whats:?}"
    );
}

#[test]
fn pods_of_a_workload_are_matched_by_owner() {
    let case = concat!(
        two_nodes!(),
        "---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
"
    );
    let owned = |name: &str, node: &str| {
        let mut pod = on(name, node);
        pod["metadata"]["labels"] = json!({"pod-template-hash": "abc"});
        pod["metadata"]["ownerReferences"] =
            json!([{"kind": "ReplicaSet", "name": "web-abc", "controller": true}]);
        pod
    };
    let two = [
        owned("web-abc-11111", "node-a"),
        owned("web-abc-22222", "node-b"),
    ];
    let all = compared(case, &two, None, None);
    assert_eq!(all.differences, []);
    assert!(all.attempts.iter().all(|it| it.case_pod.is_some()));
    // A third one is not of this case.
    let three = [two.to_vec(), vec![owned("web-abc-33333", "node-b")]].concat();
    let whats: Vec<What> = compared(case, &three, None, None)
        .differences
        .into_iter()
        .map(|it| it.what)
        .collect();
    assert_eq!(whats, [What::NotInCase]);
}

#[test]
fn what_happened_before_the_case_is_left_out() {
    let case = CASE.replacen(
        "spec: {containers",
        "spec: {nodeName: node-a, containers",
        1,
    );
    let log = "\
I1128 20:00:00.1 1 schedule_one.go:1] \"Attempting to schedule pod\" pod=\"default/web\"
I1128 20:00:00.2 1 schedule_one.go:1] \"Successfully bound pod to node\" pod=\"default/web\" node=\"node-a\" evaluatedNodes=2 feasibleNodes=2
I1128 20:00:01.1 1 schedule_one.go:1] \"Attempting to schedule pod\" pod=\"default/big\"
I1128 20:00:01.2 1 schedule_one.go:1] \"Unable to schedule pod; no fit; waiting\" pod=\"default/big\" err=\"MESSAGE\"
"
    .replace("MESSAGE", REFUSED);
    let said = [
        on("web", "node-a"),
        waiting("big", "Unschedulable", REFUSED),
    ];
    let all = compared(&case, &said, None, Some(&log));
    assert_eq!(all.differences, []);
    assert_eq!((all.attempts.len(), all.counts.pods.equal), (1, 2));
    // In the case, where it waits, the first attempt counts.
    assert_eq!(compared(CASE, &said, None, Some(&log)).attempts.len(), 2);
}
