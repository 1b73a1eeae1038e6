//! What the engine reports to the page. Updates and commands ([`super::command`]) travel as bytes
//! (Borsh), so that the engine may run in a worker.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use super::command::Moment;
use super::cycle::Cycle;
use super::fact::FactKind;
use super::fix::Fix;
use super::frame::{AboutFrame, ForkFrame, Mark, NodeFrame, PodFrame};
use super::gesture::Label;
use super::happening::Happening;
use super::problem::Problem;
use super::scheduler::SchedulerFrame;
use super::terminal::Printed;
use super::why_not::WhyNot;

/// Every explanation reports all nodes of a cluster up to this size.
pub const ALL_ROWS: usize = 200;

/// A message from the engine to the page.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Update {
    /// The difference to the moment reported before.
    Patch(Box<Patch>),
    /// The text of the manifests, when something else than typing changed it.
    Sources {
        text: String,
    },
    Explained(Box<Explained>),
    /// Nothing to explain: no attempt was made.
    Unexplained,
    /// Fixes for an attempt, the smallest first; more may follow unless `done`.
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
    /// Something was refused; nothing changed.
    Refused {
        message: String,
    },
    /// Whether the engine works in slices.
    Running {
        running: bool,
    },
    /// What a line of the terminal printed.
    Printed(Box<Printed>),
    /// Where the run was before the next recorded mutation; `interrupts`: before a waiting line was
    /// ended, by whatever command. `taken`: the manifests given last were accepted.
    Noted {
        before: Moment,
        interrupts: bool,
        taken: bool,
    },
    /// An earlier visit was replayed; `same`: its manifests are those that the page has.
    Restored {
        same: bool,
    },
    /// Completions of the last word of a terminal line.
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
    pub head: Head,
    /// Only if it changed.
    pub about: Option<AboutFrame>,
    pub nodes: Changed<NodeFrame>,
    pub pods: Changed<PodFrame>,
    /// Marks from this position of the log on are replaced by these.
    pub timeline_from: usize,
    pub timeline: Vec<Mark>,
    /// Only if they changed.
    pub problems: Option<Vec<Problem>>,
    /// Only if it changed.
    pub scheduler: Option<SchedulerFrame>,
}

/// What every patch reports whole, for it is small.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Head {
    pub title: String,
    /// Entries of the log before this moment.
    pub position: usize,
    pub log_length: usize,
    pub finished: bool,
    pub digest: String,
    pub seed: u64,
    /// How many changes can be undone, and redone.
    pub undo: usize,
    pub redo: usize,
    /// Number of Pods that have ended; the list of Pods leaves them out.
    pub ended: usize,
    pub queue: Lanes,
    /// The simulated time, in milliseconds since the beginning; `None` without a clock.
    pub now_ms: Option<i64>,
    /// When something happens next, at the end of the log; `None` without a clock.
    pub next_ms: Option<i64>,
    /// What happened last before this moment, oldest first; empty without a clock.
    pub happened: Vec<Happening>,
    pub ignored: BTreeMap<String, usize>,
    pub fork: Option<ForkFrame>,
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

/// The waiting Pods, as many as the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Lanes {
    pub active: Lane,
    /// Empty without a clock.
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
    /// Whether it was made already; `false`: it is a forecast.
    pub made: bool,
    /// When, in milliseconds since the beginning; `None` without a clock.
    pub at_ms: Option<i64>,
    /// Its nodes are the rows that were asked for; in clusters of up to [`ALL_ROWS`] nodes the others
    /// follow them.
    pub result: Result<Cycle, String>,
    pub rows: Rows,
}

/// Which of a cycle's nodes are reported, and a summary of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Rows {
    /// Position of the first row among those that the filter lets through.
    pub from: usize,
    /// Number of rows that the filter lets through.
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
    /// The first of them, and the numbers behind its rejection if there are any.
    pub first: String,
    pub fact: Option<FactKind>,
}

/// A piece of the manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Snippet {
    /// The object that it belongs to: `Deployment web`.
    pub object: String,
    /// From 1.
    pub line: u32,
    pub last_line: u32,
    pub text: String,
}
