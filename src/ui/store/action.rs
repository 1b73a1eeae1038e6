//! What happens on the page.

use super::progress::StepSize;
use super::terminal::AtTerminal;
use super::{Arrange, Cell, Deed, Dialog, Example, OpenCard, Panel, Place, Visit};
use crate::protocol::gesture::Gesture;
use crate::protocol::page::{Order, Update};

/// Something that happened on the page.
#[allow(clippy::large_enum_variant, reason = "one at a time, and gone at once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The engine told something.
    Told(Box<Update>),
    /// Where the last visit ended.
    GoOn(Box<Visit>),
    /// Keep for the next visit what is not kept yet.
    Keep,
    /// Another scenario.
    Open(String),
    /// Files, by name: another scenario, or more for the terminal if they were dropped while it is shown.
    Files {
        files: Vec<(String, String)>,
        dropped: bool,
    },
    /// The whole text after a keystroke; it is read when the typing rests.
    Typed(String),
    /// The same, in another place than the editor.
    TypedElsewhere(String),
    EditorReady,
    /// The focus came to the manifests: perhaps somebody types now.
    AtText,
    /// The editor's cursor is in this line.
    Cursor(u32),
    /// Put the cursor at this line and column.
    GoTo(u32, u32),
    /// The typing rests: read what was typed.
    Read,
    /// What was typed in the editor is shown elsewhere too.
    Copy,
    /// What is typed from now on is undone by itself.
    TypingEnds,
    Undo,
    Redo,
    BackToFirstRun,
    KeepFork,
    Step,
    StepBack,
    Reset,
    /// To the end of the run, or stop on the way.
    Run,
    Seek(usize),
    /// Step by itself, or stop that.
    Play,
    Speed(f64),
    StepSize(StepSize),
    /// A Pod was chosen, or let go.
    Pod(String),
    /// A Pod was found; it stays chosen if it is.
    Find(String),
    /// Explain the attempt at this position of the log.
    Attempt(usize),
    /// To this step within the explained attempt, if the run is at it.
    Stop(usize),
    Cell(Cell),
    Filter(String),
    Order(Order),
    /// Show the matrix's rows from here on.
    Rows(usize),
    GroupBy(String),
    /// Draw the stage at this zoom, in percent.
    Zoom(u32),
    /// At this zoom the far view shows all nodes.
    Fits(u32),
    /// The keyboard is at this node.
    Focus(String),
    /// Show the card of a node of the far view, or none.
    OpenCard(Option<OpenCard>),
    /// Light the nodes at these positions, in document order, or no longer if they are lit.
    Light(Vec<u32>),
    /// Show this panel, where not all of them have room.
    Panel(Panel),
    /// Fold a region, make it wider, or all of them larger.
    Arrange(Arrange),
    Seed(u64),
    /// Something done by hand.
    Gesture(Gesture),
    /// The same by a key, at this place.
    Deed(Deed, Place),
    /// Open a node's form, or close it.
    EditNode(Option<String>),
    /// Open the form with what can be added, or close it.
    Adding(bool),
    /// Open the form over the scheduler's configuration, or close it.
    Scheduler(bool),
    /// A value of the grouping key; empty: the next that is free.
    AddZone(String),
    /// Choose a node, or let it go; `more`: besides those that are chosen.
    Select {
        node: String,
        more: bool,
    },
    /// Try a fix of the explained attempt on a fork.
    TryFix(usize),
    /// Why the explained attempt did not end on this node.
    WhyNot(String),
    /// The cluster lives from now on, or Pods are just scheduled.
    Live(bool),
    Terminal(AtTerminal),
    /// The descriptions of fields could not be fetched: the next line that needs them tries again.
    NoFields,
    /// The page is about to be printed, or no longer.
    Print(bool),
    Export,
    /// The file was handed over.
    Exported,
    Show(Option<Dialog>),
    Examples(Vec<Example>),
    OpenExample(String),
    Say(String),
    Dismiss,
    /// Close what is open, let go of what is chosen.
    Escape,
}

impl Action {
    /// Whether this only looks at what is there, or may not wait: everything else may need the half
    /// of the program that a first visit does not download ([`crate::ui`], `rest`).
    pub fn is_at_once(&self) -> bool {
        if let Self::GoOn(visit) = self {
            return !visit.shows_terminal();
        }
        matches!(
            self,
            Self::Told(_)
                | Self::Keep
                | Self::Typed(_)
                | Self::TypedElsewhere(_)
                | Self::EditorReady
                | Self::AtText
                | Self::Cursor(_)
                | Self::GoTo(..)
                | Self::Read
                | Self::Copy
                | Self::TypingEnds
                | Self::Step
                | Self::StepBack
                | Self::Reset
                | Self::Run
                | Self::Seek(_)
                | Self::Play
                | Self::Speed(_)
                | Self::StepSize(_)
                | Self::Pod(_)
                | Self::Attempt(_)
                | Self::Stop(_)
                | Self::Cell(_)
                | Self::Filter(_)
                | Self::Order(_)
                | Self::Rows(_)
                | Self::Fits(_)
                | Self::Focus(_)
                | Self::Light(_)
                | Self::Exported
                | Self::Print(_)
                | Self::Panel(_)
                | Self::Arrange(_)
                | Self::Show(None | Some(Dialog::Help | Dialog::About))
                | Self::Examples(_)
                | Self::Say(_)
                | Self::Dismiss
                | Self::Escape
        )
    }
}
