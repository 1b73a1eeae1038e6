//! What happens on the page.

use std::collections::BTreeSet;

use super::progress::StepSize;
use super::{Cell, Dialog, Example, OpenCard};
use crate::protocol::gesture::Gesture;
use crate::protocol::page::{Order, Update};

/// Something that happened on the page.
#[allow(clippy::large_enum_variant, reason = "one at a time, and gone at once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The engine told something.
    Told(Box<Update>),
    /// Another scenario.
    Open(String),
    /// The whole text after a keystroke; it is read when the typing rests.
    Typed(String),
    /// The same, in another place than the editor.
    TypedElsewhere(String),
    EditorReady,
    /// The editor's cursor is in this line.
    Cursor(u32),
    /// Put the cursor at this line and column.
    GoTo(u32, u32),
    /// The typing rests: read what was typed.
    Read,
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
    /// Light these nodes, or no longer if they are lit.
    Light(BTreeSet<String>),
    Seed(u64),
    /// Something done by hand.
    Gesture(Gesture),
    /// Open a node's form, or close it.
    EditNode(Option<String>),
    /// Open the form with what can be added, or close it.
    Adding(bool),
    AddZone(String),
    /// Choose a node, or let it go; `more`: besides those that are chosen.
    Select {
        node: String,
        more: bool,
    },
    /// Try a fix of the explained attempt on a fork.
    TryFix(usize),
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
