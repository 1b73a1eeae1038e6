//! Makes a lesson: its start and its steps from what a session did, and its file from what the author gave.

mod capture;
mod write;

use std::rc::Rc;

use berth_core::api::load::load;
use berth_core::api::scenario::{self, Action, Scenario, Step};
use berth_core::api::source::SourceFile;
use berth_protocol::command::Moment;
use berth_protocol::draft::{Draft, DraftStart, DraftStep, Written};
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;

use super::Lesson;
use crate::expectations::asked;
use crate::lesson;
use crate::session::{Options, Session};

pub(super) use capture::name_of;
pub(crate) use capture::steps_by_hand;
pub use capture::{begin_start, lesson_start, steps_since};
pub(super) use write::expectation;
use write::write;

/// The name of the file, as problems give it.
const FILE: &str = "lesson.yaml";
/// Stands for a text that is still missing, so that the rest can be played.
const MISSING: &str = "…";

/// Writes a draft as a file; also the lesson to play, as soon as it has all but its texts.
pub fn check(draft: &Draft) -> (Written, Option<Lesson>) {
    let (text, problems) = write(draft);
    let mut written = Written {
        problems,
        goals: draft
            .goals
            .iter()
            .map(|goal| expectation(&goal.text).map_or_else(Remark::default, |it| asked(&it)))
            .collect(),
        objects: draft.start.as_ref().map(objects).unwrap_or_default(),
        ..Written::default()
    };
    match Lesson::read(&SourceFile::new(FILE, text.as_str())) {
        Ok(lesson) => {
            let manifests = lesson.sources.first();
            written.manifests = manifests.map_or_else(String::new, |file| file.text.to_string());
            let mut session = Session::new(Options::default());
            if lesson::begin(&mut session, &Rc::new(lesson)).is_ok() {
                written.at = Moment {
                    log_length: session.log().len(),
                    position: session.position(),
                };
            }
        }
        Err(_) if written.problems.is_empty() && draft.solution.is_empty() => {
            let unsolved = write::missing("solution");
            written.problems.push(unsolved);
        }
        Err(problems) => {
            // An expectation that cannot be read is missing from the text: its own problem says more.
            let own = written.problems.clone();
            let is_reported = |problem: &Problem| own.iter().any(|own| is_same_place(own, problem));
            let others = problems.into_iter().filter(|problem| !is_reported(problem));
            written.problems.extend(others.map(|problem| Problem {
                is_missing: problem.is_missing && !is_of_expectation(&problem.path),
                ..problem
            }));
        }
    }
    if draft.title.trim().is_empty() {
        let untitled = write::missing("title");
        written.problems.insert(0, untitled);
    }
    written.text = text;
    let (text, problems) = write(&filled(draft));
    let lesson = Lesson::read(&SourceFile::new(FILE, text));
    let lesson = lesson.ok().filter(|_| problems.is_empty());
    written.rules = lesson.as_ref().map_or_else(Vec::new, Lesson::rules);
    (written, lesson)
}

/// Whether two problems are about the same field, or the same list of expectations.
fn is_same_place(a: &Problem, b: &Problem) -> bool {
    let list = |problem: &Problem| {
        let (name, _) = problem.path.split_once('[').unwrap_or((&problem.path, ""));
        Some(name.to_owned()).filter(|name| matches!(name.as_str(), "expectations" | "wrong"))
    };
    a.path == b.path || (list(a).is_some() && list(a) == list(b))
}

/// Whether a path is that of an expectation as a whole. One that the author wrote may lack a field, but is there.
fn is_of_expectation(path: &str) -> bool {
    path.ends_with(']') && (path.starts_with("expectations[") || path.contains(".when["))
}

/// The draft with a text in place of each that is missing.
fn filled(draft: &Draft) -> Draft {
    let mut draft = draft.clone();
    let say = draft.wrong.iter_mut().map(|wrong| &mut wrong.say);
    let why = draft.predict.iter_mut().map(|question| &mut question.say);
    let texts = [&mut draft.title, &mut draft.description, &mut draft.task];
    for text in texts.into_iter().chain(say).chain(why) {
        if text.trim().is_empty() {
            MISSING.clone_into(text);
        }
    }
    draft
}

/// What can be locked at this start: kinds, and objects.
fn objects(start: &DraftStart) -> Vec<String> {
    let loaded = load(&[SourceFile::new(FILE, start.manifests.as_str())]);
    let documents = loaded
        .documents
        .iter()
        .filter(|it| it.object.is_some() && it.kind != "Scenario");
    let (mut kinds, mut names) = (Vec::new(), Vec::new());
    for document in documents {
        if !kinds.contains(&document.kind) {
            kinds.push(document.kind.clone());
        }
        names.extend(name_of(&document.reference()));
    }
    kinds.extend(names);
    kinds
}

impl Lesson {
    /// A lesson with this start, and nothing else.
    pub(super) fn of_start(start: &DraftStart) -> Self {
        let mode = if start.live { "live" } else { "schedule" };
        Self {
            slug: String::new(),
            scenario: Scenario {
                mode: Some(mode.to_owned()),
                before: Some(start.before.clone()),
                ..Scenario::default()
            },
            parts: scenario::Lesson::default(),
            sources: vec![SourceFile::new(FILE, start.manifests.as_str())],
            loaded: Default::default(),
        }
    }
}

/// A step of a draft, to be taken.
pub(super) fn step(step: &DraftStep) -> Step {
    let action = match step.is_command {
        true => Action::Run,
        false => Action::Apply,
    };
    Step {
        action: action(step.text.clone()),
        note: None,
        fails: false,
    }
}

#[cfg(test)]
mod tests;
