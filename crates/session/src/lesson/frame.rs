//! A lesson at the current moment, as the page shows it.

use berth_core::api::load::{Loaded, load};
use berth_core::api::scenario::{Action, Expectation, Predict, Step, Wrong};
use berth_protocol::lesson::{
    Ask, GoalFrame, LessonFrame, QuestionFrame, StepFrame, WrongFrame, full,
};
use berth_protocol::remark::Remark;

use super::Lesson;
use super::changes::changes;
use crate::{Session, SourceFile};

impl Session {
    /// The lesson that is played.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.state.lesson.as_deref()
    }

    /// Takes a step of the solution, by its number, and lets the cluster come to rest. Returns what it prints.
    ///
    /// # Errors
    /// As [`Session::take_step`]; also if there is no such step.
    pub fn take_solution_step(&mut self, number: usize) -> Result<String, Remark> {
        let step = self.state.lesson.as_ref();
        let step = step
            .and_then(|lesson| lesson.parts.solution.get(number))
            .cloned();
        let printed = self.take_step(&step.ok_or_else(Remark::no_such_step)?)?;
        self.settle();
        self.state.solution_taken = number + 1;
        Ok(printed)
    }

    /// The lesson at this moment; `None` if none is played.
    pub fn lesson_frame(&self) -> Option<LessonFrame> {
        let lesson = self.lesson()?;
        let (scenario, parts) = (&lesson.scenario, &lesson.parts);
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let goals = scenario.expectations.as_deref().unwrap_or_default();
        let outcomes = self.goals(lesson).into_iter().zip(self.counted(goals));
        let goals = goals
            .iter()
            .zip(outcomes)
            .map(|(goal, (outcome, counted))| GoalFrame {
                is_lost: !outcome.met && self.is_lost(goal),
                met: outcome.met,
                value: counted.filter(|_| outcome.met),
                why: match goal.words {
                    Some(_) if names_field(goal) => outcome.why.without_field(),
                    _ => outcome.why,
                },
                words: goal.words.clone().map_or(outcome.expected, Remark::quoted),
            });
        let wrong = self
            .wrong_answer(lesson)
            .and_then(|index| parts.wrong.get(index));
        Some(LessonFrame {
            slug: lesson.slug.clone(),
            title: text(&scenario.title),
            description: text(&scenario.description),
            task: text(&scenario.task),
            hints: scenario.hints.clone().unwrap_or_default(),
            locked: lesson.locks().iter().map(ToString::to_string).collect(),
            is_live: lesson.is_live(),
            goals: goals.collect(),
            questions: parts.predict.iter().map(|it| self.question(it)).collect(),
            wrong: wrong.map(|answer| answer.say.clone()),
            solution: parts.solution.iter().map(|it| step(lesson, it)).collect(),
            taken: self.state.solution_taken,
            did: self.did(lesson),
            wrong_answers: parts
                .wrong
                .iter()
                .map(|it| wrong_answer(lesson, it))
                .collect(),
        })
    }

    /// What the learner did since the lesson began.
    fn did(&self, lesson: &Lesson) -> Vec<StepFrame> {
        let steps = self.steps_by_hand(&lesson.loaded).into_iter();
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

    fn question(&self, question: &Predict) -> QuestionFrame {
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
            answer: self.answer(question),
        }
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
