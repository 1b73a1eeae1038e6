//! A lesson at the current moment, as the page shows it.

use berth_core::api::load::{Loaded, load};
use berth_core::api::scenario::{Action, Expectation, Predict, Step, Wrong};
use berth_core::api::source::SourceFile;
use berth_protocol::lesson::{
    Ask, GoalFrame, LessonFrame, QuestionFrame, StepFrame, WrongFrame, full,
};
use berth_protocol::remark::Remark;

use super::Lesson;
use super::changes::changes;
use crate::expectations::past;
use crate::lesson::draft;
use crate::session::Session;
use crate::{expectations, lesson};

/// The lesson that is played.
pub fn of(session: &Session) -> Option<&Lesson> {
    session.state.lesson.as_deref()
}

/// Takes a step of the solution, by its number, and lets the cluster come to rest. Returns what it prints.
///
/// # Errors
/// As [`crate::lesson::perform_step`]; also if there is no such step.
pub fn perform_solution_step(session: &mut Session, number: usize) -> Result<String, Remark> {
    let step = session.state.lesson.as_ref();
    let step = step
        .and_then(|lesson| lesson.parts.solution.get(number))
        .cloned();
    let printed = lesson::perform_step(session, &step.ok_or_else(Remark::no_such_step)?)?;
    lesson::settle(session);
    session.state.solution_taken = number + 1;
    Ok(printed)
}

/// The lesson at this moment; `None` if none is played.
pub fn frame(session: &Session) -> Option<LessonFrame> {
    let lesson = lesson::of(session)?;
    let (scenario, parts) = (&lesson.scenario, &lesson.parts);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let goals = scenario.expectations.as_deref().unwrap_or_default();
    let outcomes = lesson::goals(session, lesson)
        .into_iter()
        .zip(expectations::counted(session, goals));
    let goals = goals
        .iter()
        .zip(outcomes)
        .map(|(goal, (outcome, counted))| GoalFrame {
            is_lost: !outcome.met && past::is_lost(session, goal),
            met: outcome.met,
            value: counted.filter(|_| outcome.met),
            why: match goal.words {
                Some(_) if names_field(goal) => outcome.why.without_field(),
                _ => outcome.why,
            },
            words: goal.words.clone().map_or(outcome.expected, Remark::quoted),
        });
    let wrong = lesson::wrong_answer(session, lesson).and_then(|index| parts.wrong.get(index));
    Some(LessonFrame {
        slug: lesson.slug.clone(),
        title: text(&scenario.title),
        description: text(&scenario.description),
        task: text(&scenario.task),
        hints: scenario.hints.clone().unwrap_or_default(),
        locked: lesson.locks().iter().map(ToString::to_string).collect(),
        is_live: lesson.is_live(),
        goals: goals.collect(),
        questions: parts
            .predict
            .iter()
            .map(|it| question(session, it))
            .collect(),
        wrong: wrong.map(|answer| answer.say.clone()),
        solution: parts.solution.iter().map(|it| step(lesson, it)).collect(),
        taken: session.state.solution_taken,
        did: did(session, lesson),
        wrong_answers: parts
            .wrong
            .iter()
            .map(|it| wrong_answer(lesson, it))
            .collect(),
    })
}

/// What the learner did since the lesson began.
fn did(session: &Session, lesson: &Lesson) -> Vec<StepFrame> {
    let steps = draft::steps_by_hand(session, &lesson.loaded).into_iter();
    let did = steps.map(|step| {
        let applied = match step.is_command {
            true => Loaded::default(),
            false => load(&[SourceFile::new("", step.text.as_str())]),
        };
        StepFrame {
            lines: changes(&lesson.loaded, &applied),
            objects: objects(&applied),
            text: step.text.trim_end().to_owned(),
            is_command: step.is_command,
            note: String::new(),
        }
    });
    did.collect()
}

fn question(session: &Session, question: &Predict) -> QuestionFrame {
    let wrong = question.wrong.iter();
    QuestionFrame {
        pod: full(&question.pod),
        ask: match question.ask.as_str() {
            "victims" => Ask::Victims,
            "why" => Ask::Why,
            _ => Ask::Node,
        },
        say: question.say.clone(),
        wrong: wrong
            .map(|it| (it.answer.clone(), it.say.clone()))
            .collect(),
        answer: lesson::answer(session, question),
    }
}

/// Whether an expectation, or one that may hold in its place, concerns a field.
fn names_field(goal: &Expectation) -> bool {
    let mut others = goal.one_of.iter().flatten();
    goal.path.is_some() || !goal.config.is_null() || others.any(names_field)
}

fn wrong_answer(lesson: &Lesson, answer: &Wrong) -> WrongFrame {
    WrongFrame {
        steps: answer.steps.iter().map(|it| step(lesson, it)).collect(),
        say: answer.say.clone(),
    }
}

fn step(lesson: &Lesson, step: &Step) -> StepFrame {
    let (text, objects, lines) = match &step.action {
        Action::Run(line) => (line, Vec::new(), Vec::new()),
        Action::Apply(manifests) => {
            let applied = load(&[SourceFile::new("", manifests.as_str())]);
            let lines = changes(&lesson.loaded, &applied);
            (manifests, objects(&applied), lines)
        }
    };
    StepFrame {
        text: text.trim_end().to_owned(),
        is_command: matches!(step.action, Action::Run(_)),
        lines,
        objects,
        note: step.note.clone().unwrap_or_default(),
    }
}

/// The objects of manifests: `Kind/name`, or the kind alone of what has no name.
fn objects(loaded: &Loaded) -> Vec<String> {
    let names = loaded
        .documents
        .iter()
        .map(|own| match own.name.is_empty() {
            true => own.kind.clone(),
            false => format!("{}/{}", own.kind, own.name),
        });
    names.collect()
}
