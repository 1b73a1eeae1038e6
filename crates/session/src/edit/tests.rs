//! Edits in a simulated cluster: an edit that its API server refuses changes nothing.

use serde_json::json;

use crate::testing::simulated as session;
use crate::{edit, simulated};
use berth_protocol::edit::{Edit, ObjectRef, PathStep};

const JOB: &str = "
apiVersion: v1
kind: Node
metadata: {name: one}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: it}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {disk: ssd}
      containers: [{name: main, image: main, command: [sleep, '1000']}]
";

fn job() -> ObjectRef {
    ObjectRef::new("Job", "", "it")
}

fn path(path: &str) -> Vec<PathStep> {
    path.split('.')
        .map(|key| PathStep::Key(key.to_owned()))
        .collect()
}

#[test]
fn an_immutable_field_is_changed_only_by_replacing_the_object() {
    let mut session = session(JOB);
    session.run_to_end();
    let (digest, position) = (session.digest(), session.position());
    assert!(position > 0);
    let free = Edit::Remove {
        object: job(),
        path: path("spec.template.spec.nodeSelector"),
    };
    let error = edit::make(&mut session, std::slice::from_ref(&free)).unwrap_err();
    assert!(
        error.message.to_string().contains("field is immutable"),
        "{error}"
    );
    assert_eq!((session.digest(), session.position()), (digest, position));
    assert!(session.sources()[0].text.contains("disk: ssd"));
    assert_eq!(session.undo_depth(), (0, 0));

    let replace = Edit::Replace { object: job() };
    edit::make(&mut session, &[free, replace]).unwrap();
    assert!(!session.sources()[0].text.contains("disk: ssd"));
    let before = session.position();
    session.advance(50);
    let mut later = session.attempts().filter(|(at, _)| *at >= before);
    assert!(later.any(|(_, attempt)| attempt.node().is_some()));
}

#[test]
fn an_edit_keeps_what_a_command_changed_right_before_it() {
    let mut session = session(JOB);
    session.run_to_end();
    simulated::command(&mut session, "kubectl create deployment web --image=nginx");
    let label = Edit::Set {
        object: ObjectRef::node("one"),
        path: path("metadata.labels.disk"),
        value: json!("ssd"),
    };
    edit::make(&mut session, &[label]).unwrap();
    let deployments = &session
        .simulated_cluster()
        .unwrap()
        .api()
        .store()
        .deployments;
    assert_eq!(deployments.iter().count(), 1);
}
