//! Plays a lesson: its start, and steps from there.

use std::rc::Rc;

use berth_core::api::edit::{apply_changes, document};
use berth_core::api::load::{Document, load, load_again};
use berth_core::api::scenario::{Action, Step};
use berth_core::api::source::SourceFile;
use berth_protocol::edit::{Change, EditError};
use berth_protocol::expectation::Outcome;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;
use berth_scheduler::release::Version;

use super::Lesson;
use crate::delivery::Delivery;
use crate::locks::Locks;
use crate::session::{Clock, Session};
use crate::{edit, expectations, lesson, simulated, sources, undo};

/// Simulated time that passes at most before a step counts as settled, in milliseconds: nodes that are lost, Pods that
/// are evicted after 300 s and deadlines of rollouts are over by then.
const SETTLE_MS: i64 = 15 * 60_000;
/// A longer pause ends it: the queue tries Pods that nothing can help again after 5 minutes.
const PAUSE_MS: i64 = 120_000;
/// Maximum number of log entries until then.
const MAX_ENTRIES: usize = 5_000;

/// Opens the start of a lesson. Undo returns to what was open before.
///
/// # Errors
/// Why its manifests are not accepted, or a line before the start fails.
pub fn begin(session: &mut Session, lesson: &Rc<Lesson>) -> Result<(), Remark> {
    let (before, undo) = (undo::snapshot(session), std::mem::take(&mut session.undo));
    let was_opened = !session.manifests().loaded.files.is_empty();
    let begun = begin_from_files(session, lesson);
    session.undo = undo;
    if was_opened {
        session.undo.follow(before);
    }
    session.state.undo_at_start = session.undo_depth().0;
    begun
}

fn begin_from_files(session: &mut Session, lesson: &Rc<Lesson>) -> Result<(), Remark> {
    if lesson.release().is_some() {
        // Over what was chosen before.
        session.state.options.release.kubernetes = None;
    }
    if !session.apply(&lesson.sources) {
        return Err(first_error(session.problems()));
    }
    simulated::set_simulated(session, lesson.is_live());
    simulated::restart_mode(session);
    let asks = !lesson.parts.predict.is_empty();
    let mut lines = lesson.scenario.before.iter().flatten().peekable();
    // Questions come before the Pods are scheduled.
    if !asks || lines.peek().is_some() {
        lesson::settle(session);
    }
    while let Some(line) = lines.next() {
        run_line(session, line)?;
        if !asks || lines.peek().is_some() {
            lesson::settle(session);
        }
    }
    session.state.since = session.position();
    session.state.solution_taken = 0;
    let original = session.manifests().loaded.clone();
    session.state.locks = Some(Rc::new(Locks::new(lesson.locks(), original)));
    session.state.lesson = Some(Rc::clone(lesson));
    Ok(())
}

/// Makes a change that starts the run again. A simulated cluster would then lack what the commands of a lesson's start
/// did, so the lesson begins again.
///
/// # Errors
/// Why the lesson cannot begin. The session then stays unchanged.
pub fn start_again(session: &mut Session, change: impl FnOnce(&mut Session)) -> Result<(), Remark> {
    let Some(lesson) = session
        .state
        .lesson
        .clone()
        .filter(|_| session.is_simulated())
    else {
        change(session);
        return Ok(());
    };
    let (before, undo) = (undo::snapshot(session), std::mem::take(&mut session.undo));
    change(session);
    let begun = lesson::begin(session, &lesson);
    session.undo = undo;
    match begun {
        // Undone in one, not to the state between.
        Ok(()) => {
            session.undo.follow(before);
            session.state.undo_at_start = session.undo_depth().0;
        }
        Err(_) => undo::restore(session, before),
    }
    begun
}

/// Follows a Kubernetes release, as [`crate::sources::set_kubernetes`].
///
/// # Errors
/// The lesson is written for another release, or cannot begin with this one.
pub fn choose_release(session: &mut Session, version: Option<Version>) -> Result<(), Remark> {
    let own = lesson::of(session).and_then(Lesson::release);
    if let Some(own) = own.filter(|own| version.is_some_and(|it| it != *own)) {
        return Err(Remark::lesson_release(own.minor()));
    }
    lesson::start_again(session, |session| sources::set_kubernetes(session, version))
}

/// Switches the mode, as [`crate::simulated::set_simulated`].
///
/// # Errors
/// The lesson cannot do without its cluster.
pub fn choose_mode(session: &mut Session, live: bool) -> Result<(), Remark> {
    if !live && lesson::of(session).is_some_and(Lesson::is_live) {
        return Err(Remark::lesson_lives());
    }
    simulated::set_simulated(session, live);
    Ok(())
}

/// Whether this moment is before the start of a lesson with a cluster. A change here would undo what happened until
/// then, the commands of the start among it.
pub(crate) fn is_before(session: &Session) -> bool {
    lesson::of(session).is_some_and(Lesson::is_live) && session.position() < session.state.since
}

/// Lets the run, or the cluster, come to rest: until nothing is due for two minutes, for 15 minutes at most.
pub fn settle(session: &mut Session) {
    let elapsed_ms = |session: &Session| {
        session
            .simulated_cluster()
            .map_or(0, |cluster| cluster.elapsed_ms())
    };
    let until_ms = elapsed_ms(session).saturating_add(SETTLE_MS);
    for _ in 0..MAX_ENTRIES {
        let latest_ms = elapsed_ms(session).saturating_add(PAUSE_MS).min(until_ms);
        if simulated::next_ms(session).is_some_and(|next| next > latest_ms) || !session.step() {
            break;
        }
    }
}

/// Takes a step as a learner would. [`crate::lesson::settle`] comes after it. Returns what it prints.
///
/// # Errors
/// What a command that fails prints, or why the manifests are refused. A step that has to fail must do so.
pub fn perform_step(session: &mut Session, step: &Step) -> Result<String, Remark> {
    let taken = act(session, &step.action);
    match (step.fails, taken) {
        (false, taken) => taken,
        (true, Err(refusal)) => Ok(refusal.to_string()),
        (true, Ok(printed)) => Err(Remark::step_succeeds(printed.trim_end())),
    }
}

fn act(session: &mut Session, action: &Action) -> Result<String, Remark> {
    match action {
        Action::Run(line) => run_line(session, line),
        Action::Apply(manifests) => {
            lesson::write_manifests(session, manifests).map_err(|error| error.remark())?;
            Ok(String::new())
        }
    }
}

fn run_line(session: &mut Session, line: &str) -> Result<String, Remark> {
    // The caller lets the cluster come to rest.
    let output = session.by_clock(Clock::V0_1, |session| simulated::command(session, line));
    if output.open.is_some() {
        return Err(Remark::no_editor_in_a_lesson());
    }
    let printed = output.all();
    match output.code {
        0 => Ok(printed),
        _ => Err(Remark::quoted(printed.trim_end())),
    }
}

/// Writes manifests into the sources, as if typed: the document of an object of the same name is replaced, others
/// are added at the end.
///
/// # Errors
/// If they cannot be read, or are refused. The session then stays unchanged.
pub fn write_manifests(session: &mut Session, manifests: &str) -> Result<(), EditError> {
    edit::sources_can_be_read(session)?;
    let written = load(&[SourceFile::new("", manifests)]);
    if let Some(problem) = written.problems.iter().find(|problem| problem.is_error()) {
        return Err(EditError::new(
            problem.message.clone(),
            problem.help.clone(),
        ));
    }
    let before = edit::editable(session);
    let last = before.files.len().saturating_sub(1);
    let end = before.files.get(last).map_or(0, |file| file.text.len());
    let (mut changes, mut added) = (Vec::new(), String::new());
    for own in &written.documents {
        let text = written.text(&own.source);
        let text = format!("{}\n", text.trim_matches('\n'));
        match document(&before, &own.reference()) {
            Some(old) => changes.push(Change {
                file: old.source.file,
                range: old.source.range.clone(),
                text,
            }),
            None => added.push_str(&format!("---\n{text}")),
        }
    }
    changes.sort_by_key(|change| (change.file, change.range.start));
    if !added.is_empty() {
        let ends_line = before
            .files
            .get(last)
            .is_none_or(|file| file.text.is_empty() || file.text.ends_with('\n'));
        changes.push(Change {
            file: last,
            range: end..end,
            text: if ends_line {
                added
            } else {
                format!("\n{added}")
            },
        });
    }
    let files = apply_changes(&before.files, &changes)
        .ok_or_else(|| EditError::new(Remark::overlap(), Remark::default()))?;
    let mut delivery = Delivery::of(&[]);
    delivery.written = written.documents.iter().map(Document::reference).collect();
    edit::deliver(session, load_again(&files, &before), delivery)
}

/// The goals of a lesson at this moment.
pub fn goals(session: &Session, lesson: &Lesson) -> Vec<Outcome> {
    let goals = lesson.scenario.expectations.as_deref();
    expectations::check(session, goals.unwrap_or_default())
}

/// The wrong answer of a lesson that this moment shows, by its index; `None` if the goals are met, nothing was changed
/// yet, or no known wrong answer leads here.
pub fn wrong_answer(session: &Session, lesson: &Lesson) -> Option<usize> {
    let (changes, _) = session.undo_depth();
    if changes <= session.state.undo_at_start
        || lesson::goals(session, lesson).iter().all(|goal| goal.met)
    {
        return None;
    }
    let mut answers = lesson.parts.wrong.iter();
    answers.position(|answer| {
        expectations::check(session, &answer.when)
            .iter()
            .all(|it| it.met)
    })
}

fn first_error(problems: &[Problem]) -> Remark {
    let first = problems.iter().find(|problem| problem.is_error());
    first.map_or_else(Remark::manifests_not_accepted, |problem| {
        Remark::located(&problem.file, problem.line, problem.message.clone())
    })
}
