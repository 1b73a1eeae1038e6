mod lessons;

use berth_core::api::source::SourceFile;

use crate::session::{Options, Session};
use crate::{expectations, testing};

/// Two zones of one node each, a Pod with a gate, one that is too big, and one that is preempted.
const CLUSTER: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {zone: one}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {zone: two}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: cheap, labels: {app: batch}}
spec: {nodeName: b, containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: small, labels: {app: web, team: shop}}
spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, labels: {app: web}}
spec: {nodeName: a, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: urgent, labels: {app: urgent, team: shop}}
spec:
  priority: 7
  priorityClassName: high
  nodeSelector: {zone: two}
  containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 7
---
apiVersion: v1
kind: Pod
metadata: {name: huge, namespace: shop, labels: {app: huge}}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '9'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: example.com/quota}], containers: [{name: c, image: i}]}
---
apiVersion: berth.dev/v1alpha1
kind: Scenario
expectations:
- ";

fn session(expectation: &str) -> Session {
    let session = testing::session(&format!("{CLUSTER}{expectation}\n"));
    assert!(session.problems().is_empty(), "{:?}", session.problems());
    session
}

/// At the end of the run: the expectation as a sentence, and why it is not met.
fn outcome(expectation: &str) -> (String, String) {
    let mut session = session(expectation);
    session.run_to_end();
    let mut outcomes = expectations::outcomes(&session);
    assert_eq!(outcomes.len(), 1);
    let outcome = outcomes.remove(0);
    assert_eq!(outcome.met, outcome.why.is_empty());
    (outcome.expected.to_string(), outcome.why.to_string())
}

#[test]
fn fulfilled_expectations_are_met() {
    for (expectation, expected) in [
        ("{pod: small, node: a}", "Pod small is Bound on a"),
        ("{pod: cheap, state: Deleted}", "Pod cheap is Deleted"),
        (
            "{selector: {app: batch}, state: Deleted, count: 1}",
            "Exactly 1 Pod with app=batch is Deleted",
        ),
        (
            "{pod: urgent, nodes: [a, b]}",
            "Pod urgent is Bound on a or b",
        ),
        (
            "{pod: shop/huge, message: Insufficient cpu}",
            "Pod shop/huge is waiting with \"Insufficient cpu\"",
        ),
        (
            "{pod: gated, state: Gated, message: example.com/quota}",
            "Pod gated is Gated with \"example.com/quota\"",
        ),
        (
            "{selector: {app: huge}, namespace: shop, state: Pending}",
            "All Pods with app=huge in shop are Pending",
        ),
        (
            "{selector: {app: web}, count: 2, maxPer: {zone: 2}}",
            "Exactly 2 Pods with app=web are Bound, at most 2 per zone",
        ),
        (
            "{selector: {app: batch}, count: 0}",
            "No Pods with app=batch are there",
        ),
    ] {
        assert_eq!(
            outcome(expectation),
            (expected.to_owned(), String::new()),
            "{expectation}"
        );
    }
}

/// A lesson's panel would be full of it otherwise.
#[test]
fn a_message_that_several_pods_have_is_quoted_once() {
    let pods = "
---
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: big}
spec:
  replicas: 3
  selector: {matchLabels: {app: big}}
  template:
    metadata: {labels: {app: big}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '9'}}}]}
";
    let scenario = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nexpectations: [{selector: {app: big}, state: Bound}]";
    let mut session = testing::session(&format!("{scenario}{pods}"));
    session.run_to_end();
    let why = expectations::outcomes(&session).remove(0).why.to_string();
    assert_eq!(why.matches("is Pending").count(), 3, "{why}");
    assert_eq!(
        why.matches("nodes are available: 1 Insufficient cpu")
            .count(),
        1,
        "{why}"
    );
}

#[test]
fn unmet_expectations_show_the_actual_state() {
    for (expectation, why) in [
        ("{pod: small, node: b}", "small is Bound on a"),
        ("{pod: nobody, state: Bound}", "there is no such Pod"),
        ("{pod: cheap, node: b}", "cheap is Deleted"),
        (
            "{pod: gated, state: Pending}",
            "gated is Gated: waiting for scheduling gates: [example.com/quota]",
        ),
        (
            "{selector: {app: web}, state: Deleted}",
            "small is Bound on a; other is Bound on a",
        ),
        (
            "{selector: {app: web}, count: 1, state: Bound}",
            "2 of 2 are: small is Bound on a; other is Bound on a",
        ),
        (
            "{selector: {app: web}, count: 3}",
            "only 2: small is Bound on a; other is Bound on a",
        ),
        (
            "{selector: {app: web}, count: 2, node: b}",
            "small is Bound on a; other is Bound on a",
        ),
        (
            "{selector: {team: shop}, count: 2, node: b}",
            "only 1 of 2: small is Bound on a",
        ),
        ("{selector: {app: none}, count: 1}", "there is no such Pod"),
        (
            "{selector: {app: web}, maxPer: {zone: 1}}",
            "2 are in zone one",
        ),
        (
            "{selector: {app: web}, maxPer: {rack: 2}}",
            "small is on a, which has no label rack",
        ),
        (
            "{pod: shop/huge, state: Pending, message: Insufficient memory}",
            "shop/huge is Pending: 0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are \
             available: 2 Preemption is not helpful for scheduling.",
        ),
    ] {
        assert_eq!(outcome(expectation).1, why, "{expectation}");
    }
}

#[test]
fn each_moment_has_its_own_outcome_and_every_expectation_its_position() {
    let mut session = session("{pod: urgent, node: b}\n- {pod: cheap, node: b}");
    let met = |session: &Session| -> Vec<bool> {
        expectations::outcomes(session)
            .iter()
            .map(|outcome| outcome.met)
            .collect()
    };
    assert_eq!(met(&session), [false, true]);
    session.run_to_end();
    assert_eq!(met(&session), [true, false]);
    let line = u32::try_from(CLUSTER.lines().count()).unwrap();
    let place = |outcome: &berth_protocol::expectation::Outcome| (outcome.line, outcome.column);
    let places: Vec<_> = expectations::outcomes(&session).iter().map(place).collect();
    assert_eq!(places, [(line, 3), (line + 1, 3)]);
    session.reset();
    assert_eq!(met(&session), [false, true]);
}

#[test]
fn expectations_are_read_from_a_list_and_name_their_pods() {
    let list = "[{selector: {app: web}, state: Bound}, {oneOf: [{pod: huge, state: Bound}, {pod: shop/huge, state: Pending}]}]";
    let expected = expectations::read(list).unwrap();
    let mut session = session("{pod: small, node: a}");
    session.run_to_end();
    let outcomes = expectations::check(&session, &expected);
    assert!(outcomes.iter().all(|outcome| outcome.met), "{outcomes:?}");
    let concerned = expectations::concerned(&session, &expected);
    let concerned: Vec<&str> = concerned.iter().map(String::as_str).collect();
    assert_eq!(concerned, ["default/other", "default/small", "shop/huge"]);
    let problems = expectations::read("[{pod: a, state: Bond}]").unwrap_err();
    assert_eq!(problems[0].path, "expectations[0].state");
}

#[test]
fn an_invalid_expectation_is_reported_at_its_position() {
    let mut session = Session::new(Options::default());
    let text =
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nexpectations:\n- pod: a\n  state: Bond\n";
    session.apply(&[SourceFile::new("test.yaml", text)]);
    let problem = &session.problems()[0];
    assert_eq!((problem.line, problem.column), (5, 10), "{problem:?}");
    assert_eq!(problem.help, "did you mean \"Bound\"?");
    assert!(!expectations::are_given(&session));
}
