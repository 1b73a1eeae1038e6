//! What the page asks of the engine, one enum a concern, and the recording of it.

use borsh::{BorshDeserialize, BorshSerialize};

use super::edit::Edit;
use super::gesture::{Gesture, Label};
use super::terminal::OpenRequest;

/// A message from the page to the engine.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Command {
    /// Changes the session. Recorded, and repeated after a reload.
    Mutate(Mutation),
    /// Goes to another moment of the run.
    Travel(Travel),
    /// Starts or stops what runs in slices.
    Run(Run),
    /// Asks a question; the session stays as it is.
    Ask(Query),
    /// Concerns the engine itself.
    Control(Control),
}

/// A change of the session that going through time does not undo.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Mutation {
    /// Loads other manifests, at the beginning of their run.
    Open {
        text: String,
    },
    /// Takes edited manifests, from the current moment on. `goes_on`: part of the same typing as
    /// the mutation before.
    Type {
        text: String,
        goes_on: bool,
    },
    /// Edits the manifests at a position of the log, or at the current moment. `run`: then runs to
    /// the end.
    Edit {
        edits: Vec<Edit>,
        at: Option<usize>,
        run: bool,
    },
    /// An edit by drag and drop, a form or a shortcut.
    Gesture(Gesture),
    Undo,
    Redo,
    BackToFirstRun,
    KeepFork,
    /// Sets the seed that breaks ties, and starts the run again.
    Seed {
        seed: u64,
    },
    /// Switches between a simulated cluster and scheduling alone.
    Live(bool),
    Terminal(Input),
}

/// What is given to the terminal.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Input {
    /// A line, or several that belong together.
    Line { line: String },
    /// Files that commands find beside the manifests: name and text of each.
    Files(Vec<(String, String)>),
    /// The new text of what a line asked to edit.
    Edited { asked: OpenRequest, text: String },
}

/// A move within the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Travel {
    Step,
    StepBack,
    Reset,
    /// To a position of the log; beyond the log's end the run continues, as far as it goes.
    Seek {
        position: usize,
    },
}

/// What starts or stops work in slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Run {
    /// Runs to the end.
    ToEnd,
    /// Stops a run.
    Pause,
    /// Ctrl+C: ends the line of the terminal that waits.
    Interrupt,
}

/// A question.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Query {
    /// What to explain from now on.
    Look(Look),
    /// Whether nodes may have this label.
    Check(Label),
    /// The smallest fixes for the Pod of an attempt.
    Fix { position: usize },
    /// Why an attempt did not end on this node.
    WhyNot { position: usize, node: String },
    /// Where the two sides of a verdict stand in the manifests.
    Find {
        pod: String,
        node: String,
        pod_path: String,
        node_path: String,
    },
    /// The manifests with every Pod as it stands.
    Export,
    /// Completions of the word before the cursor (in bytes).
    Complete { line: String, cursor: usize },
}

/// What concerns the engine rather than the run.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Control {
    /// Replays an earlier visit, and goes to where it was; `text`: its manifests, as the page has
    /// them.
    Restore { recording: Recording, text: String },
    /// The descriptions of all fields, for `kubectl explain`.
    Fields(String),
    /// The page has drawn the last update of a run: the next may follow.
    Drawn,
    /// Runs the code that typing needs once, on a session of its own.
    WarmUp,
}

impl Mutation {
    /// Whether it may change what led to an attempt, so that answers about attempts are out of date.
    pub fn rewrites_log(&self) -> bool {
        match self {
            Self::Open { .. }
            | Self::Type { .. }
            | Self::Edit { .. }
            | Self::Gesture(_)
            | Self::Undo
            | Self::Redo
            | Self::BackToFirstRun
            | Self::Seed { .. }
            | Self::Live(_)
            | Self::Terminal(Input::Line { .. } | Input::Edited { .. }) => true,
            // Files are no part of the run, and a fork that is kept stays what it is.
            Self::KeepFork | Self::Terminal(Input::Files(_)) => false,
        }
    }

    /// Whether a line of the terminal that waits goes on waiting.
    pub fn leaves_waiting(&self) -> bool {
        match self {
            Self::Terminal(Input::Files(_)) => true,
            Self::Open { .. }
            | Self::Type { .. }
            | Self::Edit { .. }
            | Self::Gesture(_)
            | Self::Undo
            | Self::Redo
            | Self::BackToFirstRun
            | Self::KeepFork
            | Self::Seed { .. }
            | Self::Live(_)
            | Self::Terminal(Input::Line { .. } | Input::Edited { .. }) => false,
        }
    }

    /// Whether the run continues to its end afterwards.
    pub fn then_runs(&self) -> bool {
        match self {
            Self::Edit { run, .. } => *run,
            Self::Open { .. }
            | Self::Type { .. }
            | Self::Gesture(_)
            | Self::Undo
            | Self::Redo
            | Self::BackToFirstRun
            | Self::KeepFork
            | Self::Seed { .. }
            | Self::Live(_)
            | Self::Terminal(_) => false,
        }
    }

    /// The manifests, if the page sends them.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Open { text } | Self::Type { text, .. } => Some(text),
            Self::Edit { .. }
            | Self::Gesture(_)
            | Self::Undo
            | Self::Redo
            | Self::BackToFirstRun
            | Self::KeepFork
            | Self::Seed { .. }
            | Self::Live(_)
            | Self::Terminal(_) => None,
        }
    }
}

/// What is explained, and which of its rows are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Look {
    pub subject: Subject,
    /// First row to show; matters only in clusters of more than [`super::page::ALL_ROWS`] nodes.
    pub from: usize,
    /// Keeps only nodes whose name, or whose rejection, contains this.
    pub filter: String,
    pub order: Order,
}

/// Which attempt is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Subject {
    /// The last one made.
    #[default]
    Latest,
    /// The last of this Pod.
    Pod(String),
    /// The one at this position of the log, even if it is still to be made.
    Attempt(usize),
}

/// The order of the matrix's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Order {
    /// As in the manifests.
    #[default]
    Document,
    Name,
    /// Feasible first, by total; then those with the fewest rejections.
    Score,
    /// By the first rejection.
    Reason,
}

/// Where a run is: the length of its log, and how much of that lies before the current moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Moment {
    /// Entries of the log.
    pub log_length: usize,
    /// Those before the current moment.
    pub position: usize,
}

/// A recorded change, and where the run was before it.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Recorded {
    pub before: Moment,
    pub what: Replay,
}

/// What a recording repeats.
#[expect(clippy::large_enum_variant, reason = "all but a few are mutations")]
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Replay {
    Mutation(Mutation),
    /// A line of the terminal that waited was ended.
    Interrupt,
}

/// Everything that was done in a visit, and where it ended: enough to make the same session again.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Recording {
    pub recorded: Vec<Recorded>,
    /// Where the run was at the end.
    pub at: Moment,
    /// A line of the terminal waited there.
    pub waits: bool,
}
