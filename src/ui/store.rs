//! The page's state and its reducer: one sub-state and one enum of actions per concern. It is plain data without DOM or
//! engine; side effects are returned as [`Effect`]s.

#![deny(clippy::wildcard_enum_match_arm)]

mod action;
pub mod edit;
mod effect;
mod layout;
pub mod page;
mod saved_state;
mod updates;

use std::ops::ControlFlow::{Break, Continue};

use super::features::board::Board;
use super::features::builder::Builder;
use super::features::case::CasePanel;
use super::features::compare::Compare;
use super::features::explain::Explain;
use super::features::export::Export;
use super::features::lesson::Lessons;
use super::features::opening::Opening;
use super::features::presenter::Presenter;
use super::features::scheduler::SchedulerForm;
use super::features::share::Share;
use super::features::sources::Editor;
use super::features::stage::Stage;
use super::features::terminal::Terminal;
use super::features::time::Time;
use super::features::work::Working;
pub use crate::scene::{ZONE, progress, view};
pub use action::{Action, Manner};
use berth_protocol::compare::Pairing;
use berth_protocol::page::Update;
pub use edit::EditAction;
pub use effect::{Effect, LinkFor, Timer};
pub use layout::{Arrange, Layout, NARROWEST, WIDEST};
pub use page::{Dialog, EmbedView, Example, Keeping, Page, PageAction, Panel, Picture};
pub use saved_state::{PageState, Visit};
use view::View;

/// Changes within this time are stored together.
const SAVE_MS: u32 = 500;

/// A step within an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The attempt's position in the log.
    pub attempt: usize,
    /// Position among the attempt's steps.
    pub stop: usize,
}

/// The page's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Store {
    /// The frame that the engine reported last.
    pub view: View,
    pub time: Time,
    pub explain: Explain,
    pub board: Board,
    pub editor: Editor,
    pub stage: Stage,
    pub scheduler: SchedulerForm,
    pub terminal: Terminal,
    pub page: Page,
    pub share: Share,
    pub export: Export,
    pub lesson: Lessons,
    /// Long work of the engine, or how the last one ended.
    pub working: Option<Box<Working>>,
    /// Two runs are shown side by side in place of the page's own.
    pub compare: Option<Box<Compare>>,
    /// What to compare once the visit is restored: `None` is what its Scenario says, if anything.
    pub(super) awaits_compare: Option<Option<Box<Pairing>>>,
    /// The lesson that is being made.
    pub builder: Option<Box<Builder>>,
    /// The smallest case of an attempt is shown in place of Explain.
    pub case: Option<Box<CasePanel>>,
    /// Only if the page is presented.
    pub presenter: Option<Box<Presenter>>,
    /// The timer that stores the visit is running.
    saves_soon: bool,
}

/// State mirrored outside the store, whichever action changes it.
struct OutsideState {
    texts: u32,
    layout: Layout,
    carries: bool,
    tick_ms: Option<u32>,
    arrived: usize,
}

impl Store {
    /// The initial page, with the layout of earlier visits.
    pub fn arranged(layout: Layout) -> Self {
        Self {
            page: Page {
                layout,
                ..Page::default()
            },
            ..Self::default()
        }
    }

    /// Changes the state, and returns the side effects.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        let before = self.followed();
        let mut effects = Vec::new();
        self.leave_opening(&action);
        if action.manner().ends_typing {
            // The action applies to the text as typed so far.
            effects = self.read();
            self.editor.typing = false;
        }
        let flow = match self.compare.is_some() {
            true => self.while_comparing(action),
            false => Continue(action),
        };
        effects.extend(match flow {
            Break(effects) => effects,
            Continue(action) => self.reduce(action),
        });
        self.follow_trip(before.arrived);
        effects.extend(self.follow(&before));
        effects
    }

    pub(super) fn reduce(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = match action {
            Action::Update(update) => self.receive(*update),
            Action::Restore(visit) => self.restore(*visit),
            Action::Save => {
                self.saves_soon = false;
                // Until the visitor acts there is nothing to keep.
                let is_begun = self.page.opening == Opening::Over;
                return is_begun.then_some(Effect::StoreVisit).into_iter().collect();
            }
            Action::Edit(action) => self.edit(action),
            Action::Editor(action) => self.in_editor(action),
            Action::Time(action) => self.through_time(action),
            Action::Explain(action) => self.explain(action),
            Action::Board(action) => self.on_board(action),
            Action::Stage(action) => self.on_stage(action),
            Action::Shortcut(shortcut, place) => self.shortcut(shortcut, place),
            Action::Terminal(action) => self.at_terminal(action),
            Action::Page(action) => self.on_page(action),
            Action::Export(action) => self.on_export(action),
            Action::Share(action) => self.share(action),
            Action::Lesson(action) => self.on_lesson(action),
            Action::Compare(action) => self.on_compare(action),
            Action::Builder(action) => self.on_builder(action),
            Action::Case(action) => self.on_case(action),
            Action::Presenter(action) => self.on_presenter(action),
        };
        if !std::mem::replace(&mut self.saves_soon, true) {
            effects.push(Effect::Start(Timer::Save, SAVE_MS));
        }
        effects
    }

    /// Whether an action changes what is drawn. Call it before [`Store::act`].
    pub fn shows(&self, action: &Action) -> bool {
        if let Action::Editor(action) = action {
            return self.editor.shows(action);
        }
        let Action::Update(update) = action else {
            return action.manner().shows;
        };
        match &**update {
            // A patch in pieces is drawn with the last piece.
            Update::Patch(patch) => !patch.more,
            Update::Sources { .. }
            | Update::Explained(_)
            | Update::Unexplained
            | Update::Fixes { .. }
            | Update::WhyNot { .. }
            | Update::Reason { .. }
            | Update::Nearest { .. }
            | Update::Ungated { .. }
            | Update::Numbers(_)
            | Update::Exported { .. }
            | Update::Happened { .. }
            | Update::Drain(_)
            | Update::Lesson(_)
            | Update::Handout(_)
            | Update::Draft(_)
            | Update::Answered(_)
            | Update::Reduced(_)
            | Update::Fine(_)
            | Update::Refused { .. }
            | Update::Running { .. }
            | Update::Printed(_)
            | Update::Noted { .. }
            | Update::Restored { .. }
            | Update::Completions { .. }
            | Update::Working(_) => true,
            Update::Compared(update) => super::features::compare::shows(&update.0),
        }
    }

    fn followed(&self) -> OutsideState {
        OutsideState {
            texts: self.editor.to_store,
            layout: self.page.layout.clone(),
            carries: self.stage.carried.is_some(),
            tick_ms: match &self.compare {
                None => self.time.tick_ms(),
                Some(compare) => compare.clock.tick_ms(),
            },
            arrived: self.arrived_until(),
        }
    }

    /// The effects of what has changed in the mirrored state since `before`.
    fn follow(&self, before: &OutsideState) -> Vec<Effect> {
        let now = self.followed();
        let mut effects = Vec::new();
        if now.texts != before.texts {
            effects.push(Effect::StoreText);
        }
        if now.layout != before.layout {
            effects.push(Effect::StoreLayout);
        }
        if now.carries != before.carries {
            effects.push(Effect::CarryKeys(now.carries));
        }
        if now.tick_ms != before.tick_ms {
            effects.push(Effect::Play(now.tick_ms));
        }
        effects
    }
}

#[cfg(test)]
mod tests;
