use crate::session::{Options, Session};
use crate::testing::session_with;
use crate::{edit, fork, frame, simulated, sources, trial};
use berth_core::api::source::SourceFile;
use berth_protocol::frame::ForkChange;
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};

const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {zone: a}}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b, labels: {zone: b}}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-c, labels: {zone: b}}
status: {allocatable: {cpu: '4', memory: 4Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: 500m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec:
  nodeName: node-a
  containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]
";

fn placed(options: Options) -> Session {
    let mut session = session_with(NODES, options);
    while frame::build(&session)
        .pods
        .iter()
        .any(|pod| pod.node.is_none())
        && session.step()
    {}
    session
}

fn drain(session: &mut Session, node: &str) {
    let node = node.to_owned();
    let drain = Gesture::Drain { node };
    trial::on_trial(session, |session| edit::perform(session, &drain)).unwrap();
}

fn on(session: &Session, node: &str) -> usize {
    let pods = frame::build(session).pods;
    pods.iter()
        .filter(|pod| pod.node.as_deref() == Some(node))
        .count()
}

/// Each change of the fork, and which of them have an undo of their own.
fn changes(session: &Session) -> Vec<String> {
    let fork = fork::frame(session).expect("there is a fork");
    let changes = fork.changes.iter().enumerate();
    let lines = changes.map(|(number, change)| {
        let what = match change {
            ForkChange::Drained { plan } => format!("drain {}", plan.node),
            ForkChange::ZoneLost { zone, nodes, pods } => {
                format!("lose {}: {} with {pods}", zone.value, nodes.join(","))
            }
            ForkChange::NodesAdded { like, nodes } => format!("add {} like {like}", nodes.len()),
            ForkChange::Command { line } => line.clone(),
            other => format!("{other:?}"),
        };
        let settled = if number < fork.settled { "!" } else { "" };
        format!("{settled}{what}")
    });
    lines.collect()
}

#[test]
fn a_drain_lists_the_pods_that_it_evicts_and_is_taken_back_whole() {
    let mut session = placed(Options::default());
    let (here, before) = (on(&session, "node-a"), session.run().cluster().digest());
    assert!(here > 1);
    drain(&mut session, "node-a");
    let changes = fork::frame(&session).unwrap().changes;
    let [ForkChange::Drained { plan }] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert_eq!((plan.replaced.len(), plan.lost.len()), (here - 1, 1));
    assert_eq!(plan.lost, ["default/alone"]);
    assert_eq!(on(&session, "node-a"), 0);
    fork::undo_change(&mut session, 0).unwrap();
    assert!(fork::frame(&session).is_none());
    assert_eq!(session.run().cluster().digest(), before);
}

#[test]
fn the_first_of_two_drains_is_taken_back_and_the_second_stays() {
    let mut session = placed(Options::default());
    let (a, b) = (on(&session, "node-a"), on(&session, "node-b"));
    drain(&mut session, "node-a");
    drain(&mut session, "node-b");
    assert_eq!(changes(&session), ["drain node-a", "drain node-b"]);
    fork::undo_change(&mut session, 0).unwrap();
    assert_eq!(changes(&session), ["drain node-b"]);
    assert_eq!((on(&session, "node-a"), on(&session, "node-b")), (a, 0));
    // Both parts of that are one change.
    assert!(session.undo());
    assert_eq!(changes(&session), ["drain node-a", "drain node-b"]);
    fork::undo_change(&mut session, 1).unwrap();
    assert_eq!(changes(&session), ["drain node-a"]);
    assert_eq!((on(&session, "node-a"), on(&session, "node-b")), (0, b));
}

#[test]
fn a_lost_zone_and_added_nodes_are_one_change_each() {
    let mut session = placed(Options::default());
    let pods = on(&session, "node-b") + on(&session, "node-c");
    let zone = |value: &str| Label {
        key: "zone".into(),
        value: value.into(),
    };
    assert!(trial::on_trial(&mut session, |it| trial::lose_zone(it, &zone("z"))).is_err());
    assert!(fork::frame(&session).is_none());
    trial::on_trial(&mut session, |it| trial::lose_zone(it, &zone("b"))).unwrap();
    let add = Gesture::AddNodes {
        template: NodeTemplate::Like {
            node: "node-a".into(),
        },
        count: 3,
        topology: None,
    };
    trial::on_trial(&mut session, |it| edit::perform(it, &add)).unwrap();
    let lost = format!("lose b: node-b,node-c with {pods}");
    assert_eq!(changes(&session), [&lost, "add 3 like node-a"]);
    assert_eq!(frame::build(&session).nodes.len(), 4);
    fork::undo_change(&mut session, 1).unwrap();
    assert_eq!(changes(&session), [lost]);
    assert_eq!(frame::build(&session).nodes.len(), 1);
    // The same before the first attempt.
    sources::back_to_first_run(&mut session);
    session.reset();
    trial::on_trial(&mut session, |it| edit::perform(it, &add)).unwrap();
    assert_eq!(changes(&session), ["add 3 like node-a"]);
    fork::undo_change(&mut session, 0).unwrap();
    assert_eq!(frame::build(&session).nodes.len(), 3);
}

#[test]
fn in_a_living_cluster_the_last_drain_has_its_own_undo() {
    let mut session = placed(Options {
        live: true,
        ..Options::default()
    });
    session.advance(20);
    let gone = Gesture::Drain {
        node: "gone".to_owned(),
    };
    let error = trial::on_trial(&mut session, |it| edit::perform(it, &gone)).unwrap_err();
    assert_eq!(error.message, "nodes \"gone\" not found");
    assert!(fork::frame(&session).is_none());
    drain(&mut session, "node-a");
    while simulated::wait_on(&mut session, usize::MAX).is_some() {}
    assert_eq!(changes(&session), ["drain node-a"]);
    assert_eq!(
        simulated::command(&mut session, "kubectl cordon node-b").code,
        0
    );
    assert_eq!(
        changes(&session),
        ["!drain node-a", "kubectl cordon node-b"]
    );
    assert!(
        fork::undo_change(&mut session, 0).is_err(),
        "the line builds on it"
    );
    let replicas = NODES.replacen("replicas: 6", "replicas: 7", 1);
    assert!(session.edit(&[SourceFile::new("test.yaml", replicas)], false));
    assert_eq!(changes(&session).len(), 3);
    fork::undo_change(&mut session, 1).unwrap();
    let left = changes(&session);
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(left[0], "drain node-a");
    assert!(left[1].contains("replicas"), "{left:?}");
    // An edit that is taken back is not listed beside its undo.
    fork::undo_change(&mut session, 1).unwrap();
    assert_eq!(changes(&session), ["drain node-a"]);
}

#[test]
fn a_trial_within_a_trial_does_not_end_it() {
    let mut session = placed(Options::default());
    session.run_to_end();
    let lost = trial::on_trial(&mut session, |it| {
        trial::on_trial(it, |_| ());
        trial::lose_zone(
            it,
            &Label {
                key: "zone".into(),
                value: "b".into(),
            },
        )
    });
    lost.unwrap();
    assert!(fork::frame(&session).is_some());
}

#[test]
fn the_answer_to_a_lost_zone_is_who_waits_and_daemons_are_counted_apart() {
    let node = |name: &str, zone: &str| {
        format!(
            "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{zone: {zone}}}}}
status: {{allocatable: {{cpu: '4', memory: 4Gi, pods: '10'}}}}
---
"
        )
    };
    let agent = |node: &str| {
        format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: agent-{node}, ownerReferences: [{{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}}]}}
spec: {{nodeName: {node}, containers: [{{name: c, image: i}}]}}
---
"
        )
    };
    let big = NODES
        .split("---\n")
        .find(|document| document.contains("Deployment"))
        .unwrap()
        .replace("replicas: 6", "replicas: 2")
        .replace("500m", "'3'");
    let yaml = node("a", "a") + &node("b", "b") + &agent("a") + &agent("b") + &big;
    let mut session = session_with(&yaml, Options::default());
    session.run_to_end();
    let zone = Label {
        key: "zone".into(),
        value: "a".into(),
    };
    trial::on_trial(&mut session, |session| trial::lose_zone(session, &zone)).unwrap();
    while fork::advance(&mut session, 1) {}
    let fork = fork::frame(&session).unwrap();
    assert_eq!((fork.gone, fork.different), (1, 1), "{fork:?}");
    let [waiting] = fork.waiting.as_slice() else {
        panic!("{fork:?}");
    };
    assert_eq!(
        (waiting.workload.as_str(), waiting.pods),
        ("Deployment web", 1)
    );
    assert_eq!(fork.differences[0].pod, waiting.first);
}
