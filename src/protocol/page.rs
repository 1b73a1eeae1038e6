//! What page and engine say to each other: commands in, updates out. Both travel as bytes (Borsh),
//! so that the engine may run in a worker.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use super::cycle::Cycle;
use super::edit::Edit;
use super::fact::FactKind;
use super::fix::Fix;
use super::frame::{AboutFrame, ForkFrame, Mark, NodeFrame, PodFrame};
use super::gesture::{Gesture, Label};
use super::happening::Happening;
use super::journal::{Course, Moment};
use super::problem::Problem;
use super::scheduler::SchedulerFrame;
use super::terminal::{OpenRequest, Printed};
use super::why_not::WhyNot;

/// What the user wants.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Command {
    /// Take these manifests, at the beginning of their run.
    Open {
        text: String,
    },
    /// Take edited manifests, from this moment on. `goes_on`: more of the same typing.
    Type {
        text: String,
        goes_on: bool,
    },
    /// Edit the manifests, from a position of the log on, or from this moment. `run`: then run to
    /// the end.
    Edit {
        edits: Vec<Edit>,
        at: Option<usize>,
        run: bool,
    },
    /// Something done by hand.
    Gesture(Gesture),
    /// Whether nodes may have this label.
    Check(Label),
    Undo,
    Redo,
    BackToFirstRun,
    KeepFork,
    Step,
    StepBack,
    Reset,
    /// To any position of the log; beyond its end the run goes on, as far as there is.
    Seek {
        position: usize,
    },
    /// On to the end of the run, in slices.
    Run,
    /// Stop running.
    Pause,
    /// What was told while running is drawn: more may be told.
    Drawn,
    /// What to explain from now on.
    Look(Look),
    /// The smallest fixes for the Pod of an attempt.
    Fix {
        position: usize,
    },
    /// Why an attempt did not end on this node.
    WhyNot {
        position: usize,
        node: String,
    },
    /// Where the two sides of a verdict stand in the manifests.
    Find {
        pod: String,
        node: String,
        pod_path: String,
        node_path: String,
    },
    /// Decide ties anew, from the beginning of the run.
    Seed {
        seed: u64,
    },
    /// The manifests with every Pod as it stands.
    Export,
    /// The cluster lives from now on, or Pods are just scheduled.
    Live(bool),
    /// A line of the terminal, or several that belong together.
    Terminal {
        line: String,
    },
    /// Ctrl+C: end the line that waits.
    Interrupt,
    /// What the word before the cursor (in bytes) may become.
    Complete {
        line: String,
        cursor: usize,
    },
    /// Files that the terminal's commands find beside the manifests: name and text of each.
    Files(Vec<(String, String)>),
    /// The descriptions of all fields, for `kubectl explain`.
    Fields(String),
    /// The text of what the terminal asked to edit.
    Edited {
        asked: OpenRequest,
        text: String,
    },
    /// Run once what typing needs; nothing comes of it.
    WarmUp,
    /// Do again what an earlier visit did, and go to where it was; `text`: its manifests, as the page has
    /// them.
    Restore {
        course: Course,
        text: String,
    },
}

/// What is explained, and which of its rows are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Look {
    pub subject: Subject,
    /// First row to show; rows matter only for clusters of more than [`ALL_ROWS`] nodes.
    pub from: usize,
    /// Only nodes whose name contains this, or whose refusal does.
    pub filter: String,
    pub order: Order,
}

/// Nodes up to this number are told in every explanation.
pub const ALL_ROWS: usize = 200;

/// Which attempt is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Subject {
    /// The last one made.
    #[default]
    Latest,
    /// The last of this Pod.
    Pod(String),
    /// The one at this position of the log, also if it is still to be made.
    Attempt(usize),
}

/// The order of the matrix's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Order {
    /// As in the manifests.
    #[default]
    Document,
    Name,
    /// Feasible first, by total; then those with the fewest refusals.
    Score,
    /// By the first refusal.
    Reason,
}

/// What the engine tells.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Update {
    /// What changed on the stage.
    Patch(Box<Patch>),
    /// The text of the manifests, changed by something else than typing.
    Sources {
        text: String,
    },
    Explained(Box<Explained>),
    /// Nothing to explain: no attempt was made.
    Unexplained,
    /// What would have helped at an attempt, the smallest first; more may follow.
    Fixes {
        position: usize,
        fixes: Vec<Fix>,
        done: bool,
    },
    WhyNot {
        position: usize,
        node: String,
        why: WhyNot,
    },
    /// Where something stands in the manifests.
    Found {
        pod: Option<Snippet>,
        node: Option<Snippet>,
    },
    Exported {
        text: String,
    },
    /// Nodes may have this label.
    Fine(Label),
    /// Something could not be done; nothing was changed.
    Refused {
        message: String,
    },
    /// Whether the engine runs on by itself.
    Running {
        running: bool,
    },
    /// What a line of the terminal printed.
    Printed(Box<Printed>),
    /// Where the run was when the next of the commands was done that can be kept; `interrupts`: when a line that
    /// waited was ended, by whatever command. `taken`: the manifests as they were given last stand.
    Noted {
        before: Moment,
        interrupts: bool,
        taken: bool,
    },
    /// An earlier visit's session is there again; whether its manifests are those that the page has.
    Restored {
        same: bool,
    },
    /// What the last word of a line of the terminal may become.
    Completions {
        line: String,
        cursor: usize,
        words: Vec<String>,
    },
}

/// The difference between two moments. Large ones come in several pieces, the last without `more`.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Patch {
    pub more: bool,
    pub title: String,
    /// Only if it changed.
    pub about: Option<AboutFrame>,
    pub position: usize,
    pub log_length: usize,
    pub finished: bool,
    pub digest: String,
    pub seed: u64,
    pub undo: usize,
    pub redo: usize,
    pub nodes: Changed<NodeFrame>,
    pub pods: Changed<PodFrame>,
    /// Pods that have ended, and are not among them.
    pub ended: usize,
    pub queue: Lanes,
    /// What time it is, in milliseconds since the beginning: only where time passes.
    pub now_ms: Option<i64>,
    /// When something happens next, at the end of the log: only where time passes.
    pub next_ms: Option<i64>,
    /// What happened last before this moment, oldest first: only where time passes.
    pub happened: Vec<Happening>,
    /// Marks from this position of the log on are replaced by these.
    pub timeline_from: usize,
    pub timeline: Vec<Mark>,
    /// Only if they changed.
    pub problems: Option<Vec<Problem>>,
    pub ignored: BTreeMap<String, usize>,
    pub fork: Option<ForkFrame>,
    /// Only if it changed.
    pub scheduler: Option<SchedulerFrame>,
}

/// How a list changed.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Changed<T> {
    /// The list's length from now on.
    pub length: usize,
    /// New items by position.
    pub items: Vec<(usize, T)>,
}

impl<T> Default for Changed<T> {
    fn default() -> Self {
        Self {
            length: 0,
            items: Vec::new(),
        }
    }
}

/// The waiting Pods as far as a strip shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Lanes {
    pub active: Lane,
    /// Only where time passes.
    pub backoff: Lane,
    pub unschedulable: Lane,
    pub gated: Lane,
    pub unmanaged: Lane,
}

/// One part of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Lane {
    /// Keys of the first Pods, in order.
    pub first: Vec<String>,
    pub count: usize,
}

/// An attempt that is explained.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Explained {
    /// Position in the log.
    pub position: usize,
    /// Whether it was made already.
    pub made: bool,
    /// When, in milliseconds since the beginning: only where time passes.
    pub at_ms: Option<i64>,
    /// Its nodes are the rows that were asked for; up to [`ALL_ROWS`] the others follow them.
    pub result: Result<Cycle, String>,
    pub rows: Rows,
}

/// Which of a cycle's nodes are told, and what all of them together are.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Rows {
    /// Position of the first row among those that the filter lets through.
    pub from: usize,
    /// Rows that the filter lets through.
    pub matching: usize,
    pub feasible: usize,
    pub not_examined: usize,
    /// Rejections by plugin and reason, most frequent first.
    pub reasons: Vec<ReasonCount>,
    /// Positions of rejected nodes that preemption cannot help, in document order.
    pub unresolvable: Vec<u32>,
    /// One letter for each node, in document order: `f`easible, `r`ejected, `n`ot examined.
    pub verdicts: String,
}

/// How many nodes were rejected for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ReasonCount {
    pub plugin: String,
    pub reason: String,
    pub count: usize,
    /// Their positions among all nodes, in document order.
    pub nodes: Vec<u32>,
    /// The first of them, and the numbers behind its refusal if there are any.
    pub first: String,
    pub fact: Option<FactKind>,
}

/// A piece of the manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Snippet {
    /// Whose it is: `Deployment web`.
    pub object: String,
    /// From 1.
    pub line: u32,
    pub last_line: u32,
    pub text: String,
}
