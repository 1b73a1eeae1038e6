//! Locks of a lesson on the manifests. Those on a simulated cluster are its API server's.

use std::collections::BTreeSet;

use serde_json::Value;

use berth_core::api::decode::Finding;
use berth_core::api::edit::document;
use berth_core::api::load::{Document, Loaded};
use berth_core::api::object::Manifest;
use berth_core::api::scenario::Lock;
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_sim::store::Object;

use berth_core::api::source::SourceFile;

/// Locks, and the manifests at the start.
pub struct Locks {
    all: Vec<Lock>,
    original: Loaded,
}

impl Locks {
    pub fn new(all: Vec<Lock>, original: Loaded) -> Self {
        Self { all, original }
    }

    /// The locks.
    pub fn all(&self) -> &[Lock] {
        &self.all
    }

    /// Why a change of the manifests is refused; empty if it is not. `edits`: those that lead to it.
    pub fn refusals(&self, before: &Loaded, after: &Loaded, edits: &[Edit]) -> Vec<Problem> {
        let documents = before.documents.iter().chain(&after.documents);
        let objects: BTreeSet<ObjectRef> = documents.map(Document::reference).collect();
        let replaced = |object: &ObjectRef| {
            let mut edits = edits.iter();
            edits.any(|edit| matches!(edit, Edit::Replace { object: own } if own == object))
        };
        let refused = objects.iter().filter_map(|object| {
            let lock = self.refusal(object, before, after).or_else(|| {
                let mut locks = self.all.iter();
                locks.find(|lock| lock.path.is_none() && is_of(lock, object) && replaced(object))
            })?;
            Some(problem(lock, object, after, edits.is_empty()))
        });
        let scenario = |loaded: &Loaded| {
            let mut documents = loaded.documents.iter();
            let scenario = documents.find(|document| document.kind == "Scenario")?;
            value(scenario)
        };
        let text_changes = scenario(before) != scenario(after);
        let of_lesson = text_changes.then(|| {
            let lock = Lock {
                kind: "Scenario".to_owned(),
                name: None,
                namespace: String::new(),
                path: None,
            };
            problem(
                &lock,
                &ObjectRef::new(&lock.kind, "", ""),
                after,
                edits.is_empty(),
            )
        });
        refused.chain(of_lesson).collect()
    }

    /// The lock that forbids the change of an object.
    fn refusal(&self, object: &ObjectRef, before: &Loaded, after: &Loaded) -> Option<&Lock> {
        let mut locks = self
            .all
            .iter()
            .filter(|lock| is_of(lock, object))
            .peekable();
        locks.peek()?;
        let value_in = |loaded| document(loaded, object).and_then(value);
        let (original, old, new) = (value_in(&self.original), value_in(before), value_in(after));
        locks.find(|lock| lock.forbids(original.as_ref(), old.as_ref(), new.as_ref()))
    }
}

fn is_of(lock: &Lock, object: &ObjectRef) -> bool {
    lock.is_of(&object.kind, &object.namespace, &object.name)
}

/// A document's object as JSON; `None` if it cannot be read.
pub(super) fn value(document: &Document) -> Option<Value> {
    match document.object.as_deref()? {
        Manifest::SchedulerConfiguration(value) => Some(value.as_ref().clone()),
        Manifest::Scenario(scenario) => serde_json::to_value(scenario).ok(),
        manifest => Some(Object::of_manifest(manifest)?.to_json()),
    }
}

/// `is_typed`: a typed change stays in the text; only a problem is reported.
fn problem(lock: &Lock, object: &ObjectRef, after: &Loaded, is_typed: bool) -> Problem {
    let help = match is_typed {
        true => Remark::put_back(),
        false => Remark::default(),
    };
    let locked = lock.to_string();
    if let Some(document) = document(after, object) {
        let path = lock.path.clone().unwrap_or_default();
        return after.problem(
            &document.source,
            Finding::error(path, Remark::locked(locked)).help(help),
        );
    }
    Problem {
        severity: Severity::Error,
        file: after
            .files
            .first()
            .map(|file: &SourceFile| file.name.clone())
            .unwrap_or_default(),
        line: 1,
        column: 1,
        path: String::new(),
        message: Remark::locked_object(locked, &object.name),
        help,
        is_missing: false,
        unlisted: 0,
    }
}
