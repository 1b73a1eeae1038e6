//! The page's actions: one enum per concern.

use super::Visit;
use super::edit::EditAction;
use super::page::PageAction;
use crate::ui::features::board::BoardAction;
use crate::ui::features::builder::BuilderAction;
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
    Compare(CompareAction),
    Presenter(PresenterAction),
}

impl Action {
    /// Whether it may need the lazy module, which a first visit does not download ([`crate::ui`], `lazy_module`).
    /// Actions that only view the run do not need it, and typing must not wait for it. What the user does is held back
    /// anyway, but for what the recorded first visit does; this is for actions that come from elsewhere, as a changed
    /// address.
    pub fn needs_lazy_module(&self) -> bool {
        match self {
            Self::Update(_) | Self::Save | Self::Editor(_) | Self::Time(_) => false,
            Self::Explain(action) => {
                matches!(action, ExplainAction::Find(_) | ExplainAction::WhyNot(_))
            }
            Self::Stage(action) => !matches!(
                action,
                StageAction::Fits(_) | StageAction::Focus(_) | StageAction::DrawMore
            ),
            Self::Page(action) => matches!(
                action,
                PageAction::Scheduler(_)
                    | PageAction::Panel(_)
                    | PageAction::Arrange(_)
                    | PageAction::Show(Some(_))
                    | PageAction::PasteHere(_)
                    | PageAction::Filter(_)
                    | PageAction::OpenExample(_)
                    | PageAction::Forget
                    | PageAction::SetLanguage(_)
            ),
            Self::Restore(_)
            | Self::Edit(_)
            | Self::Board(_)
            | Self::Shortcut(..)
            | Self::Terminal(_)
            | Self::Lesson(_)
            | Self::Builder(_)
            | Self::Compare(_)
            | Self::Presenter(_)
            | Self::Share(_)
            | Self::Export(_) => true,
        }
    }

    /// Whether it ends the current typing: pending text is read first, and later keystrokes are a separate undo step.
    pub fn ends_typing(&self) -> bool {
        match self {
            Self::Update(_) | Self::Save => false,
            Self::Editor(action) => action.ends_typing(),
            Self::Explain(action) => action.ends_typing(),
            Self::Stage(action) => action.ends_typing(),
            Self::Page(action) => action.ends_typing(),
            Self::Restore(_)
            | Self::Edit(_)
            | Self::Time(_)
            | Self::Board(_)
            | Self::Shortcut(..)
            | Self::Terminal(_)
            | Self::Lesson(_)
            | Self::Builder(_)
            | Self::Compare(_)
            | Self::Presenter(_)
            | Self::Share(_)
            | Self::Export(_) => true,
        }
    }
}
