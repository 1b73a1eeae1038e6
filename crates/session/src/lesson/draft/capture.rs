//! The start of a lesson, and the steps of a learner, from the log of a session.

use std::collections::BTreeMap;
use std::rc::Rc;

use berth_base::sort;
use berth_core::api::load::{Document, Loaded, load};
use berth_protocol::draft::{DraftStart, DraftStep};
use berth_protocol::edit::ObjectRef;
use berth_protocol::link::joined;
use berth_protocol::remark::Remark;

use super::FILE;
use crate::history::LogEntry;
use crate::lesson::Lesson;
use crate::lesson::read::start;
use crate::{Session, SourceFile};

impl Session {
    /// This moment as the start of a lesson: the manifests and the lines of the terminal so far. If Pods would be
    /// placed elsewhere when it opens, the Pods are in the manifests as they are now.
    pub fn lesson_start(&self) -> DraftStart {
        let before = self
            .log()
            .iter()
            .take(self.position())
            .filter_map(|entry| entry.line(false).map(str::to_owned));
        let before: Vec<String> = before.collect();
        let files = self.manifests().loaded.files.iter();
        let files: Vec<(String, String)> = files
            .map(|file| (file.name.clone(), file.text.to_string()))
            .collect();
        let has_editor = before.iter().any(|line| opens_editor(line));
        let plain = DraftStart {
            manifests: without_texts(joined(&files)),
            live: self.is_simulated(),
            before,
        };
        if !has_editor && (!plain.before.is_empty() || self.stays(&plain)) {
            return plain;
        }
        DraftStart {
            manifests: without_texts(self.export_yaml()),
            before: Vec::new(),
            ..plain
        }
    }

    /// Whether all Pods that have a node now have it at this start, too.
    fn stays(&self, start: &DraftStart) -> bool {
        let mut played = Session::new(self.options().clone());
        let Ok(()) = played.begin_start(start) else {
            return false;
        };
        let there = places(&played);
        let mut here = places(self).into_iter();
        here.all(|(place, count)| there.get(&place).is_some_and(|&own| own >= count))
    }

    /// Opens the start of a lesson that is being made.
    ///
    /// # Errors
    /// As [`Session::begin_lesson`].
    pub fn begin_start(&mut self, start: &DraftStart) -> Result<(), Remark> {
        let begun = self.begin_lesson(&Rc::new(Lesson::of_start(start)));
        (self.state.lesson, self.state.locks) = (None, None);
        begun
    }

    /// What was done by hand since this start was opened, as steps of a learner.
    pub fn steps_since(&self, start: &DraftStart) -> Vec<DraftStep> {
        let original = load(&[SourceFile::new(FILE, start.manifests.as_str())]);
        self.steps_by_hand(&original)
    }

    /// The same since a start with these manifests.
    pub(crate) fn steps_by_hand(&self, original: &Loaded) -> Vec<DraftStep> {
        let mut steps = Vec::new();
        let since = self.state.since.min(self.position());
        // A run that started again has no entry for the change that did it.
        steps.extend(changes(original, &self.history.manifests_at(since).loaded));
        for position in since..self.position() {
            let Some(entry) = self.log().get(position) else {
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
            let before = &self.history.manifests_at(position).loaded;
            steps.extend(changes(before, &manifests.loaded));
        }
        steps
    }
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
