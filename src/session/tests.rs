use super::{Options, Session};
use crate::api::source::SourceFile;

const SMALL: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: 900m}}}]
";

fn session(text: &str) -> Session {
    let mut session = Session::new(Options::default());
    assert!(
        session.apply(&[SourceFile::new("test.yaml", text)]),
        "{:?}",
        session.problems()
    );
    session
}

#[test]
fn forwards_and_back_is_the_same_state() {
    let mut session = session(SMALL);
    let mut digests = vec![session.digest()];
    while session.step() {
        digests.push(session.digest());
    }
    // Five Pods in the first round; the one that fits nowhere is tried again in the second.
    assert_eq!(digests.len(), 7);
    for position in (0..digests.len()).rev() {
        assert!(session.seek(position));
        assert_eq!(session.digest(), digests[position], "at {position}");
    }
    session.run_to_end();
    assert_eq!(session.digest(), digests[6]);
}

#[test]
fn every_attempt_is_explained_as_it_was_decided() {
    let mut session = session(SMALL);
    session.run_to_end();
    for position in 0..session.log().len() {
        let cycle = session.explain(position).unwrap();
        assert_eq!(cycle.pod, session.log()[position].key);
    }
    assert!(session.explain(session.log().len()).is_err());
}

#[test]
fn sources_that_cannot_be_read_leave_the_last_good_state() {
    let mut session = session(SMALL);
    session.run_to_end();
    let digest = session.digest();
    assert!(!session.apply(&[SourceFile::new("test.yaml", "kind: [Node\n")]));
    assert_eq!(session.digest(), digest);
    assert_eq!(session.problems()[0].file, "test.yaml");
    assert!(session.has_errors());
}

#[test]
fn one_bad_document_does_not_hide_the_good_ones() {
    let text = format!(
        "{SMALL}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: UPPER}}\nspec: {{containers: []}}\n"
    );
    let mut session = session(&text);
    assert!(session.has_errors());
    session.run_to_end();
    assert_eq!(session.frame().pods.len(), 5);
}

#[test]
fn a_frame_tells_where_every_pod_is() {
    let mut session = session(SMALL);
    session.run_to_end();
    let frame = session.frame();
    let bound = frame.pods.iter().filter(|pod| pod.node.is_some()).count();
    assert_eq!((bound, frame.queue.unschedulable.len()), (4, 1));
    assert_eq!(frame.timeline.len(), frame.log_length);
    assert!(frame.finished);
    let cpu = &frame.nodes[0].resources[0];
    assert_eq!(
        (cpu.name.as_str(), cpu.requested, cpu.allocatable),
        ("cpu", 1800, 2000)
    );
}

#[test]
fn what_is_exported_reads_back_to_the_same_placements() {
    let mut first = session(SMALL);
    first.run_to_end();
    let text = first.export_yaml();
    let mut again = Session::new(Options::default());
    assert!(
        again.apply(&[SourceFile::new("export.yaml", text.as_str())]),
        "{:?}",
        again.problems()
    );
    let placed = |session: &Session| {
        let pods = session.frame().pods.into_iter();
        let mut pods: Vec<_> = pods.map(|pod| (pod.key, pod.node)).collect();
        pods.sort();
        pods
    };
    assert_eq!(placed(&first), placed(&again));
}

#[test]
fn items_of_a_list_are_exported_as_documents() {
    let list = "
kind: List
apiVersion: v1
items:
  - apiVersion: v1
    kind: Node
    metadata:
      name: indented
    status:
      allocatable: {cpu: '2'}

  # A comment.
  - {apiVersion: v1, kind: Node, metadata: {name: flow}}
";
    let text = session(list).export_yaml();
    let again = session(&text);
    assert!(again.problems().is_empty(), "{text}{:?}", again.problems());
    let frame = again.frame();
    let nodes: Vec<_> = frame.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(nodes, ["indented", "flow"], "{text}");
    assert!(text.starts_with("apiVersion: v1\nkind: Node\n"), "{text}");
}
