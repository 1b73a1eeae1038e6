//! What happens on the page, one enum a concern.

use super::edit::EditAction;
use super::editor::EditorAction;
use super::explain::ExplainAction;
use super::page::PageAction;
use super::stage::StageAction;
use super::terminal::TerminalAction;
use super::time::TimeAction;
use super::{Place, Shortcut, Visit};
use berth_protocol::page::Update;

/// Something that happened on the page.
#[allow(clippy::large_enum_variant, reason = "one at a time, and gone at once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The engine reported something.
    Update(Box<Update>),
    /// Continue where the last visit ended.
    Restore(Box<Visit>),
    /// Store for the next visit what is not stored yet.
    Save,
    Edit(EditAction),
    Editor(EditorAction),
    Time(TimeAction),
    Explain(ExplainAction),
    Stage(StageAction),
    /// A key pressed at this place of the stage.
    Shortcut(Shortcut, Place),
    Terminal(TerminalAction),
    Page(PageAction),
}

impl Action {
    /// Whether it may need the part of the program that a first visit does not download
    /// ([`crate::ui`], `lazy_module`). What only looks at what is there does not, and typing may not
    /// wait.
    pub fn needs_lazy_module(&self) -> bool {
        match self {
            Self::Update(_) | Self::Save | Self::Editor(_) | Self::Time(_) => false,
            Self::Restore(visit) => visit.shows_terminal(),
            Self::Explain(action) => action.needs_lazy_module(),
            Self::Stage(action) => action.needs_lazy_module(),
            Self::Page(action) => action.needs_lazy_module(),
            Self::Edit(_) | Self::Shortcut(..) | Self::Terminal(_) => true,
        }
    }

    /// Whether what is typed next is an edit of its own, and what was typed before is read first.
    pub fn ends_typing(&self) -> bool {
        match self {
            Self::Update(_) | Self::Save => false,
            Self::Editor(action) => action.ends_typing(),
            Self::Stage(action) => action.ends_typing(),
            Self::Page(action) => action.ends_typing(),
            Self::Restore(_)
            | Self::Edit(_)
            | Self::Time(_)
            | Self::Explain(_)
            | Self::Shortcut(..)
            | Self::Terminal(_) => true,
        }
    }
}
