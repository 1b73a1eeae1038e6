//! What only lessons ask: nodes, fields of objects, the past and time.

use super::outcome;
use crate::testing::simulated;
use crate::{expectations, lesson};

/// Expectations, the sentence of each, and why it is not met.
const CHECKED: &[(&str, &str, &str)] = &[
    ("{node: a, empty: true}", "a is empty", "a runs small"),
    ("{node: a, empty: false}", "a is not empty", ""),
    (
        "{nodes: [a, b], drained: true}",
        "a and b are drained",
        "a runs small; b runs urgent",
    ),
    ("{empty: true, count: {max: 0}}", "0 nodes are empty", ""),
    (
        "{empty: true, count: 1}",
        "1 node is empty",
        "0 of 2: a runs small; b runs urgent",
    ),
    ("{node: c, empty: true}", "c is empty", "there is no node c"),
    (
        "{selector: {app: web}, count: {min: 2}}",
        "at least 2 Pods with app=web are there",
        "",
    ),
    (
        "{selector: {app: web}, skew: {zone: 1}}",
        "All Pods with app=web are Bound, with a skew of at most 1 over zone",
        "2 are in zone one, 0 in two",
    ),
    (
        "{object: Node/a, path: metadata.labels.zone, equals: one}",
        "metadata.labels.zone of Node/a is \"one\"",
        "",
    ),
    (
        "{object: Node/a, path: metadata.labels.zone, equals: two}",
        "metadata.labels.zone of Node/a is \"two\"",
        "metadata.labels.zone is \"one\"",
    ),
    (
        "{object: Pod/web, exists: false}",
        "There is no Pod/web",
        "",
    ),
    (
        "{object: Pod/web}",
        "There is a Pod/web",
        "there is no Pod/web",
    ),
    (
        "{object: Pod/small, path: 'spec.containers', contains: {name: c}}",
        "spec.containers of Pod/small contains {\"name\":\"c\"}",
        "",
    ),
    (
        "{config: {path: profiles, exists: false}}",
        "There is no profiles of KubeSchedulerConfiguration",
        "",
    ),
    (
        "{oneOf: [{pod: small, node: b}, {pod: urgent, node: b}]}",
        "Pod small is Bound on b, or Pod urgent is Bound on b",
        "",
    ),
    (
        "{oneOf: [{pod: small, node: b}, {pod: urgent, node: a}]}",
        "Pod small is Bound on b, or Pod urgent is Bound on a",
        "small is Bound on a; and urgent is Bound on b",
    ),
    ("{pod: cheap, evicted: true}", "Pod cheap was evicted", ""),
    (
        "{selector: {app: batch}, evicted: false}",
        "All Pods with app=batch were never evicted",
        "cheap was evicted",
    ),
    (
        "{selector: {app: web}, evicted: false}",
        "All Pods with app=web were never evicted",
        "",
    ),
    (
        "{selector: {app: batch}, neverBelow: 1}",
        "All Pods with app=batch were never fewer than 1 ready",
        "only 0 were ready at one time",
    ),
];

#[test]
fn nodes_fields_and_alternatives_are_checked() {
    for (expectation, expected, why) in CHECKED {
        let got = outcome(expectation);
        assert_eq!(
            got,
            ((*expected).to_owned(), (*why).to_owned()),
            "{expectation}"
        );
    }
}

const LIVE: &str = "
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: slow, labels: {app: x}}
spec:
  tolerations: [{key: down, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
  containers: [{name: c, image: i}]
---
apiVersion: v1
kind: Pod
metadata: {name: quick, labels: {app: x}}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: berth.dev/v1alpha1
kind: Scenario
expectations:
";

/// Whether each expectation is met after these lines, each followed by rest.
fn met(expectations: &[&str], lines: &[&str]) -> Vec<bool> {
    let listed: String = expectations.iter().map(|it| format!("- {it}\n")).collect();
    let mut session = simulated(&format!("{LIVE}{listed}"));
    assert!(session.problems().is_empty(), "{:?}", session.problems());
    lesson::settle(&mut session);
    for line in lines {
        let output = crate::simulated::command(&mut session, line);
        assert_eq!(output.code, 0, "{line}: {}", output.stderr);
        lesson::settle(&mut session);
    }
    let outcomes = expectations::outcomes(&session);
    outcomes.iter().map(|outcome| outcome.met).collect()
}

#[test]
fn time_counts_from_the_change_that_led_to_it() {
    let expectations = [
        "{pod: slow, state: Deleted, within: 100s, notBefore: 60s}",
        "{pod: slow, state: Deleted, within: 50s}",
        "{pod: quick, state: Deleted, within: 40s}",
        "{pod: quick, state: Deleted, notBefore: 60s}",
        "{pod: slow, evicted: true}",
        "{selector: {app: x}, evicted: false}",
        "{selector: {app: x}, neverBelow: 1}",
    ];
    let taint = "kubectl taint node a down=yes:NoExecute";
    let expected = [true, false, true, false, true, false, false];
    assert_eq!(met(&expectations, &[taint]), expected);
    // Neither what was done before nor what is done after counts.
    let lines = [
        "kubectl label node a x=y",
        "sleep 90",
        taint,
        "kubectl label node a x-",
    ];
    assert_eq!(met(&expectations, &lines), expected);
}

#[test]
fn a_deletion_by_hand_is_no_eviction() {
    let expectations = [
        "{pod: quick, evicted: false}",
        "{pod: quick, state: Deleted}",
    ];
    assert_eq!(
        met(&expectations, &["kubectl delete pod quick"]),
        [true, true]
    );
}
