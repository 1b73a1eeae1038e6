//! Commands from the page to the engine, one enum per concern, and their recording.
#![deny(clippy::wildcard_enum_match_arm)]

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::compare::Comparing;
use super::defaults::Defaults;
use super::draft::DraftQuery;
use super::edit::Edit;
use super::gesture::{Gesture, Label};
use super::lesson::LessonInput;
use super::out_of_line::OutOfLine;
use super::terminal::OpenRequest;
use super::what_if::Asking;

pub use super::moment::Moment;

/// A message from the page to the engine.
#[allow(clippy::large_enum_variant, reason = "one at a time, and gone at once")]
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Command {
    /// Changes the session. Recorded, and replayed after a reload.
    Mutate(Mutation),
    /// Moves to another moment of the run.
    Travel(Travel),
    /// Starts or stops work that is done in slices.
    Run(Run),
    /// Queries the session without changing it.
    Ask(Query),
    /// Controls the engine itself.
    Control(Control),
    /// Compares two runs beside the session.
    Compare(OutOfLine<Comparing>),
}

/// A change of the session that moving through the run does not undo.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Mutation {
    /// Loads new manifests and starts at the beginning of their run.
    Open {
        text: String,
    },
    /// Applies edited manifests from the current moment on. `goes_on`: the edit continues the typing of
    /// the previous mutation, so both are undone together.
    Type {
        text: String,
        goes_on: bool,
    },
    /// Edits the manifests at a position of the log, or at the current moment. `run`: continues the run
    /// to its end afterwards.
    Edit {
        edits: Vec<Edit>,
        at: Option<usize>,
        run: bool,
    },
    /// An edit by drag and drop, a form or a shortcut.
    Gesture(Gesture),
    /// A change on trial: a fork begins at the current moment, which may be the run's end, and continues.
    WhatIf(WhatIf),
    Undo,
    Redo,
    BackToFirstRun,
    KeepFork,
    /// Takes back one change of the fork, by its position in the frame's list.
    UndoChange {
        number: usize,
    },
    /// Sets the seed that breaks ties and restarts the run.
    Seed {
        seed: u64,
    },
    /// Switches between a simulated cluster and scheduling alone; either continues from the current moment.
    Live(bool),
    /// Starts the current mode from the manifests.
    BeginAnew,
    Terminal(Input),
    /// Follows another Kubernetes release (`1.36`) and restarts the run; empty: the manifests' own or the default.
    Kubernetes {
        version: String,
    },
    Lesson(LessonInput),
}

/// What is done on trial.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WhatIf {
    Gesture(Box<Gesture>),
    /// A line of the terminal.
    Line(String),
    /// All nodes with this label are deleted.
    Lose {
        zone: Label,
    },
    Edits(Vec<Edit>),
}

/// Input to the terminal.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// A line, or several lines of one command.
    Line { line: String },
    /// Files that commands can read besides the manifests: the name and text of each.
    Files(Vec<(String, String)>),
    /// The edited text that a line requested.
    Edited { asked: OpenRequest, text: String },
}

/// A move within the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Travel {
    Step,
    StepBack,
    Reset,
    /// To a position of the log. A position past the log's end continues the run, at most to its end.
    Seek {
        position: usize,
    },
}

/// Starts or stops work that is done in slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Run {
    /// Runs to the end.
    ToEnd,
    /// Stops a run.
    Pause,
    /// Ctrl+C: interrupts the suspended line of the terminal.
    Interrupt,
    /// Stops work that runs in slices: a run, a suspended line, a search, a trial of the fork.
    Stop,
}

/// A query.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Query {
    /// Sets the subject of all following explanations.
    Matrix(MatrixQuery),
    /// Whether the label is valid for nodes.
    Check(Label),
    /// The smallest fixes for the Pod of an attempt.
    Fix { position: usize },
    /// The reasons against all nodes, of an attempt on a waiting Pod.
    Reason { position: usize },
    /// The change that helps the most Pods of these attempts, which are a group of the board.
    Nearest { positions: Vec<usize> },
    /// The removal of the scheduling gates of these Pods (`namespace/name`).
    Ungate { pods: Vec<String> },
    /// Why an attempt did not end on this node.
    WhyNot { position: usize, node: String },
    /// What a drain of the node would do.
    Drain { node: String },
    /// The numbers behind a plugin's verdict on a node, or behind its score if `scored`.
    Numbers {
        /// Of the attempt in the log.
        position: usize,
        node: String,
        plugin: String,
        scored: bool,
    },
    /// The manifests with the current placement of every Pod.
    Export,
    /// All that happened in the simulated cluster before this moment.
    Happened,
    /// A lesson on paper; its files are those of [`LessonInput::Begin`].
    Handout {
        slug: String,
        text: String,
        translation: Option<String>,
    },
    /// Completions of the word before the cursor (in bytes).
    Complete { line: String, cursor: usize },
    /// About a lesson that is being made.
    Draft(OutOfLine<DraftQuery>),
    /// What a change of the cluster would come to, played on a copy in slices.
    WhatIf(Asking),
    /// The smallest case that still shows what an attempt came to, found in slices. `date`: the day on which it is
    /// verified, `2026-11-30`.
    Reduce { position: usize, date: String },
}

/// A command for the engine itself.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Control {
    /// Replays an earlier visit up to its last moment; `text`: its manifests as saved by the page.
    Restore { recording: Recording, text: String },
    /// The descriptions of all fields, for `kubectl explain`.
    Fields(String),
    /// The page has drawn the last update of a run, so the engine may send the next.
    Drawn,
    /// Runs the code for typed edits once on a separate session, so that it is compiled before it is needed.
    WarmUp,
}

/// What page and engine have to know of a mutation.
struct Traits<'a> {
    rewrites_log: bool,
    keeps_suspended: bool,
    runs_to_end: bool,
    outlives_scenario: bool,
    opens: bool,
    text: Option<&'a str>,
}

/// Those of most mutations.
const PLAIN: Traits = Traits {
    rewrites_log: true,
    keeps_suspended: false,
    runs_to_end: false,
    outlives_scenario: false,
    opens: false,
    text: None,
};

impl Mutation {
    fn traits(&self) -> Traits<'_> {
        match self {
            Self::Open { text } => Traits {
                opens: true,
                text: Some(text),
                ..PLAIN
            },
            Self::Type { text, .. } => Traits {
                text: Some(text),
                ..PLAIN
            },
            Self::Edit { run, .. } => Traits {
                runs_to_end: *run,
                ..PLAIN
            },
            Self::WhatIf(WhatIf::Gesture(_) | WhatIf::Lose { .. } | WhatIf::Edits(_)) => Traits {
                runs_to_end: true,
                ..PLAIN
            },
            Self::Seed { .. } | Self::Live(_) | Self::Kubernetes { .. } => Traits {
                outlives_scenario: true,
                ..PLAIN
            },
            Self::Lesson(LessonInput::Begin { .. } | LessonInput::Start(_)) => Traits {
                opens: true,
                ..PLAIN
            },
            // Keeping a fork does not change it.
            Self::KeepFork => Traits {
                rewrites_log: false,
                ..PLAIN
            },
            // Files do not affect the run.
            Self::Terminal(Input::Files(_)) => Traits {
                rewrites_log: false,
                keeps_suspended: true,
                ..PLAIN
            },
            // A line runs without further commands.
            Self::WhatIf(WhatIf::Line(_))
            | Self::Gesture(_)
            | Self::Undo
            | Self::Redo
            | Self::BackToFirstRun
            | Self::UndoChange { .. }
            | Self::BeginAnew
            | Self::Lesson(LessonInput::Step { .. } | LessonInput::Settle)
            | Self::Terminal(Input::Line { .. } | Input::Edited { .. }) => PLAIN,
        }
    }

    /// Whether it may change the input of earlier attempts, which invalidates answers about them.
    pub fn rewrites_log(&self) -> bool {
        self.traits().rewrites_log
    }

    /// Whether a suspended line of the terminal stays suspended.
    pub fn keeps_suspended(&self) -> bool {
        self.traits().keeps_suspended
    }

    /// Whether the run continues to its end afterwards.
    pub fn runs_to_end(&self) -> bool {
        self.traits().runs_to_end
    }

    /// Whether it sets something that the next scenario keeps.
    pub fn outlives_scenario(&self) -> bool {
        self.traits().outlives_scenario
    }

    /// Whether it opens another scenario.
    pub fn opens(&self) -> bool {
        self.traits().opens
    }

    /// The manifests, if the page sends them.
    pub fn text(&self) -> Option<&str> {
        self.traits().text
    }
}

/// The attempt to explain and the rows to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MatrixQuery {
    pub subject: Subject,
    /// First row to show; matters only in clusters of more than [`super::page::ALL_ROWS`] nodes.
    pub from: usize,
    /// Keeps only nodes whose name or rejection contains this text.
    pub filter: String,
    pub order: Order,
}

/// The attempt to explain.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Subject {
    /// The last attempt made.
    #[default]
    Latest,
    /// The last attempt of this Pod.
    Pod(String),
    /// The attempt at this position of the log, which may not have been made yet.
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

/// A recorded change, and the moment before it.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    pub before: Moment,
    pub what: Replay,
    /// The defaults of the scenario that the change opens; `None`: those of this version, or of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Defaults>,
}

impl Recorded {
    /// A change that opens no scenario, or one by the present defaults.
    pub fn new(before: Moment, what: Replay) -> Self {
        Self {
            before,
            what,
            defaults: None,
        }
    }

    /// Whether it opens another scenario.
    pub fn opens(&self) -> bool {
        matches!(&self.what, Replay::Mutation(mutation) if mutation.opens())
    }
}

/// A replayed change.
#[allow(clippy::large_enum_variant, reason = "all but a few are mutations")]
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Replay {
    Mutation(Mutation),
    /// A suspended line of the terminal was interrupted.
    Interrupt,
}

/// All changes of a visit and its last moment: enough to reproduce the session.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Recording {
    pub recorded: Vec<Recorded>,
    /// The last moment.
    pub at: Moment,
    /// Whether a line of the terminal was suspended there.
    pub waits: bool,
}
