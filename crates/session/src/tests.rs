mod release;
mod what_ifs;

use berth_core::api::source::SourceFile;

use crate::session::{Options, Session};
use crate::testing::{session, two_nodes};
use crate::{explain, export, fork, frame, simulated, sources};

const SMALL: &str = concat!(
    two_nodes!(),
    "---
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
"
);

#[test]
fn forward_and_backward_give_the_same_state() {
    let mut session = session(SMALL);
    let mut digests = vec![session.digest()];
    while session.step() {
        digests.push(session.digest());
    }
    // Five Pods in the first round; the one that fits no node is tried again in the second.
    assert_eq!(digests.len(), 7);
    for position in (0..digests.len()).rev() {
        assert!(session.seek(position));
        assert_eq!(session.digest(), digests[position], "at {position}");
    }
    session.run_to_end();
    assert_eq!(session.digest(), digests[6]);
}

#[test]
fn the_clauses_of_a_failure_count_their_nodes() {
    let text = format!(
        "{SMALL}---
apiVersion: v1
kind: Node
metadata: {{name: node-0}}
spec: {{unschedulable: true}}
status: {{allocatable: {{cpu: '9', memory: 4Gi, pods: '10'}}}}
---
apiVersion: v1
kind: Node
metadata: {{name: node-c, labels: {{disk: ssd}}}}
status: {{allocatable: {{cpu: 100m, memory: 4Gi, pods: '10'}}}}
"
    );
    let mut session = session(&text);
    session.run_to_end();
    let (position, _) = session
        .attempts()
        .find(|(_, attempt)| attempt.node().is_none())
        .unwrap();
    let cycle = explain::attempt(&session, position).unwrap();
    let message = cycle.message.unwrap();
    let clauses = cycle.clauses.iter().map(|clause| {
        let text = &message[clause.start as usize..clause.end as usize];
        (text, clause.nodes.as_slice())
    });
    assert_eq!(
        clauses.collect::<Vec<_>>(),
        [
            ("1 node(s) were unschedulable", [2].as_slice()),
            ("3 Insufficient cpu", &[0, 1, 3]),
            ("2 No preemption victims found for incoming pod", &[0, 1]),
            ("2 Preemption is not helpful for scheduling", &[2, 3]),
        ],
        "{message}"
    );
}

#[test]
fn every_attempt_is_explained_as_it_was_decided() {
    let mut session = session(SMALL);
    session.run_to_end();
    for position in 0..session.log().len() {
        let cycle = explain::attempt(&session, position).unwrap();
        assert_eq!(cycle.pod, session.attempt(position).unwrap().key);
    }
    assert!(explain::attempt(&session, session.log().len()).is_err());
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
    let mut session = Session::new(Options::default());
    assert!(session.apply(&[SourceFile::new("test.yaml", text)]) && session.has_errors());
    session.run_to_end();
    assert_eq!(frame::build(&session).pods.len(), 5);
}

#[test]
fn finished_pods_are_counted() {
    let ended = |name: &str, phase: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n\
             spec: {{nodeName: node-a, containers: [{{name: a, image: a}}]}}\nstatus: {{phase: {phase}}}\n"
        )
    };
    let text = [
        SMALL,
        &ended("well", "Succeeded"),
        &ended("badly", "Failed"),
        &ended("not", "Running"),
    ];
    let mut session = session(&text.concat());
    let frame = frame::build(&session);
    assert_eq!((frame.pods.len(), frame.ended), (6, 2));
    simulated::set_simulated(&mut session, true);
    assert_eq!(frame::build(&session).ended, 2);
}

#[test]
fn a_frame_shows_the_node_of_every_pod() {
    let mut session = session(SMALL);
    session.run_to_end();
    let frame = frame::build(&session);
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
fn an_export_reads_back_to_the_same_placements() {
    let mut first = session(SMALL);
    first.run_to_end();
    let text = export::yaml(&first);
    let mut again = Session::new(Options::default());
    assert!(
        again.apply(&[SourceFile::new("export.yaml", text.as_str())]),
        "{:?}",
        again.problems()
    );
    let placed = |session: &Session| {
        let pods = frame::build(session).pods.into_iter();
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
    let text = export::yaml(&session(list));
    let again = session(&text);
    assert!(again.problems().is_empty(), "{text}{:?}", again.problems());
    let frame = frame::build(&again);
    let nodes: Vec<_> = frame.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(nodes, ["indented", "flow"], "{text}");
    assert!(text.starts_with("apiVersion: v1\nkind: Node\n"), "{text}");
}

fn edit(session: &mut Session, text: &str) {
    let taken = session.edit(&[SourceFile::new("test.yaml", text)], false);
    assert!(taken, "{:?}", session.problems());
}

fn waiting(session: &Session) -> usize {
    frame::build(session)
        .pods
        .into_iter()
        .filter(|pod| pod.node.is_none())
        .count()
}

#[test]
fn an_edit_continues_from_this_moment() {
    let mut session = session(SMALL);
    session.run_to_end();
    let placed: Vec<_> = frame::build(&session)
        .pods
        .into_iter()
        .map(|pod| pod.node)
        .collect();
    let third = "\n---\napiVersion: v1\nkind: Node\nmetadata: {name: node-c}\n\
                 status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}\n";
    edit(&mut session, &format!("{SMALL}{third}"));
    assert_eq!((session.position(), session.log().len()), (7, 7));
    assert!(fork::frame(&session).is_none());
    session.run_to_end();
    let frame = frame::build(&session);
    assert_eq!(waiting(&session), 0);
    for (pod, before) in frame.pods.iter().zip(placed) {
        assert!(before.is_none() || pod.node == before, "{pod:?}");
    }
    // Before the edit there are two nodes again, in the sources as well.
    session.seek(3);
    assert_eq!(frame::build(&session).nodes.len(), 2);
    assert!(!session.sources()[0].text.contains("node-c"));
    session.run_to_end();
    assert_eq!(frame::build(&session), frame);
    for (position, attempt) in session.attempts() {
        assert_eq!(
            explain::attempt(&session, position).unwrap().pod,
            attempt.key
        );
    }
    assert!(
        explain::attempt(&session, 6)
            .unwrap_err()
            .to_string()
            .contains("edit")
    );
}

#[test]
fn an_edit_of_the_past_forks_and_the_first_run_is_kept() {
    let mut session = session(SMALL);
    session.run_to_end();
    let first = session.digest();
    session.seek(2);
    let cordoned = SMALL.replace(
        "{name: node-b}",
        "{name: node-b}\nspec: {unschedulable: true}",
    );
    edit(&mut session, &cordoned);
    assert_eq!((session.position(), session.log().len()), (3, 3));
    session.run_to_end();
    let fork = fork::frame(&session).expect("the past was edited");
    assert!(!fork.tried, "only what was run is compared");
    assert_eq!((fork.different, fork.placed_first), (0, 0));
    while fork::advance(&mut session, 1) {}
    let fork = fork::frame(&session).expect("the past was edited");
    assert_eq!((fork.at, fork.placed_first), (2, 4));
    assert!(fork.placed_now < fork.placed_first);
    assert_eq!(fork.different, fork.differences.len());
    assert!(fork.different > 0);
    assert!(sources::back_to_first_run(&mut session));
    assert_eq!((session.position(), session.log().len()), (2, 6));
    assert!(fork::frame(&session).is_none());
    session.run_to_end();
    assert_eq!(session.digest(), first);
    assert!(session.undo());
    assert_eq!(fork::frame(&session), Some(fork));
}

#[test]
fn consecutive_edits_are_one_entry_but_undone_one_by_one() {
    let mut session = session(SMALL);
    session.run_to_end();
    let before = session.digest();
    let end = session.position();
    for cpu in ["3", "4"] {
        edit(
            &mut session,
            &SMALL.replacen("cpu: '2'", &format!("cpu: '{cpu}'"), 1),
        );
        assert_eq!(session.position(), end + 1);
    }
    assert_eq!(
        frame::build(&session).nodes[0].resources[0].allocatable,
        4000
    );
    assert!(session.undo());
    assert_eq!(
        frame::build(&session).nodes[0].resources[0].allocatable,
        3000
    );
    assert!(session.undo());
    assert_eq!((session.digest(), session.position()), (before, end));
    assert!(session.redo() && session.redo() && !session.redo());
    assert_eq!(
        frame::build(&session).nodes[0].resources[0].allocatable,
        4000
    );
}

#[test]
fn the_first_sources_cannot_be_undone() {
    let mut session = session(SMALL);
    assert_eq!(session.undo_depth(), (0, 0));
    assert!(!session.undo());
    let fewer = SMALL.replace("replicas: 5", "replicas: 1");
    assert!(session.apply(&[SourceFile::new("test.yaml", fewer)]));
    assert!(session.undo() && !session.undo());
    assert_eq!(session.sources()[0].text.as_ref(), SMALL);
}

#[test]
fn typing_is_undone_as_one_edit_and_broken_text_is_kept() {
    let mut session = session(SMALL);
    let file = |text: String| [SourceFile::new("test.yaml", text)];
    assert!(session.edit(&file(SMALL.replace("replicas: 5", "replicas: 1")), false));
    assert!(session.edit(&file(SMALL.replace("replicas: 5", "replicas: 12")), true));
    let broken = file("kind: [".to_owned());
    assert!(!session.edit(&broken, true));
    assert_eq!(session.sources()[0].text.as_ref(), "kind: [");
    assert_eq!(frame::build(&session).pods.len(), 12);
    assert!(session.undo());
    assert_eq!(session.sources()[0].text.as_ref(), SMALL);
    assert_eq!(frame::build(&session).pods.len(), 5);
}

#[test]
fn a_changed_pod_is_a_new_one_and_pods_are_deleted_with_their_node() {
    let pod = |name: &str, cpu: &str| {
        format!(
            "\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: \
             [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}]}}\n"
        )
    };
    let text = format!("{SMALL}{}{}", pod("one", "100m"), pod("two", "200m"));
    let mut session = session(&text);
    session.run_to_end();
    let node_of = |session: &Session, key: &str| {
        let mut pods = frame::build(session).pods.into_iter();
        pods.find(|pod| pod.key == key).map(|pod| pod.node)
    };
    assert!(node_of(&session, "default/one").flatten().is_some());
    edit(&mut session, &text.replace("cpu: 100m", "cpu: 9"));
    assert_eq!(node_of(&session, "default/one"), Some(None));
    session.run_to_end();
    let node = node_of(&session, "default/two").flatten().expect("placed");
    let without = text.replacen(
        &format!("metadata: {{name: {node}}}"),
        "metadata: {name: other}",
        1,
    );
    edit(&mut session, &without);
    assert_eq!(node_of(&session, "default/two"), None);
    assert!(
        waiting(&session) >= 2,
        "the Deployment's Pods on {node} wait again"
    );
    assert_eq!(frame::build(&session).pods.len(), 6);
}

#[test]
fn another_configuration_runs_everything_again() {
    let mut session = session(SMALL);
    session.run_to_end();
    let config = "---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
                  profiles: [{plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}}]\n";
    edit(&mut session, &format!("{SMALL}{config}"));
    assert_eq!(waiting(&session), 0);
    assert_eq!(session.position(), 5);
    assert!(fork::frame(&session).is_some());
}
