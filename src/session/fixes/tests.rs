//! Fixtures with one failure each: the fix that is expected, in which order, and that every fix helps
//! in two ways: on a copy of the state, and with the manifests changed and everything run again.

mod kinds;
mod living;
mod rules;

use serde_json::{Value, json};

use super::fields::{self, Action};
use super::source::Source;
use super::verify;
use crate::api::source::SourceFile;
use crate::protocol::edit::Edit;
use crate::protocol::fix::{Change, Fix};
use crate::scheduler::cycle::Outcome;
use crate::scheduler::observer::Silent;
use crate::session::{Options, Session};

/// A node with a zone, 2 CPU and 4Gi; `more` goes below it (`spec: …`).
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

/// A Pod labelled `app: NAME` that asks for `cpu`; `more` are lines of its spec.
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
    let mut session = Session::new(Options::default());
    let taken = session.apply(&[SourceFile::new("test.yaml", yaml)]);
    assert!(taken && !session.has_errors(), "{:?}", session.problems());
    session.run_to_end();
    session
}

/// The session, and the position of the first attempt of the Pod that failed.
fn failed(yaml: &str, key: &str) -> (Session, usize) {
    let session = session(yaml);
    let mut attempts = session.attempts();
    let found = attempts.find(|(_, attempt)| attempt.key == key && attempt.node().is_none());
    let (position, _) = found.unwrap_or_else(|| panic!("{key} never failed"));
    drop(attempts);
    (session, position)
}

/// The fixes of a Pod's first failure, each of which is tried in full.
fn fixes(yaml: &str, key: &str) -> Vec<Fix> {
    let (session, position) = failed(yaml, key);
    let fixes = session.fixes(position).unwrap();
    for fix in &fixes {
        helps_from_that_state(&session, position, fix);
    }
    assert!(fixes.is_sorted_by_key(|fix| fix.rank));
    fixes
}

fn helps_from_that_state(session: &Session, position: usize, fix: &Fix) {
    let run = session.history.at(position).unwrap();
    let changed = verify::changed(session, run.snapshot(), &fix.edits).unwrap();
    changed.cluster().audit().unwrap();
    let Some(Outcome::Scheduled { node, .. }) = changed.decide_next(&mut Silent) else {
        panic!("{} does not help", fix.sentence());
    };
    let node = &changed.cluster().node(node).name;
    assert_eq!(node.as_ref(), fix.node, "{}", fix.sentence());
    assert!(fix.feasible.contains(&fix.node), "{fix:?}");
}

/// Every manifest as JSON, after the edits.
fn edited(session: &Session, edits: &[Edit]) -> String {
    let documents = &session.manifests().loaded.documents;
    let mut objects: Vec<Source> = documents.iter().filter_map(Source::of).collect();
    let mut created: Vec<Value> = Vec::new();
    for edit in edits {
        let (object, path, action) = match edit {
            Edit::Set {
                object,
                path,
                value,
            } => (object, path, Action::Set(value.clone())),
            Edit::Append {
                object,
                path,
                value,
            } => (object, path, Action::Append(value.clone())),
            Edit::Remove { object, path } => (object, path, Action::Remove),
            Edit::Delete { object } => {
                objects.retain(|known| known.object != *object);
                continue;
            }
            Edit::Create { manifest } => {
                created.push(manifest.clone());
                continue;
            }
        };
        let known = objects.iter_mut().find(|known| known.object == *object);
        fields::apply(&mut known.unwrap().json, path, action).unwrap();
    }
    let objects = objects.into_iter().map(|object| object.json);
    let texts = objects.chain(created).map(|object| object.to_string());
    texts.collect::<Vec<String>>().join("\n---\n")
}

/// Changes the manifests and runs everything again, from the beginning: is the Pod bound?
fn helps_from_the_start(yaml: &str, key: &str, fix: &Fix) {
    let (before, _) = failed(yaml, key);
    let after = session(&edited(&before, &fix.edits));
    let frame = after.frame();
    let pod = frame.pods.iter().find(|pod| pod.key == key).unwrap();
    assert!(pod.node.is_some(), "{}: {}", fix.sentence(), pod.message);
}

fn sentences(fixes: &[Fix]) -> Vec<String> {
    fixes.iter().map(Fix::sentence).collect()
}

/// The position of a fix in the list.
fn place(fixes: &[Fix], sentence: &str) -> usize {
    let mut all = fixes.iter();
    let place = all.position(|fix| fix.sentence() == sentence);
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
