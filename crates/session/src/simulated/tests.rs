//! Sessions with a simulated cluster: forward, backward, edits, explanations.

use crate::session::{Options, Session};
use crate::testing::{alone, simulated as session};
use crate::{edit, explain, fork, frame, simulated};
use berth_core::api::source::SourceFile;
use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::happening::{Attempted, Ending, Happening, Place, PodState, What};
use berth_sim::store::Key;

const SMALL: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: web, image: web, command: [sleep, '1000'], resources: {requests: {cpu: 900m}}}]
";

fn placed(session: &Session) -> usize {
    session
        .run()
        .cluster()
        .pods()
        .iter()
        .filter(|pod| pod.object.node_name.is_some())
        .count()
}

#[test]
fn forward_and_backward_give_the_same_state_at_every_position() {
    let mut session = session(SMALL);
    let mut digests = vec![session.digest()];
    while session.step() {
        digests.push(session.digest());
    }
    assert!(frame::build(&session).finished);
    // At least three attempts, of which two have room.
    assert!(session.attempts().count() >= 3, "{}", session.log().len());
    assert_eq!(placed(&session), 2);
    for position in (0..digests.len()).rev() {
        assert!(session.seek(position));
        assert_eq!(session.digest(), digests[position], "at {position}");
    }
}

#[test]
fn every_attempt_is_explained_as_it_was_decided() {
    let mut session = session(SMALL);
    session.run_to_end();
    let attempts: Vec<usize> = session.attempts().map(|(position, _)| position).collect();
    assert!(!attempts.is_empty());
    for position in attempts {
        let cycle = explain::attempt(&session, position).expect("it can be explained");
        let attempt = session.attempt(position).expect("it is one");
        assert_eq!(cycle.pod, attempt.key);
        assert!(attempt.agrees_with(&cycle));
    }
}

#[test]
fn happenings_include_the_queue_of_every_waiting_pod() {
    let mut session = session(SMALL);
    session.run_to_end();
    let happened: Vec<&Happening> = session.log().iter().flat_map(|it| it.happened()).collect();
    let has = |is_it: &dyn Fn(&What) -> bool| {
        let found = happened.iter().any(|happening| is_it(&happening.what));
        assert!(found, "{happened:#?}");
    };
    has(&|what| match what {
        What::Attempt(Attempted {
            attempt: 1,
            ending: Ending::Bound { node },
            ..
        }) => node == "node-a",
        _ => false,
    });
    has(&|what| matches!(what, What::Pod { state, .. } if *state == PodState::Ready));
    has(&|what| match what {
        What::Attempt(attempted) => attempted
            .requeued
            .is_some_and(|requeued| requeued.to == Place::Unschedulable),
        _ => false,
    });
}

#[test]
fn an_edit_continues_in_the_same_cluster() {
    let mut session = session(SMALL);
    session.run_to_end();
    let pods = frame::build(&session).pods;
    let kept: Vec<&String> = pods
        .iter()
        .filter(|pod| pod.node.is_some())
        .map(|pod| &pod.key)
        .collect();
    let more = SMALL.replace("cpu: '2'", "cpu: '4'");
    assert!(session.edit(&[SourceFile::new("test.yaml", more)], false));
    session.run_to_end();
    assert_eq!(placed(&session), 3);
    let now = frame::build(&session).pods;
    for key in kept {
        let pod = now.iter().find(|pod| pod.key == *key);
        let node = pod.and_then(|pod| pod.node.as_deref());
        assert_eq!(node, Some("node-a"), "{key}");
    }
    assert!(session.undo());
    assert_eq!(placed(&session), 2);
}

#[test]
fn scaling_down_takes_time_and_going_back_brings_the_pods_back() {
    let mut session = session(SMALL);
    session.run_to_end();
    let before = session.position();
    let fewer = SMALL.replace("replicas: 3", "replicas: 1");
    assert!(session.edit(&[SourceFile::new("test.yaml", fewer)], false));
    let began = frame::build(&session).now_ms.expect("time passes");
    session.run_to_end();
    assert_eq!(session.run().cluster().pods().iter().count(), 1);
    let ended = frame::build(&session).now_ms.expect("time passes");
    assert!(ended >= began + 5_000, "{began} {ended}");
    assert!(session.seek(before));
    assert_eq!(placed(&session), 2);
}

#[test]
fn frames_show_pods_that_are_not_ready_or_terminating() {
    let mut session = session(SMALL);
    let mut seen = Vec::new();
    let look = |session: &Session, seen: &mut Vec<String>| {
        let pods = frame::build(session).pods;
        seen.extend(pods.into_iter().filter_map(|pod| pod.status));
    };
    while session.step() {
        look(&session, &mut seen);
    }
    assert!(seen.iter().any(|it| it == "ContainerCreating"), "{seen:?}");
    let mut last = Vec::new();
    look(&session, &mut last);
    assert!(last.is_empty(), "all that are placed run: {last:?}");
    alone(&mut session, "kubectl scale deployment web --replicas=1");
    let mut seen = Vec::new();
    look(&session, &mut seen);
    while session.step() {
        look(&session, &mut seen);
    }
    assert!(seen.iter().any(|it| it == "Terminating"), "{seen:?}");
}

#[test]
fn a_session_can_switch_to_simulated_mode_and_back() {
    let mut session = session(SMALL);
    simulated::set_simulated(&mut session, false);
    session.run_to_end();
    assert!(session.simulated_cluster().is_none());
    assert_eq!(placed(&session), 2);
    simulated::set_simulated(&mut session, true);
    session.run_to_end();
    assert!(session.simulated_cluster().is_some());
    assert_eq!(placed(&session), 2);
}

#[test]
fn the_terminal_changes_the_cluster_and_every_change_can_be_undone() {
    let mut session = session(SMALL);
    session.run_to_end();
    let before = session.position();
    let seen = simulated::command(&mut session, "kubectl get deployment web");
    assert!(seen.stdout.contains("2/3"), "{}", seen.stdout);
    assert_eq!(session.position(), before, "looking is no change");
    let scaled = alone(&mut session, "kubectl scale deployment web --replicas=1");
    assert_eq!(scaled.stdout, "deployment.apps/web scaled\n");
    assert_eq!(session.position(), before + 1);
    session.run_to_end();
    let seen = simulated::command(&mut session, "kubectl get deployment web");
    assert!(seen.stdout.contains("1/1"), "{}", seen.stdout);
    assert!(session.undo());
    let seen = simulated::command(&mut session, "kubectl get deployment web");
    assert!(seen.stdout.contains("2/3"), "{}", seen.stdout);
}

#[test]
fn only_waiting_commands_make_the_schedulers_attempts() {
    let mut session = session(SMALL);
    alone(
        &mut session,
        "kubectl create deployment more --image=nginx --replicas=2",
    );
    let seen = simulated::command(&mut session, "kubectl get pods");
    assert_eq!(seen.stdout.matches("Pending").count(), 5, "{}", seen.stdout);
    assert_eq!(session.attempts().count(), 0);
    assert_eq!(session.position(), 1, "looking is no change");
    session.run_to_end();
    let of_more = |it: &(usize, &berth_sim::run::Attempt)| it.1.key.contains("/more-");
    assert_eq!(session.attempts().filter(of_more).count(), 2);
    simulated::command(&mut session, "kubectl scale deployment more --replicas=3");
    let waited = simulated::command(&mut session, "kubectl rollout status deployment more");
    assert!(
        waited.stdout.contains("successfully rolled out"),
        "{}",
        waited.stdout
    );
}

#[test]
fn a_command_in_the_past_continues_from_there() {
    let mut session = session(SMALL);
    session.run_to_end();
    session.seek(1);
    let output = simulated::command(&mut session, "kubectl cordon node-a");
    assert_eq!(output.stdout, "node/node-a cordoned\n");
    session.run_to_end();
    assert!(fork::frame(&session).is_some());
    assert_eq!(placed(&session), 1);
}

#[test]
fn variables_of_the_terminal_stay_without_a_change() {
    let mut session = session(SMALL);
    simulated::command(&mut session, "name=web");
    let output = simulated::command(&mut session, "echo $name");
    assert_eq!(output.stdout, "web\n");
}

const TWICE: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {from: first}}
spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {from: second}}
spec: {containers: [{name: web, image: web}]}
";

fn label_of_web(session: &Session) -> Option<String> {
    let cluster = session
        .simulated_cluster()
        .expect("the cluster is simulated");
    let pod = cluster
        .api()
        .store()
        .pods
        .get(&Key::new("default", "web"))?;
    pod.metadata.labels.as_ref()?.get("from").cloned()
}

#[test]
fn the_first_of_two_documents_for_one_object_counts_for_every_reader() {
    let first = Some("first".to_owned());
    let mut started = Session::new(Options {
        live: true,
        ..Options::default()
    });
    // The problem is the second document's.
    assert!(started.apply(&[SourceFile::new("test.yaml", TWICE)]));
    assert_eq!(label_of_web(&started), first, "at the start");
    simulated::set_simulated(&mut started, false);
    started.run_to_end();
    simulated::set_simulated(&mut started, true);
    assert_eq!(label_of_web(&started), first, "after the switch");
    let documents: Vec<u32> = started
        .history
        .with_sources()
        .cluster()
        .pods()
        .iter()
        .map(|pod| pod.object.document)
        .collect();
    assert_eq!(documents, [1]);
    let edit = Edit::Set {
        object: ObjectRef::new("Pod", "default", "web"),
        path: ["metadata", "labels", "from"]
            .map(|it| PathStep::Key(it.to_owned()))
            .to_vec(),
        value: "edited".into(),
    };
    edit::make(&mut started, &[edit]).expect("the edit is accepted");
    assert_eq!(label_of_web(&started).as_deref(), Some("edited"));
}

#[test]
fn an_edit_keeps_the_containers_that_a_command_added() {
    let mut session = session(SMALL);
    session.run_to_end();
    let sidecar =
        r#"{"spec":{"template":{"spec":{"containers":[{"name":"proxy","image":"proxy"}]}}}}"#;
    let patched = simulated::command(
        &mut session,
        &format!("kubectl patch deployment web -p '{sidecar}'"),
    );
    assert_eq!(patched.code, 0, "{}", patched.stderr);
    let newer = SMALL.replace("image: web,", "image: web:2,");
    assert!(session.edit(&[SourceFile::new("test.yaml", newer)], false));
    let images = "jsonpath='{.spec.template.spec.containers[*].image}'";
    let seen = simulated::command(
        &mut session,
        &format!("kubectl get deployment web -o {images}"),
    );
    let mut images: Vec<&str> = seen.stdout.split_whitespace().collect();
    images.sort_unstable();
    assert_eq!(images, ["proxy", "web:2"], "{}", seen.stderr);
}
