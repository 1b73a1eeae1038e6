//! The rules that every lesson keeps: its start does not meet the goals, its solution does, each wrong answer does not
//! and is recognised, and each lock holds.

use std::rc::Rc;

use berth_core::api::scenario::Step;
use berth_protocol::problem::Problem;

use super::{Lesson, lock_trial};
use crate::{Options, Session, SourceFile};

/// Plays a lesson by the rules, and returns how it breaks them; also its problems, and those of its translations.
/// `seeds` decide ties: a lesson holds with each of them.
pub fn test(file: &SourceFile, translations: &[SourceFile], seeds: &[u64]) -> Vec<Problem> {
    let lesson = match Lesson::read(file) {
        Ok(lesson) => lesson,
        Err(problems) => return problems,
    };
    let mut problems = Vec::new();
    for translation in translations {
        problems.extend(lesson.clone().translate(translation));
    }
    for &seed in seeds {
        let broken = lesson.broken_rules(&Options {
            seed,
            ..Options::default()
        });
        if !broken.is_empty() {
            problems.extend(broken);
            break;
        }
    }
    problems
}

impl Lesson {
    /// The broken rules, with these options.
    pub fn broken_rules(&self, options: &Options) -> Vec<Problem> {
        let lesson = Rc::new(self.clone());
        let begun = || {
            let mut session = Session::new(options.clone());
            session.begin_lesson(&lesson).map(|()| session)
        };
        let session = match begun() {
            Ok(session) => session,
            Err(why) => return vec![self.problem("", format!("the lesson does not start: {why}"))],
        };
        let mut broken = Vec::new();
        broken.extend(self.starts_unmet(session));
        if let Ok(session) = begun() {
            broken.extend(self.is_solved(session));
        }
        for index in 0..self.parts.wrong.len() {
            if let Ok(session) = begun() {
                broken.extend(self.is_recognised(index, session));
            }
        }
        for (index, lock) in self.parts.locked.iter().enumerate() {
            if let Ok(session) = begun() {
                let path = format!("locked[{index}]");
                broken.extend(lock_trial::holds(lock, session).map(|why| self.problem(&path, why)));
            }
        }
        broken
    }

    /// The start must leave something to do: a goal, or a question.
    fn starts_unmet(&self, mut session: Session) -> Option<Problem> {
        session.settle();
        let goals = session.goals(self);
        let is_done = self.parts.predict.is_empty() && goals.iter().all(|goal| goal.met);
        is_done.then(|| self.problem("expectations", "the start meets all goals already"))
    }

    /// The solution must meet all goals, and answer all questions.
    fn is_solved(&self, mut session: Session) -> Vec<Problem> {
        session.settle();
        if let Err(problem) = self.take(&mut session, "solution", &self.parts.solution) {
            return vec![problem];
        }
        let goals = session.goals(self);
        let unmet = goals.iter().filter(|goal| !goal.met).map(|goal| {
            let path = format!("expectations[{}]", goal.index);
            let message = format!(
                "the solution does not meet this goal ({}): {}",
                goal.expected, goal.why
            );
            self.problem(&path, message)
        });
        let mut broken: Vec<Problem> = unmet.collect();
        for (index, question) in self.parts.predict.iter().enumerate() {
            let path = format!("predict[{index}]");
            let Some(answer) = session.answer(question) else {
                broken.push(self.problem(&path, "the scheduler never gives an answer to this"));
                continue;
            };
            for (number, wrong) in question.wrong.iter().enumerate() {
                if answer.is(&wrong.answer) {
                    let path = format!("{path}.wrong[{number}]");
                    broken.push(self.problem(&path, "this answer is right"));
                }
            }
        }
        broken
    }

    /// A wrong answer must not meet the goals, and must be told apart from the others.
    fn is_recognised(&self, index: usize, mut session: Session) -> Option<Problem> {
        let answer = self.parts.wrong.get(index)?;
        let path = format!("wrong[{index}]");
        session.settle();
        let steps = format!("{path}.steps");
        if let Err(problem) = self.take(&mut session, &steps, &answer.steps) {
            return Some(problem);
        }
        if session.goals(self).iter().all(|goal| goal.met) {
            return Some(self.problem(&path, "this wrong answer meets all goals"));
        }
        let recognised = session.wrong_answer(self);
        if recognised == Some(index) {
            return None;
        }
        let unmet = session.check(&answer.when).into_iter().find(|it| !it.met);
        let message = match (recognised, unmet) {
            (Some(other), _) => format!("it is recognised as wrong[{other}], which comes first"),
            (None, Some(unmet)) => {
                format!(
                    "it is not recognised: {} does not hold: {}",
                    unmet.expected, unmet.why
                )
            }
            (None, None) => "it is not recognised".to_owned(),
        };
        Some(self.problem(&format!("{path}.when"), message))
    }

    fn take(&self, session: &mut Session, path: &str, steps: &[Step]) -> Result<(), Problem> {
        for (number, step) in steps.iter().enumerate() {
            let taken = session.take_step(step);
            let path = format!("{path}[{number}]");
            taken.map_err(|why| self.problem(&path, format!("the step fails: {why}")))?;
            session.settle();
        }
        Ok(())
    }
}
