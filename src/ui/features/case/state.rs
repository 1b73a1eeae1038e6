//! The smallest case of the explained attempt, while the engine looks for it and when it is found.

use std::rc::Rc;

use crate::export::case::markdown;
use crate::ui::engine::{FILE_NAME, Version};
use crate::ui::features::builder::BuilderAction;
use crate::ui::store::{Effect, LinkFor, Panel, Store};
use crate::words;
use berth_protocol::command::{Command, Recording, Run, Subject};
use berth_protocol::link::{Link, View};
use berth_protocol::moment::Moment;
use berth_protocol::reduce::{ReducedAttempt, ReducedCase};
use berth_protocol::remark::Remark;

/// The name of the case's file.
pub(super) const CASE_FILE: &str = "case.yaml";

/// How far the engine is.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It leaves out what can go.
    Reduces,
    Case(Rc<ReducedCase>),
    /// Why there is none.
    None(Remark),
}

/// The panel of a case, in place of Explain.
#[derive(Clone, Debug, PartialEq)]
pub struct CasePanel {
    /// The position of the attempt in the log.
    pub position: usize,
    pub found: Found,
    /// The address that opens the case, once it is made.
    pub link: Option<String>,
}

/// An action on the smallest case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseAction {
    /// Reduces the explained attempt.
    Reduce,
    /// Leaves it at the best case so far.
    Stop,
    /// Back to the explanation.
    Close,
    /// Opens the case as the scenario, at the attempt that it claims.
    Open,
    /// Copies it as Markdown.
    Copy,
    Download,
    /// Makes it the start of a lesson.
    MakeLesson,
    /// The address that opens it was made; `None`: the module that makes links could not be loaded.
    Linked(Option<String>),
}

impl CasePanel {
    fn case(&self) -> Option<&Rc<ReducedCase>> {
        match &self.found {
            Found::Case(case) => Some(case),
            Found::Reduces | Found::None(_) => None,
        }
    }
}

impl Store {
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(in crate::ui) fn on_case(&mut self, action: CaseAction) -> Vec<Effect> {
        match action {
            CaseAction::Reduce => return self.reduce_attempt(),
            CaseAction::Stop => return vec![Effect::Send(Command::Run(Run::Stop))],
            CaseAction::Close => {
                let mut effects = self.close_case();
                effects.push(Effect::FocusField("reduce".to_owned()));
                return effects;
            }
            CaseAction::Open => return self.open_case(),
            CaseAction::MakeLesson => return self.make_lesson_of_case(),
            CaseAction::Linked(Some(link)) => {
                if let Some(panel) = &mut self.case {
                    panel.link = Some(link);
                }
            }
            CaseAction::Linked(None) => {
                self.page.notice = Some(words::LAZY_MODULE_MISSING.to_owned());
            }
            CaseAction::Copy => {
                let panel = self.case.as_deref();
                let case = panel.and_then(|panel| Some((panel.case()?, panel.link.as_deref())));
                let text = case.map(|(case, link)| markdown(case, link));
                return text.map(Effect::CopyText).into_iter().collect();
            }
            CaseAction::Download => {
                let case = self.found_case();
                let file = case.map(|case| Effect::Download {
                    name: CASE_FILE.to_owned(),
                    text: case.text.as_str().into(),
                });
                return file.into_iter().collect();
            }
        }
        Vec::new()
    }

    fn found_case(&self) -> Option<Rc<ReducedCase>> {
        self.case.as_deref()?.case().cloned()
    }

    /// Whether the explained attempt can be reduced: a lesson hides what solves it, and an embedded page has no room.
    pub fn can_reduce(&self) -> bool {
        let explained = self.explain.explained.as_deref();
        explained.is_some_and(|explained| explained.made && explained.result.is_ok())
            && self.time.progress.is_none()
            && self.page.embed.is_none()
            && !self.lesson.hides_fixes()
    }

    fn reduce_attempt(&mut self) -> Vec<Effect> {
        let Some(position) = self.explain.position().filter(|_| self.can_reduce()) else {
            return Vec::new();
        };
        self.case = Some(Box::new(CasePanel {
            position,
            found: Found::Reduces,
            link: None,
        }));
        self.open_panel(Panel::Explain);
        vec![
            Effect::Reduce { position },
            Effect::FocusField("case".to_owned()),
        ]
    }

    /// Closes the panel; a reduction ends.
    pub(in crate::ui) fn close_case(&mut self) -> Vec<Effect> {
        let panel = self.case.take();
        let reduces = panel.is_some_and(|panel| panel.found == Found::Reduces);
        let stop = reduces.then_some(Effect::Send(Command::Run(Run::Stop)));
        stop.into_iter().collect()
    }

    /// Another moment is shown, and the engine has dropped a reduction.
    pub(in crate::ui) fn drop_reduction(&mut self) {
        self.case.take_if(|panel| panel.found == Found::Reduces);
    }

    /// The engine has ended a reduction. That of another attempt is late.
    #[inline(never)]
    pub(in crate::ui) fn receive_reduced(&mut self, reduced: ReducedAttempt) -> Vec<Effect> {
        let ReducedAttempt { position, case } = reduced;
        let panel = self.case.as_deref_mut();
        let panel = panel.filter(|it| it.position == position && it.found == Found::Reduces);
        let Some(panel) = panel else {
            return Vec::new();
        };
        match case {
            Err(why) => {
                panel.found = Found::None(why);
                Vec::new()
            }
            Ok(case) => {
                let link = link(&case);
                panel.found = Found::Case(Rc::new(case));
                vec![Effect::EncodeLink(Box::new(link), LinkFor::Case)]
            }
        }
    }

    fn open_case(&mut self) -> Vec<Effect> {
        let Some(case) = self.found_case() else {
            return Vec::new();
        };
        let mut effects = self.open(case.text.clone());
        self.page.opened = CASE_FILE.to_owned();
        self.time.ran = true;
        effects.push(Effect::Send(Command::Run(Run::ToEnd)));
        effects.push(self.ask_about(Subject::Pod(case.attempt.cycle.pod.clone())));
        effects
    }

    fn make_lesson_of_case(&mut self) -> Vec<Effect> {
        let Some(case) = self.found_case() else {
            return Vec::new();
        };
        let mut effects = self.open(case.text.clone());
        effects.extend(self.on_builder(BuilderAction::Show));
        effects.extend(self.on_builder(BuilderAction::MarkStart));
        effects
    }
}

/// The link that opens a case at the end of its run, with its attempt explained.
fn link(case: &ReducedCase) -> Link {
    let recording = Recording {
        recorded: Vec::new(),
        at: Moment {
            log_length: case.attempt.frame.log_length,
            position: case.attempt.frame.position,
        },
        waits: false,
    };
    let files = vec![(FILE_NAME.to_owned(), case.text.clone())];
    Link {
        view: View {
            pod: Some(case.attempt.cycle.pod.clone()),
            ..View::default()
        },
        ..Link::of(recording, files, Version::default().minor())
    }
}

#[cfg(test)]
mod tests;
