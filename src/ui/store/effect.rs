//! What an action brings about outside of the store. [`crate::ui::App`] executes it.

use std::rc::Rc;

use super::action::Action;
use super::editor::EditorAction;
use berth_protocol::command::Command;

/// Something to do outside of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Send(Command),
    /// Sends a line of the terminal after the descriptions of all fields, which have to be fetched.
    SendWithFields(Command),
    /// Searches for fixes once the page is drawn; a later search replaces it.
    SearchFixes {
        position: usize,
    },
    /// Tells the engine that its update is drawn, once it is.
    Acknowledge,
    /// The run went to this position by itself: the mirror follows.
    FollowRun(usize),
    /// Lets the engine compile what the first keystroke needs.
    WarmUp,
    /// Loads the lazy module in the background.
    LoadLazyModule,
    /// Reads a short text as soon as the page has drawn it, or at once where the engine has a
    /// thread of its own.
    ReadTyped,
    /// Starts a timer anew, with so many milliseconds.
    Start(Timer, u32),
    Stop(Timer),
    /// Takes a step every so many milliseconds, or no longer.
    Play(Option<u32>),
    StoreText,
    StoreLayout,
    StoreHistory,
    LoadHistory,
    StoreVisit,
    /// The restoring of the last visit has begun, or succeeded.
    VisitRestores,
    VisitRestored,
    /// Offers the manifests as a file.
    Download(Rc<str>),
    /// Moves the focus to a node that moved.
    FocusNode(String),
    /// Scrolls to the arithmetic of a cell once it is drawn.
    ShowArithmetic,
    ListExamples,
    OpenExample(String),
    /// Whether arrows, Enter and Escape are about nodes that the keyboard carries.
    CarryKeys(bool),
}

/// A timer; when it ends, it emits an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Reads what was typed.
    Read,
    /// Shows what was typed elsewhere than in the editor.
    Copy,
    /// Ends the typing that is undone as one.
    EndTyping,
    /// Stores the visit.
    Save,
}

impl Timer {
    /// What it emits at its end.
    pub fn action(self) -> Action {
        match self {
            Self::Read => Action::Editor(EditorAction::Read),
            Self::Copy => Action::Editor(EditorAction::Copy),
            Self::EndTyping => Action::Editor(EditorAction::TypingEnds),
            Self::Save => Action::Save,
        }
    }
}

#[cfg(test)]
mod tests;
