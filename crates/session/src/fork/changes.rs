//! What a fork differs by from its first run: the objects of its manifests field by field, the seed, and the release.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use berth_core::api::edit::value_of;
use berth_core::api::load::{Document, DocumentKey, Loaded};
use berth_core::api::manifests::Manifests;
use berth_core::api::object::Manifest;
use berth_core::api::prepare::nodes::UNSCHEDULABLE;
use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::frame::ForkChange;
use berth_scheduler::release::Version;

use super::Fork;
use crate::history::{History, LogEntry, Now};
use crate::session::Options;

/// Maximum number of changes that are listed.
const LISTED: usize = 100;

/// A change, and how to take it back.
#[derive(Clone)]
pub struct Change {
    pub what: ForkChange,
    /// Position of the log from which the run continues without it.
    pub at: usize,
    pub undo: Undo,
    /// It ran in the terminal. Earlier changes cannot be undone alone, as it would have to run again.
    pub is_line: bool,
}

/// What takes a change back.
#[derive(Clone)]
pub enum Undo {
    Edits(Vec<Edit>),
    Seed(u64),
    /// `None`: that of the manifests, or the default.
    Release(Option<Version>),
}

/// The changes of a fork: those of a run that was begun again, then those of each edit in it.
pub fn between(fork: &Fork, history: &History, options: &Options) -> Vec<Change> {
    let first = &fork.first_run;
    let mut changes = Vec::new();
    let mut restart = |what, undo| {
        changes.push(Change {
            what,
            at: 0,
            undo,
            is_line: false,
        });
    };
    let (old, new) = (fork.state.options.seed, options.seed);
    if old != new {
        let (before, after) = (old, new);
        restart(ForkChange::Seed { before, after }, Undo::Seed(old));
    }
    let release = |manifests: &Manifests| manifests.prepared.release.version();
    let (old, new) = (
        release(first.manifests_at(0)),
        release(history.manifests_at(0)),
    );
    if old != new {
        let what = ForkChange::Release {
            before: old.minor().to_owned(),
            after: new.minor().to_owned(),
        };
        // A Scenario may name the new one; the choice is over it.
        let chosen = fork.state.options.release.kubernetes;
        let is_chosen = chosen != options.release.kubernetes;
        restart(
            what,
            Undo::Release(if is_chosen { chosen } else { Some(old) }),
        );
    }
    let mut before = first.manifests_at(first.position());
    let start = history.manifests_at(0);
    if !Rc::ptr_eq(start, first.manifests_at(0)) {
        add(&mut changes, before, start, 0);
        before = start;
    }
    // An edit directly after an edit replaces its entry.
    let from = fork.at.saturating_sub(1);
    for (position, entry) in history.log().iter().enumerate().skip(from) {
        let is_old = first.log().get(position);
        let is_old = is_old.is_some_and(|old| Rc::ptr_eq(old, entry));
        if let (
            LogEntry::Edit {
                manifests,
                asked,
                now,
                stays,
                ..
            },
            false,
        ) = (&**entry, is_old)
        {
            let is_simulated = matches!(**now, Now::Simulated(_));
            // Other edits at the same moment replace their entry.
            let at = position + usize::from(!*stays && !is_simulated);
            match asked {
                Some(what) => ask(&mut changes, what, is_simulated, (before, manifests), at),
                None => add(&mut changes, before, manifests, at),
            }
            before = manifests;
        }
    }
    changes.truncate(LISTED);
    changes
}

/// A change named after its command or gesture. A command that waits makes several entries.
fn ask(
    changes: &mut Vec<Change>,
    what: &ForkChange,
    is_simulated: bool,
    (before, after): (&Manifests, &Manifests),
    at: usize,
) {
    let is_drain = matches!(what, ForkChange::Drained { .. });
    let is_line = what.line().is_some() && (is_simulated || !is_drain);
    if is_line && changes.last().is_some_and(|last| last.what == *what) {
        return;
    }
    let mut parts = Vec::new();
    add(&mut parts, before, after, at);
    let edits = parts.into_iter().filter_map(|part| match part.undo {
        Undo::Edits(edits) => Some(edits),
        Undo::Seed(_) | Undo::Release(_) => None,
    });
    changes.push(Change {
        what: what.clone(),
        at,
        undo: Undo::Edits(edits.flatten().collect()),
        is_line,
    });
}

fn add(changes: &mut Vec<Change>, before: &Manifests, after: &Manifests, at: usize) {
    let (before, after) = (&before.loaded, &after.loaded);
    let mut edit = |what, undo| {
        changes.push(Change {
            what,
            at,
            undo: Undo::Edits(undo),
            is_line: false,
        });
    };
    let (old, new) = (by_object(before), by_object(after));
    for document in in_order(before, &old) {
        let object = document.reference();
        match new.get(&document.key()) {
            Some(new) if is_unchanged(document, new) => {}
            Some(_) => {
                let (Some(was), Some(is)) = (value_of(before, &object), value_of(after, &object))
                else {
                    continue;
                };
                let fields = fields_of(&object, &was, &is);
                if let Some(cordon) = cordon(&object, was, is) {
                    edit(cordon, fields.into_iter().map(|(_, undo)| undo).collect());
                } else {
                    fields
                        .into_iter()
                        .for_each(|(what, undo)| edit(what, vec![undo]));
                }
            }
            None => {
                if let Some(manifest) = value_of(before, &object) {
                    edit(
                        ForkChange::Deleted { object },
                        vec![Edit::Create { manifest }],
                    );
                }
            }
        }
    }
    for document in in_order(after, &new) {
        if !old.contains_key(&document.key()) {
            let object = document.reference();
            let undo = Edit::Delete {
                object: object.clone(),
            };
            edit(ForkChange::Created { object }, vec![undo]);
        }
    }
}

/// The change from some manifests to others, if it is one: all documents before it and after it are unchanged.
pub fn only(before: &Manifests, after: &Manifests) -> Option<ForkChange> {
    let is_same = |(old, new): &(&Document, &Document)| match (&old.object, &new.object) {
        (None, None) => true,
        _ => is_unchanged(old, new),
    };
    let (old, new) = (&before.loaded.documents, &after.loaded.documents);
    let first = old.iter().zip(new).take_while(is_same).count();
    let (old, new) = (old.get(first..)?, new.get(first..)?);
    let last = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(is_same)
        .count();
    let (old, new) = (
        old.get(..old.len().saturating_sub(last))?,
        new.get(..new.len().saturating_sub(last))?,
    );
    match (old, new) {
        ([], [added]) => Some(ForkChange::Created {
            object: named(added)?,
        }),
        ([deleted], []) => Some(ForkChange::Deleted {
            object: named(deleted)?,
        }),
        ([old], [new]) if old.key() == new.key() => {
            let object = new.reference();
            let was = value_of(&before.loaded, &object)?;
            let is = value_of(&after.loaded, &object)?;
            let mut differing = fields_of(&object, &was, &is).into_iter();
            let only = (differing.next(), differing.next());
            cordon(&object, was, is).or(match only {
                (Some((field, _)), None) => Some(field),
                _ => None,
            })
        }
        _ => None,
    }
}

/// The object of a document, if it has one.
fn named(document: &Document) -> Option<ObjectRef> {
    let is_object = document.object.is_some() && !document.name.is_empty();
    is_object.then(|| document.reference())
}

/// The documents by their object, without those that edits cannot name.
fn by_object(loaded: &Loaded) -> BTreeMap<DocumentKey<'_>, &Document> {
    let mut documents = loaded.by_object();
    documents.retain(|_, document| {
        let object = document.object.as_deref();
        !document.name.is_empty() || matches!(object, Some(Manifest::SchedulerConfiguration(_)))
    });
    documents
}

/// The documents that [`by_object`] found, in the order of the text.
fn in_order<'l>(
    loaded: &'l Loaded,
    found: &BTreeMap<DocumentKey<'l>, &'l Document>,
) -> impl Iterator<Item = &'l Document> {
    loaded.documents.iter().filter(|document| {
        let first = found.get(&document.key());
        first.is_some_and(|first| std::ptr::eq(*first, *document))
    })
}

/// Documents with the same text share their object.
fn is_unchanged(old: &Document, new: &Document) -> bool {
    match (&old.object, &new.object) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    }
}

/// The edit that gives a field its old value.
fn restored(object: &ObjectRef, path: &[PathStep], was: Option<&Value>) -> Edit {
    let (object, path) = (object.clone(), path.to_vec());
    match was {
        Some(value) => Edit::Set {
            object,
            path,
            value: value.clone(),
        },
        None => Edit::Remove { object, path },
    }
}

/// The fields of an object that differ, each with the edit that gives it its old value.
fn fields_of(object: &ObjectRef, was: &Value, is: &Value) -> Vec<(ForkChange, Edit)> {
    let mut listed = Vec::new();
    fields(
        &mut Vec::new(),
        Some(was),
        Some(is),
        &mut |path, was, is| {
            let what = ForkChange::Field {
                object: object.clone(),
                path: written(path),
                before: was.map(Value::to_string),
                after: is.map(Value::to_string),
            };
            listed.push((what, restored(object, path, was)));
        },
    );
    listed
}

/// A node that is only cordoned or uncordoned: its taint does not count separately.
fn cordon(object: &ObjectRef, mut was: Value, mut is: Value) -> Option<ForkChange> {
    if object.kind != "Node" {
        return None;
    }
    let (before, after) = (take_cordon(&mut was), take_cordon(&mut is));
    let is_cordoned = |field: &Option<Value>| *field == Some(Value::Bool(true));
    if is_cordoned(&before) == is_cordoned(&after) || was != is {
        return None;
    }
    Some(ForkChange::Field {
        object: object.clone(),
        path: "spec.unschedulable".to_owned(),
        before: before.map(|value| value.to_string()),
        after: after.map(|value| value.to_string()),
    })
}

/// Takes `spec.unschedulable` out of a node, and the corresponding taint.
fn take_cordon(node: &mut Value) -> Option<Value> {
    let spec = node.get_mut("spec")?.as_object_mut()?;
    let taken = spec.remove("unschedulable");
    if let Some(Value::Array(taints)) = spec.get_mut("taints") {
        taints.retain(|taint| taint.get("key").and_then(Value::as_str) != Some(UNSCHEDULABLE));
        if taints.is_empty() {
            spec.remove("taints");
        }
    }
    if spec.is_empty()
        && let Some(node) = node.as_object_mut()
    {
        node.remove("spec");
    }
    taken
}

/// Calls `differs` for each field that differs: as deep as both sides have mappings, or lists of the same length.
fn fields(
    path: &mut Vec<PathStep>,
    before: Option<&Value>,
    after: Option<&Value>,
    differs: &mut impl FnMut(&[PathStep], Option<&Value>, Option<&Value>),
) {
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                path.push(PathStep::Key(key.clone()));
                fields(path, old.get(key), new.get(key), differs);
                path.pop();
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                path.push(PathStep::Index(index));
                fields(path, Some(old), Some(new), differs);
                path.pop();
            }
        }
        (old, new) if old == new => {}
        (old, new) => differs(path, old, new),
    }
}

/// A path as kubectl writes it; a key with dots is in brackets.
fn written(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Key(key) if key.contains(['.', '/']) => text.push_str(&format!("[{key}]")),
            PathStep::Key(key) if text.is_empty() => text.push_str(key),
            PathStep::Key(key) => text.push_str(&format!(".{key}")),
        }
    }
    text
}
