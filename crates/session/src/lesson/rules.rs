//! The rules that every lesson keeps: its start does not meet the goals, its solution does, each wrong answer does not
//! and is recognised, and each lock holds.

use std::rc::Rc;

use berth_core::api::scenario::Step;
use berth_core::api::source::SourceFile;
use berth_protocol::problem::Problem;
use berth_protocol::remark::Remark;
use berth_protocol::rule::{Broken, Rule};
use berth_scheduler::release::Version;

use super::{Lesson, lock_trial};
use crate::session::{Options, Session};
use crate::{expectations, lesson};

/// Plays a lesson by the rules, and returns how it breaks them; also its problems, and those of its translations.
/// `seeds` decide ties: a lesson holds with each of them, and with each release.
pub fn test(file: &SourceFile, translations: &[SourceFile], seeds: &[u64]) -> Vec<Problem> {
    let lesson = match Lesson::read(file) {
        Ok(lesson) => lesson,
        Err(problems) => return problems,
    };
    let mut problems = Vec::new();
    for translation in translations {
        problems.extend(lesson.clone().translate(translation));
    }
    let releases = lesson.releases();
    let mut all = releases
        .iter()
        .flat_map(|release| seeds.iter().map(move |seed| (*release, *seed)));
    let broken = all.find_map(|(release, seed)| {
        let mut broken = lesson.broken_rules(&options(release, seed));
        if release != Version::default() {
            for problem in &mut broken {
                problem.help = Remark::with_release(release.minor());
            }
        }
        (!broken.is_empty()).then_some(broken)
    });
    problems.extend(broken.into_iter().flatten());
    problems
}

fn options(release: Version, seed: u64) -> Options {
    let mut options = Options {
        seed,
        ..Options::default()
    };
    options.release.kubernetes = Some(release);
    options
}

impl Lesson {
    /// The releases with which it must pass.
    fn releases(&self) -> Vec<Version> {
        match self.release() {
            Some(release) => vec![release],
            None => Version::ALL.to_vec(),
        }
    }

    /// The broken rules, with these options.
    pub fn broken_rules(&self, options: &Options) -> Vec<Problem> {
        let mut broken = Vec::new();
        for rule in self.rules() {
            let found = self.broken(rule, options);
            let is_at_start = matches!(found.as_slice(), [Broken::NoStart { .. }]);
            let found = found.iter();
            broken.extend(found.map(|it| self.problem(&it.path(), it.to_string())));
            if is_at_start {
                break;
            }
        }
        broken
    }

    /// The rules that it has to keep.
    pub fn rules(&self) -> Vec<Rule> {
        let wrong = (0..self.parts.wrong.len()).map(Rule::Wrong);
        let locks = (0..self.parts.locked.len()).map(Rule::Lock);
        [Rule::Start, Rule::Solution]
            .into_iter()
            .chain(wrong)
            .chain(locks)
            .collect()
    }

    /// Plays one rule with each release, and with these seeds. Returns how it is broken, and the
    /// release that breaks it, if only some do.
    pub fn broken_on(&self, rule: Rule, seeds: &[u64]) -> (Vec<Broken>, Option<Version>) {
        let releases = self.releases();
        let mut failing = releases.iter().filter_map(|release| {
            let played = seeds
                .iter()
                .map(|seed| self.broken(rule, &options(*release, *seed)));
            let mut broken = played.filter(|broken| !broken.is_empty());
            Some((*release, broken.next()?))
        });
        let Some((release, broken)) = failing.next() else {
            return (Vec::new(), None);
        };
        let holds_elsewhere = failing.count() + 1 < releases.len();
        (broken, holds_elsewhere.then_some(release))
    }

    /// Plays one rule; returns how it is broken.
    pub fn broken(&self, rule: Rule, options: &Options) -> Vec<Broken> {
        let mut session = Session::new(options.clone());
        if let Err(why) = lesson::begin(&mut session, &Rc::new(self.clone())) {
            return vec![Broken::NoStart { why }];
        }
        match rule {
            Rule::Start => self.starts_unmet(session).into_iter().collect(),
            Rule::Solution => self.is_solved(session),
            Rule::Wrong(index) => self.is_recognised(index, session).into_iter().collect(),
            Rule::Lock(lock) => {
                let locked = self.parts.locked.get(lock);
                let fault = locked.and_then(|locked| lock_trial::holds(locked, session));
                let broken = fault.map(|fault| Broken::Lock { lock, fault });
                broken.into_iter().collect()
            }
        }
    }

    /// The start must leave something to do: a goal, or a question.
    fn starts_unmet(&self, mut session: Session) -> Option<Broken> {
        lesson::settle(&mut session);
        let goals = lesson::goals(&session, self);
        let is_done = self.parts.predict.is_empty() && goals.iter().all(|goal| goal.met);
        is_done.then_some(Broken::NothingToDo)
    }

    /// The solution must meet all goals, and answer all questions.
    fn is_solved(&self, mut session: Session) -> Vec<Broken> {
        lesson::settle(&mut session);
        if let Err(broken) = perform_steps(&mut session, "solution", &self.parts.solution) {
            return vec![broken];
        }
        let unmet = lesson::goals(&session, self)
            .into_iter()
            .filter(|goal| !goal.met)
            .map(|goal| Broken::Unmet {
                goal: goal.index,
                expected: goal.expected,
                why: goal.why,
            });
        let mut broken: Vec<Broken> = unmet.collect();
        for (index, question) in self.parts.predict.iter().enumerate() {
            let Some(answer) = lesson::answer(&session, question) else {
                broken.push(Broken::NoAnswer { question: index });
                continue;
            };
            let wrong = question.wrong.iter().enumerate();
            let right = wrong.filter(|(_, wrong)| answer.is(&wrong.answer));
            broken.extend(right.map(|(wrong, _)| Broken::AnswerRight {
                question: index,
                wrong,
            }));
        }
        broken
    }

    /// A wrong answer must not meet the goals, and must differ from the others.
    fn is_recognised(&self, wrong: usize, mut session: Session) -> Option<Broken> {
        let answer = self.parts.wrong.get(wrong)?;
        lesson::settle(&mut session);
        let path = format!("wrong[{wrong}].steps");
        if let Err(broken) = perform_steps(&mut session, &path, &answer.steps) {
            return Some(broken);
        }
        if lesson::goals(&session, self).iter().all(|goal| goal.met) {
            return Some(Broken::WrongMeets { wrong });
        }
        match lesson::wrong_answer(&session, self) {
            Some(recognised) if recognised == wrong => None,
            Some(other) => Some(Broken::OtherWrong { wrong, other }),
            None => {
                let unmet = expectations::check(&session, &answer.when)
                    .into_iter()
                    .find(|it| !it.met);
                let unmet = unmet.map(|unmet| (unmet.expected, unmet.why));
                Some(Broken::Unrecognised { wrong, unmet })
            }
        }
    }
}

/// Takes steps one after another, each until the cluster comes to rest. `path`: the field that has them.
///
/// # Errors
/// The first step that fails.
pub(super) fn perform_steps(
    session: &mut Session,
    path: &str,
    steps: &[Step],
) -> Result<(), Broken> {
    for (number, step) in steps.iter().enumerate() {
        lesson::perform_step(session, step).map_err(|why| Broken::StepFails {
            path: format!("{path}[{number}]"),
            why,
        })?;
        lesson::settle(session);
    }
    Ok(())
}
