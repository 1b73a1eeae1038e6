//! Changes of the draft by its fields and lists.

use super::Builder;
use crate::words;
use berth_protocol::draft::{DraftGoal, DraftQuestion, DraftStep, DraftWrong, Proposal};
use berth_protocol::lesson::Ask;

/// A list of the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Hints,
    Goals,
    Locks,
    Solution,
    Wrong,
    /// The steps of a wrong answer, and the expectations that recognise it.
    Steps(usize),
    When(usize),
    Questions,
}

/// A text of the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Title,
    Description,
    Task,
    Minutes,
    Hint(usize),
    Goal(usize),
    Words(usize),
    Step(usize),
    Note(usize),
    Lock(usize),
    WrongStep(usize, usize),
    When(usize, usize),
    Say(usize),
    Pod(usize),
    Why(usize),
}

/// A change of the draft other than of its texts.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// What a question asks for.
    Ask(usize, Ask),
    Add(List),
    Remove(List, usize),
    /// Moves an item before the one in front of it.
    Up(List, usize),
    /// Takes over a proposed goal.
    Offer(usize),
    Lock(String),
}

impl Builder {
    /// Changes the draft; returns the path of a field that is new.
    pub(super) fn change(&mut self, change: Change) -> Option<String> {
        match change {
            Change::Ask(at, ask) => {
                if let Some(question) = self.draft.predict.get_mut(at) {
                    question.ask = ask;
                }
            }
            Change::Add(list) => return Some(self.add(list)),
            Change::Remove(list, at) => self.remove(list, at),
            Change::Up(list, at) => self.up(list, at),
            Change::Offer(at) if at < self.offered.len() => {
                let offered = self.offered.remove(at);
                self.draft.goals.push(goal(&offered));
            }
            Change::Offer(_) => {}
            Change::Lock(lock) => {
                if !self.draft.locked.contains(&lock) {
                    self.draft.locked.push(lock);
                }
            }
        }
        None
    }

    fn text(&mut self, place: Place) -> Option<&mut String> {
        let draft = &mut self.draft;
        match place {
            Place::Title => Some(&mut draft.title),
            Place::Description => Some(&mut draft.description),
            Place::Task => Some(&mut draft.task),
            Place::Minutes => None,
            Place::Hint(at) => draft.hints.get_mut(at),
            Place::Goal(at) => draft.goals.get_mut(at).map(|goal| &mut goal.text),
            Place::Words(at) => draft.goals.get_mut(at).map(|goal| &mut goal.words),
            Place::Step(at) => draft.solution.get_mut(at).map(|step| &mut step.text),
            Place::Note(at) => draft.solution.get_mut(at).map(|step| &mut step.note),
            Place::Lock(at) => draft.locked.get_mut(at),
            Place::WrongStep(wrong, at) => {
                let steps = &mut draft.wrong.get_mut(wrong)?.steps;
                steps.get_mut(at).map(|step| &mut step.text)
            }
            Place::When(wrong, at) => draft.wrong.get_mut(wrong)?.when.get_mut(at),
            Place::Say(wrong) => draft.wrong.get_mut(wrong).map(|wrong| &mut wrong.say),
            Place::Pod(at) => draft.predict.get_mut(at).map(|it| &mut it.pod),
            Place::Why(at) => draft.predict.get_mut(at).map(|it| &mut it.say),
        }
    }

    pub(super) fn set(&mut self, place: Place, text: String) {
        self.stale = true;
        self.link = None;
        if place == Place::Minutes {
            self.draft.minutes = text.trim().parse().unwrap_or(0).min(600);
        } else if let Some(own) = self.text(place) {
            *own = text;
        }
    }

    /// Adds an empty item; returns the test hook of its field.
    fn add(&mut self, list: List) -> String {
        let draft = &mut self.draft;
        let hook = |name: &str, at: usize| format!("{name}[{at}]");
        match list {
            List::Hints => {
                draft.hints.push(String::new());
                hook("hints", draft.hints.len() - 1)
            }
            List::Goals => {
                draft.goals.push(DraftGoal::default());
                hook("expectations", draft.goals.len() - 1)
            }
            List::Locks => {
                draft.locked.push(String::new());
                hook("locked", draft.locked.len() - 1)
            }
            List::Solution => {
                draft.solution.push(command());
                hook("solution", draft.solution.len() - 1)
            }
            List::Wrong => {
                draft.wrong.push(DraftWrong::default());
                format!("wrong[{}].say", draft.wrong.len() - 1)
            }
            List::Steps(wrong) => {
                let steps = draft.wrong.get_mut(wrong).map(|it| &mut it.steps);
                let at = steps.map_or(0, |steps| {
                    steps.push(command());
                    steps.len() - 1
                });
                format!("wrong[{wrong}].steps[{at}]")
            }
            List::When(wrong) => {
                let when = draft.wrong.get_mut(wrong).map(|it| &mut it.when);
                let at = when.map_or(0, |when| {
                    when.push(String::new());
                    when.len() - 1
                });
                format!("wrong[{wrong}].when[{at}]")
            }
            List::Questions => {
                draft.predict.push(DraftQuestion::default());
                format!("predict[{}].pod", draft.predict.len() - 1)
            }
        }
    }

    fn remove(&mut self, list: List, at: usize) {
        let draft = &mut self.draft;
        match list {
            List::Hints => remove(&mut draft.hints, at),
            List::Goals => remove(&mut draft.goals, at),
            List::Locks => remove(&mut draft.locked, at),
            List::Solution => remove(&mut draft.solution, at),
            List::Wrong => remove(&mut draft.wrong, at),
            List::Steps(wrong) => {
                if let Some(wrong) = draft.wrong.get_mut(wrong) {
                    remove(&mut wrong.steps, at);
                }
            }
            List::When(wrong) => {
                if let Some(wrong) = draft.wrong.get_mut(wrong) {
                    remove(&mut wrong.when, at);
                }
            }
            List::Questions => remove(&mut draft.predict, at),
        }
    }

    fn up(&mut self, list: List, at: usize) {
        let draft = &mut self.draft;
        match list {
            List::Hints => up(&mut draft.hints, at),
            List::Goals => up(&mut draft.goals, at),
            List::Locks => up(&mut draft.locked, at),
            List::Solution => up(&mut draft.solution, at),
            List::Wrong => up(&mut draft.wrong, at),
            List::Questions => up(&mut draft.predict, at),
            List::Steps(_) | List::When(_) => {}
        }
    }

    /// Adopts the recorded steps, with the smallest set of proposals.
    pub(super) fn adopt(&mut self, steps: Vec<DraftStep>, wrong: bool, proposals: Vec<Proposal>) {
        self.recording_for = None;
        self.steps = Vec::new();
        let (main, more): (Vec<_>, Vec<_>) = proposals.into_iter().partition(|it| it.main);
        if wrong {
            self.draft.wrong.push(DraftWrong {
                steps,
                when: main.into_iter().map(|it| it.text).collect(),
                say: String::new(),
            });
            return;
        }
        let noted = std::mem::take(&mut self.draft.solution);
        let solution = steps.into_iter().map(|step| {
            let same = noted.iter().find(|old| old.text == step.text);
            let note = same.map_or_else(String::new, |old| old.note.clone());
            DraftStep { note, ..step }
        });
        self.draft.solution = solution.collect();
        if self.draft.goals.is_empty() {
            self.draft.goals = main.iter().map(goal).collect();
            self.offered = more;
        } else {
            // The author has changed the goals: they stay.
            self.offered = main.into_iter().chain(more).collect();
        }
        let known = &self.draft.goals;
        self.offered
            .retain(|it| known.iter().all(|goal| goal.text != it.text));
    }
}

fn goal(proposal: &Proposal) -> DraftGoal {
    DraftGoal {
        text: proposal.text.clone(),
        words: words::builder::goal(&proposal.meaning),
    }
}

fn command() -> DraftStep {
    DraftStep {
        is_command: true,
        ..DraftStep::default()
    }
}

fn remove<T>(list: &mut Vec<T>, at: usize) {
    if at < list.len() {
        list.remove(at);
    }
}

fn up<T>(list: &mut [T], at: usize) {
    if at > 0 && at < list.len() {
        list.swap(at, at - 1);
    }
}
