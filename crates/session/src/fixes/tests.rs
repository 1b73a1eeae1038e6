//! Fixtures with one failure each. The tests check the expected fixes and their order, and that every fix helps in two
//! ways: committed where it was offered, and with everything run again from the beginning.

mod gates;
mod group;
mod kinds;
mod lines;
mod operator;
mod rules;
mod simulated;
mod workloads;

use serde_json::{Value, json};

use crate::session::{Options, Session};
use crate::{edit, fixes, frame, testing};
use berth_core::api::edit::apply_changes;
use berth_core::api::source::SourceFile;
use berth_protocol::edit::Edit;
use berth_protocol::fix::{Change, Fix};
use berth_sim::run::Attempt;

/// A node with a zone, 2 CPU and 4Gi; `more` is appended (`spec: …`).
fn node(name: &str, zone: &str, more: &str) -> String {
    format!(
        "apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {zone}}}}}
status: {{allocatable: {{cpu: '2', memory: 4Gi, pods: '10'}}}}
{more}
---
"
    )
}

/// A Deployment `web`, whose Pods request `cpu`; `more` is a line of their spec.
fn deployment(replicas: u32, cpu: &str, more: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      {more}
      containers: [{{name: web, image: web, resources: {{requests: {{cpu: {cpu}}}}}}}]
---
"
    )
}

/// A Pod labeled `app: NAME` that requests `cpu`; `more` are lines of its spec.
fn pod(name: &str, cpu: &str, more: &str) -> String {
    let more: String = more.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: {name}}}}}
spec:
  containers: [{{name: main, image: main, resources: {{requests: {{cpu: {cpu}}}}}}}]
{more}---
"
    )
}

fn session(yaml: &str) -> Session {
    let mut session = testing::session(yaml);
    session.run_to_end();
    session
}

fn session_of(files: &[SourceFile]) -> Session {
    let mut session = Session::new(Options::default());
    let taken = session.apply(files);
    assert!(taken && !session.has_errors(), "{:?}", session.problems());
    session.run_to_end();
    session
}

/// The session, and the position of the Pod's first failed attempt.
fn failed(yaml: &str, key: &str) -> (Session, usize) {
    let session = session(yaml);
    let mut attempts = session.attempts();
    let found = attempts.find(|(_, attempt)| attempt.key == key && attempt.node().is_none());
    let (position, _) = found.unwrap_or_else(|| panic!("{key} never failed"));
    drop(attempts);
    (session, position)
}

/// The fixes of a Pod's first failure, each verified by a commit.
fn fixes(yaml: &str, key: &str) -> Vec<Fix> {
    let (session, position) = failed(yaml, key);
    let fixes = fixes::find(&session, position).unwrap();
    for fix in &fixes {
        helps_from_that_state(&session, position, fix);
    }
    assert!(fixes.is_sorted_by_key(|fix| fix.rank));
    fixes
}

/// Commits the fix where it was offered, and checks that the next attempt binds the Pod.
fn helps_from_that_state(session: &Session, position: usize, fix: &Fix) {
    let mut then = session.branch(position).unwrap();
    let key = then.run().next_pod().unwrap().object.key();
    let committed = edit::make(&mut then, &fix.edits);
    assert!(committed.is_ok(), "{}: {committed:?}", fix.remark());
    then.run().cluster().audit().unwrap();
    let start = then.position();
    then.run_to_end();
    if matches!(fix.what, Change::Forgo { .. }) {
        let pods = then.run().cluster().pods();
        assert!(
            pods.iter().all(|pod| pod.object.key() != key),
            "{}",
            fix.remark()
        );
        return;
    }
    // A changed template changes the names of a workload's Pods.
    let (_, name) = key.split_once('/').unwrap();
    let is_there = then.run().cluster().pods().find("default", name).is_some();
    let stem = key.split_once('-').map_or(key.as_str(), |(stem, _)| stem);
    let is_it = |it: &str| {
        if is_there {
            it == key
        } else {
            it.starts_with(stem)
        }
    };
    let mut attempts = then
        .attempts()
        .filter(|(at, it)| *at >= start && is_it(&it.key));
    let is_as_predicted = |it: &Attempt| it.node().map(AsRef::as_ref) == Some(fix.node.as_str());
    let is_placed = match is_there {
        true => attempts.next().is_some_and(|(_, it)| is_as_predicted(it)),
        false => attempts.any(|(_, it)| is_as_predicted(it)),
    };
    assert!(is_placed, "{}", fix.remark());
    assert!(fix.feasible.contains(&fix.node), "{fix:?}");
}

/// The files after the edits.
fn edited(session: &Session, edits: &[Edit]) -> Vec<SourceFile> {
    let changes = edit::changes(session, edits).unwrap();
    apply_changes(session.sources(), &changes).unwrap()
}

/// Changes the manifests, runs everything again from the beginning, and checks that the Pod is bound.
fn helps_from_the_start(yaml: &str, key: &str, fix: &Fix) {
    let (before, _) = failed(yaml, key);
    let after = session_of(&edited(&before, &fix.edits));
    let frame = frame::build(&after);
    let pod = frame.pods.iter().find(|pod| pod.key == key).unwrap();
    assert!(pod.node.is_some(), "{}: {}", fix.remark(), pod.message);
}

fn sentences(fixes: &[Fix]) -> Vec<String> {
    fixes.iter().map(|fix| fix.remark().to_string()).collect()
}

/// The position of a fix in the list.
fn place(fixes: &[Fix], sentence: &str) -> usize {
    let mut all = fixes.iter();
    let place = all.position(|fix| fix.remark() == sentence);
    place.unwrap_or_else(|| panic!("no {sentence:?} among {:#?}", sentences(fixes)))
}

fn has(fixes: &[Fix], is_wanted: fn(&Change) -> bool) -> bool {
    fixes.iter().any(|fix| is_wanted(&fix.what))
}

fn edit_of<'f>(fixes: &'f [Fix], sentence: &str) -> &'f [Edit] {
    &fixes[place(fixes, sentence)].edits
}

fn as_json(edits: &[Edit]) -> Value {
    json!(edits)
}
