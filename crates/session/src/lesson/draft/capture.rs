//! The start of a lesson, and the steps of a learner, from the log of a session.

use std::collections::BTreeMap;
use std::rc::Rc;

use berth_base::sort;
use berth_core::api::load::{Document, Loaded, load};
use berth_core::api::source::SourceFile;
use berth_protocol::draft::{DraftStart, DraftStep};
use berth_protocol::edit::ObjectRef;
use berth_protocol::link::joined;
use berth_protocol::remark::Remark;

use super::FILE;
use crate::history::LogEntry;
use crate::lesson::read::start;
use crate::lesson::{Lesson, draft};
use crate::session::Session;
use crate::{export, lesson};

/// This moment as the start of a lesson: the manifests and the lines of the terminal so far. If Pods would be
/// placed elsewhere when it opens, the Pods are in the manifests as they are now.
pub fn lesson_start(session: &Session) -> DraftStart {
    let before = session
        .log()
        .iter()
        .take(session.position())
        .filter_map(|entry| entry.line(false).map(str::to_owned));
    let before: Vec<String> = before.collect();
    let files = session.manifests().loaded.files.iter();
    let files: Vec<(String, String)> = files
        .map(|file| (file.name.clone(), file.text.to_string()))
        .collect();
    let has_editor = before.iter().any(|line| opens_editor(line));
    let plain = DraftStart {
        manifests: without_texts(joined(&files)),
        live: session.is_simulated(),
        before,
    };
    if !has_editor && (!plain.before.is_empty() || stays(session, &plain)) {
        return plain;
    }
    DraftStart {
        manifests: without_texts(export::yaml(session)),
        before: Vec::new(),
        ..plain
    }
}

/// Whether all Pods that have a node now have it at this start, too.
fn stays(session: &Session, start: &DraftStart) -> bool {
    let mut played = Session::new(session.options().clone());
    let Ok(()) = draft::begin_start(&mut played, start) else {
        return false;
    };
    let there = places(&played);
    let mut here = places(session).into_iter();
    here.all(|(place, count)| there.get(&place).is_some_and(|&own| own >= count))
}

/// Opens the start of a lesson that is being made.
///
/// # Errors
/// As [`crate::lesson::begin`].
pub fn begin_start(session: &mut Session, start: &DraftStart) -> Result<(), Remark> {
    let begun = lesson::begin(session, &Rc::new(Lesson::of_start(start)));
    (session.state.lesson, session.state.locks) = (None, None);
    begun
}

/// What was done by hand since this start was opened, as steps of a learner.
pub fn steps_since(session: &Session, start: &DraftStart) -> Vec<DraftStep> {
    let original = load(&[SourceFile::new(FILE, start.manifests.as_str())]);
    draft::steps_by_hand(session, &original)
}

/// The same since a start with these manifests.
pub(crate) fn steps_by_hand(session: &Session, original: &Loaded) -> Vec<DraftStep> {
    let mut steps = Vec::new();
    let since = session.state.since.min(session.position());
    // A run that started again has no entry for the change that did it.
    steps.extend(changes(
        original,
        &session.history.manifests_at(since).loaded,
    ));
    for position in since..session.position() {
        let Some(entry) = session.log().get(position) else {
            continue;
        };
        let LogEntry::Edit {
            manifests,
            by_hand: true,
            ..
        } = &**entry
        else {
            continue;
        };
        if let Some(line) = entry.line(true) {
            steps.push(command(line.to_owned()));
            continue;
        }
        let before = &session.history.manifests_at(position).loaded;
        steps.extend(changes(before, &manifests.loaded));
    }
    steps
}

/// Whether a line asks for an editor, which a lesson does not have.
fn opens_editor(line: &str) -> bool {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("vi" | "vim" | "nano") => true,
        Some("kubectl" | "k") => words.next() == Some("edit"),
        _ => false,
    }
}

/// The manifests with as much of a `Scenario` in front as the cluster depends on.
fn without_texts(manifests: String) -> String {
    let file = SourceFile::new(FILE, manifests);
    let loaded = load(std::slice::from_ref(&file));
    let first = loaded.documents.first();
    match first.is_some_and(|first| first.kind == "Scenario") {
        true => start(&file, &loaded).text.to_string(),
        false => file.text.to_string(),
    }
}

/// Numbers of Pods by their owner, or their name, and their node.
fn places(session: &Session) -> BTreeMap<(String, String), usize> {
    let mut places = BTreeMap::new();
    for pod in session.run().cluster().pods().iter() {
        let Some(node) = &pod.object.node_name else {
            continue;
        };
        let owner = pod.object.template.controller.as_ref();
        let name = owner.map_or(&*pod.object.name, |owner| owner.name.as_str());
        let who = format!("{}/{name}", pod.object.namespace);
        *places.entry((who, node.to_string())).or_default() += 1;
    }
    places
}

fn command(text: String) -> DraftStep {
    DraftStep {
        text,
        is_command: true,
        note: String::new(),
    }
}

/// The documents of the objects in their order, without the `Scenario`.
fn objects(loaded: &Loaded) -> Vec<(ObjectRef, &str)> {
    let mut documents: Vec<&Document> = loaded.by_object().into_values().collect();
    documents.retain(|it| it.kind != "Scenario");
    sort::sort_by_key(&mut documents, |it| it.index);
    documents
        .into_iter()
        .map(|it| (it.reference(), loaded.text(&it.source).trim()))
        .collect()
}

/// The steps that lead from manifests to others: one with all documents that are new or differ, and a command for
/// each that is gone.
fn changes(before: &Loaded, after: &Loaded) -> Vec<DraftStep> {
    let (old, new) = (objects(before), objects(after));
    let changed = new.iter().filter(|it| !old.contains(it));
    let changed: Vec<&str> = changed.map(|(_, text)| *text).collect();
    let gone = old
        .iter()
        .filter(|(object, _)| new.iter().all(|(own, _)| own != object))
        .map(|(object, _)| {
            let namespace = match object.namespace.as_str() {
                "" | "default" => String::new(),
                namespace => format!(" -n {namespace}"),
            };
            let kind = object.kind.to_lowercase();
            command(format!("kubectl delete {kind} {}{namespace}", object.name))
        });
    let applied = (!changed.is_empty()).then(|| DraftStep {
        text: format!("{}\n", changed.join("\n---\n")),
        is_command: false,
        note: String::new(),
    });
    applied.into_iter().chain(gone).collect()
}

/// An object as locks and expectations name it; `None` if its name cannot be written there.
pub fn name_of(object: &ObjectRef) -> Option<String> {
    let ObjectRef {
        kind,
        namespace,
        name,
    } = object;
    if name.contains('.') || kind == "Scenario" {
        return None;
    }
    Some(match namespace.as_str() {
        _ if name.is_empty() => kind.clone(),
        "" | "default" => format!("{kind}/{name}"),
        namespace => format!("{kind}/{namespace}/{name}"),
    })
}
