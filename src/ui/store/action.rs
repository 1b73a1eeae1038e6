//! The page's actions: one enum per concern.

use super::Visit;
use super::edit::EditAction;
use super::page::PageAction;
use crate::ui::features::board::BoardAction;
use crate::ui::features::builder::BuilderAction;
use crate::ui::features::case::CaseAction;
use crate::ui::features::compare::CompareAction;
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::export::ExportAction;
use crate::ui::features::lesson::LessonAction;
use crate::ui::features::presenter::PresenterAction;
use crate::ui::features::share::ShareAction;
use crate::ui::features::sources::EditorAction;
use crate::ui::features::stage::StageAction;
use crate::ui::features::stage::shortcuts::{Place, Shortcut};
use crate::ui::features::terminal::TerminalAction;
use crate::ui::features::time::TimeAction;
use berth_protocol::page::Update;

/// An event on the page: user input, a timer, or an update from the engine.
#[allow(clippy::large_enum_variant, reason = "one at a time, and gone at once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The engine reported something.
    Update(Box<Update>),
    /// Restores the last visit.
    Restore(Box<Visit>),
    /// Stores what has changed since it was last stored.
    Save,
    Edit(EditAction),
    Editor(EditorAction),
    Time(TimeAction),
    Explain(ExplainAction),
    Board(BoardAction),
    Stage(StageAction),
    /// A key was pressed at this place of the stage.
    Shortcut(Shortcut, Place),
    Terminal(TerminalAction),
    Page(PageAction),
    Share(ShareAction),
    Export(ExportAction),
    Lesson(LessonAction),
    Builder(BuilderAction),
    Case(CaseAction),
    Compare(CompareAction),
    Presenter(PresenterAction),
}

/// What the page asks of every action.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// It may need the lazy module, which a first visit does not download ([`crate::ui`], `lazy_module`). Actions that
    /// only view the run do not need it, and typing must not wait for it. What the user does is held back anyway, but for
    /// what the recorded first visit does; this is for actions that come from elsewhere, as a changed address.
    pub needs_lazy_module: bool,
    /// It ends the current typing: pending text is read first, and later keystrokes are a separate undo step.
    pub ends_typing: bool,
    /// The visitor did it, so that the opening stops.
    pub takes_over: bool,
    /// It changes what is drawn; [`Store::shows`](super::Store::shows) knows of updates and of typing.
    pub shows: bool,
    /// It concerns the page's own run, which is not seen while two runs are compared.
    pub rests_while_comparing: bool,
}

/// Of what a visitor does with the run.
const WITH_RUN: Manner = Manner {
    needs_lazy_module: true,
    ends_typing: true,
    takes_over: true,
    shows: true,
    rests_while_comparing: true,
};

/// Of what a visitor does besides.
const BESIDES: Manner = Manner {
    rests_while_comparing: false,
    ..WITH_RUN
};

/// Of what nobody did.
const BY_ITSELF: Manner = Manner {
    needs_lazy_module: false,
    ends_typing: false,
    takes_over: false,
    shows: false,
    rests_while_comparing: false,
};

impl Action {
    /// What it is like, one row a concern.
    pub fn manner(&self) -> Manner {
        match self {
            Self::Update(_) | Self::Save => BY_ITSELF,
            Self::Restore(_) => Manner {
                takes_over: false,
                ..BESIDES
            },
            Self::Edit(_)
            | Self::Board(_)
            | Self::Case(_)
            | Self::Shortcut(..)
            | Self::Terminal(_) => WITH_RUN,
            Self::Share(_)
            | Self::Export(_)
            | Self::Lesson(_)
            | Self::Builder(_)
            | Self::Compare(_)
            | Self::Presenter(_) => BESIDES,
            Self::Time(action) => Manner {
                needs_lazy_module: false,
                takes_over: *action != TimeAction::Tick,
                ..BESIDES
            },
            Self::Editor(action) => Manner {
                needs_lazy_module: false,
                ends_typing: action.ends_typing(),
                // The editor reports that it is loaded, and where its cursor is.
                takes_over: action.is_typing(),
                ..BESIDES
            },
            Self::Explain(action) => Manner {
                needs_lazy_module: matches!(
                    action,
                    ExplainAction::Find(_) | ExplainAction::WhyNot(_)
                ),
                ends_typing: action.ends_typing(),
                takes_over: action.ends_typing(),
                ..WITH_RUN
            },
            Self::Stage(action) => Manner {
                needs_lazy_module: !matches!(
                    action,
                    StageAction::Fits(_) | StageAction::Focus(_) | StageAction::DrawMore
                ),
                ends_typing: action.ends_typing(),
                ..WITH_RUN
            },
            Self::Page(action) => Manner {
                needs_lazy_module: action.needs_lazy_module(),
                ends_typing: action.ends_typing(),
                takes_over: action.takes_over(),
                ..BESIDES
            },
        }
    }
}
