//! Side effects of actions. [`crate::ui::App`] executes them.

use std::rc::Rc;

use super::action::Action;
use crate::export::handout::Sheet;
use crate::ui::address::Source;
use crate::ui::features::class::ClassEffect;
use crate::ui::features::share::Parts;
use crate::ui::features::sources::EditorAction;
use crate::words::language::Language;
use berth_protocol::command::{Command, Query};
use berth_protocol::lesson::Handout;
use berth_protocol::link::Link;

/// A side effect of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Send(Command),
    /// Sends a command line after the descriptions of all fields, which have to be fetched first.
    SendWithFields(Command),
    /// Asks for the numbers of the chosen cell; what finds them comes with the lazy module.
    FindNumbers(Query),
    /// Searches for fixes once the page is drawn, and idle if the lazy module has to be fetched; a later search replaces
    /// it.
    SearchFixes {
        position: usize,
    },
    /// Acknowledges the engine's update once it is drawn.
    Acknowledge,
    /// The run has advanced to this position; the mirror follows.
    FollowRun(usize),
    /// Makes the engine compile the code that the first keystroke needs.
    WarmUp,
    /// Loads the lazy module in the background.
    LoadLazyModule,
    /// The same for typed text that waits for it.
    FetchForText,
    /// Reads a short text once the page is drawn, or at once if the engine runs in a worker.
    ReadTyped,
    /// Starts or restarts a timer with this many milliseconds.
    Start(Timer, u32),
    Stop(Timer),
    /// Sets the interval of playback in milliseconds; `None` stops it.
    Play(Option<u32>),
    StoreText,
    StoreLayout,
    StoreHistory,
    LoadHistory,
    StoreVisit,
    /// Keeps the stored visit: what the source of manifests gives is stored apart from it.
    KeepVisit(Source),
    /// Removes the stored visits, and begins again.
    ForgetVisits,
    /// Forgets the visit that a link replaced.
    ForgetBefore,
    /// Something else than the link is on the page: removes the link from the address, and forgets the visit that it
    /// replaced.
    LeaveLink,
    /// Restoring the last visit has begun, or has finished.
    VisitRestores,
    VisitRestored,
    /// Downloads a text as a file.
    Download {
        name: String,
        text: Rc<str>,
    },
    /// Downloads a picture as PNG, scaled by this factor.
    DownloadPng {
        name: String,
        svg: String,
        scale: u8,
    },
    /// Prints the explanation alone.
    PrintExplanation,
    /// Sends the picture of the stage to the page that embeds this one.
    TellHost(String),
    /// Moves the focus to a node that moved.
    FocusNode(String),
    /// Scrolls to a node once it is drawn.
    ShowNode(String),
    /// Scrolls to the arithmetic of a cell once it is drawn.
    ShowArithmetic,
    /// Scrolls to what a lesson says of the state once it is drawn.
    ShowFeedback,
    /// Scrolls to the step of the solution that was taken last once it is drawn.
    ShowStep,
    /// Scrolls to highlighted nodes once they are drawn.
    ShowLit,
    /// Draws more cards whole in the next frame.
    DrawMore,
    /// Makes the link to this visit.
    MakeLink(Parts),
    /// Opens the link to this visit in a new tab.
    OpenWhole,
    /// Loads the bookmarklet.
    MakeBookmarklet,
    /// Reads the manifests that the address names.
    ReadSource(Source),
    CopyText(String),
    /// Fetches a language and switches to it.
    SetLanguage(Language),
    /// Loads the page again.
    Reload,
    ListExamples,
    OpenExample(String),
    /// Fetches the course.
    ListLessons,
    /// Fetches a lesson, to open it.
    OpenLesson(String),
    /// Adds one of the [`crate::ui::styles`].
    Style(&'static str),
    /// Shows the lesson where one panel fills the screen.
    ShowLesson,
    /// Makes a link beside that to this visit.
    EncodeLink(Box<Link>, LinkFor),
    /// Has the engine reduce the attempt at this position to its smallest case.
    Reduce {
        position: usize,
    },
    /// Moves the focus to a field once it is drawn, by its `data-place`: in the level builder, its path in the file.
    FocusField(String),
    /// Stores which lessons are done.
    StoreProgress,
    /// Downloads which lessons are done.
    SaveProgress,
    /// Fetches lessons, to print them.
    FetchHandouts(Vec<String>),
    PrintHandouts(Rc<[Handout]>, Sheet),
    /// Opens the trainer's notes in a second window.
    OpenNotes,
    Class(Box<ClassEffect>),
    /// Whether the arrow keys, Enter and Escape apply to nodes carried by keyboard.
    CarryKeys(bool),
    /// Turns shortcuts of a single character off or on, and stores that.
    KeysOff(bool),
}

/// What a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFor {
    /// The lesson that is being made.
    Lesson,
    /// The smallest case.
    Case,
}

/// A timer that emits an action when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Reads the typed text.
    Read,
    /// Copies the typed text to the text area.
    Copy,
    /// Ends the current undo step of typing.
    EndTyping,
    /// Stores the visit.
    Save,
    /// Tries again to fetch what typed text waits for.
    FetchAgain,
}

impl Timer {
    /// The action that the timer emits.
    pub fn action(self) -> Action {
        match self {
            Self::Read => Action::Editor(EditorAction::Read),
            Self::Copy => Action::Editor(EditorAction::Copy),
            Self::EndTyping => Action::Editor(EditorAction::TypingEnds),
            Self::Save => Action::Save,
            Self::FetchAgain => Action::Editor(EditorAction::FetchAgain),
        }
    }
}

#[cfg(test)]
mod tests;
