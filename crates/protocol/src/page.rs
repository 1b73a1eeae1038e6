//! Updates from the engine to the page. Updates and commands ([`super::command`]) are serialized with
//! Borsh, so that the engine can run in a worker.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use super::cluster_word::ClusterWord;
use super::compare::Compared;
use super::cycle::{Cycle, PluginScore, Verdict};
use super::draft::DraftAnswer;
use super::drain::{DrainPlan, InferredOwner};
use super::due::Due;
use super::fact::{FactKind, counted};
use super::fix::{Fix, GroupFix};
use super::frame::{AboutFrame, ForkChange, ForkFrame, Mark, NodeFrame, PodFrame};
use super::gesture::Label;
use super::happening::Happening;
use super::lesson::{Handout, LessonFrame};
use super::meant::Meant;
use super::moment::Moment;
use super::out_of_line::OutOfLine;
use super::problem::Problem;
use super::reduce::ReducedAttempt;
use super::remark::Remark;
use super::scheduler::SchedulerFrame;
use super::score::Arithmetic;
use super::terminal::Printed;
use super::what_if::{Answered, Asking, Workload};
use super::why_not::WhyNot;
use super::work::Work;

/// Explanations report all nodes of clusters up to this size.
pub const ALL_ROWS: usize = 200;

/// A message from the engine to the page.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Update {
    /// The difference from the previously reported moment.
    Patch(Box<Patch>),
    /// The new text of the manifests, if something other than typing changed it.
    Sources {
        text: String,
    },
    Explained(Box<Explained>),
    /// There is no attempt to explain.
    Unexplained,
    /// Fixes for an attempt, smallest first; more may follow unless `done`.
    Fixes {
        position: usize,
        fixes: Vec<Fix>,
        done: bool,
    },
    /// The answer to [`super::command::Query::Reason`]. `early`: PreFilter's or an error's message, which counts no nodes.
    Reason {
        position: usize,
        early: Option<Remark>,
        rows: Rows,
    },
    /// The answer to [`super::command::Query::Nearest`], by the first of its positions; `None`: no candidate helps.
    Nearest {
        position: usize,
        fix: Option<Box<GroupFix>>,
    },
    /// The answer to [`super::command::Query::Ungate`], by the first of its Pods; `None`: it would not be bound then.
    Ungated {
        pod: String,
        fix: Option<Box<GroupFix>>,
    },
    WhyNot {
        position: usize,
        node: String,
        why: WhyNot,
    },
    /// The answer to [`super::command::Query::Numbers`].
    Numbers(OutOfLine<Numbers>),
    /// All that happened in the simulated cluster before this moment, oldest first.
    Happened {
        happened: Vec<Happening>,
    },
    Exported {
        text: String,
    },
    Drain(Box<DrainPlan>),
    /// A lesson on paper, or why it cannot be played.
    Handout(Result<Box<Handout>, Remark>),
    /// The lesson at this moment; `None`: there is none any more.
    Lesson(Option<Box<LessonFrame>>),
    /// The answer to [`super::command::Query::Draft`].
    Draft(OutOfLine<DraftAnswer>),
    /// The label is valid for nodes.
    Fine(Label),
    /// A command was refused; nothing changed.
    Refused {
        message: Remark,
    },
    /// Whether the engine is working in slices.
    Running {
        running: bool,
    },
    /// The output of a line of the terminal.
    Printed(Box<Printed>),
    /// The moment before the next recorded mutation, or, with `interrupts`, before a command interrupted a
    /// suspended line. `taken`: the latest manifests were accepted.
    Noted {
        before: Moment,
        interrupts: bool,
        taken: bool,
    },
    /// An earlier visit was replayed; `same`: its manifests equal those of the page; `printed`: the lines of the
    /// terminal that it ran.
    Restored {
        same: bool,
        printed: Vec<Printed>,
    },
    /// Completions of the last word of a terminal line.
    Completions {
        line: String,
        cursor: usize,
        words: Vec<String>,
    },
    /// The answer to [`super::command::Query::WhatIf`]; before its end, what has been played so far.
    Answered(OutOfLine<WhatIfAnswer>),
    /// The answer to [`super::command::Query::Reduce`]; before its end, the best case so far.
    Reduced(OutOfLine<ReducedAttempt>),
    /// The comparison under way.
    Compared(OutOfLine<Compared>),
    /// Work that lasts longer than a second; `None`: it ended.
    Working(Option<Work>),
}

/// What a question has come to.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct WhatIfAnswer {
    pub asking: Asking,
    pub answer: Result<Answered, Remark>,
    /// Why workloads wait that a table lists.
    pub reasons: Vec<WaitReason>,
}

/// Why the first waiting Pod of a workload waits.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct WaitReason {
    pub workload: Workload,
    /// kube-scheduler's message.
    pub message: String,
    /// PreFilter's or an error's message, which counts no nodes.
    pub early: Option<Remark>,
    pub rows: Rows,
}

/// The difference between two moments. A large one is split into several patches, all but the last with
/// `more`.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Patch {
    pub more: bool,
    pub head: Head,
    /// Only if it changed.
    pub about: Option<AboutFrame>,
    pub nodes: Changed<NodeFrame>,
    pub pods: Changed<PodFrame>,
    /// `timeline` replaces the marks from this position of the log on.
    pub timeline_from: usize,
    pub timeline: Vec<Mark>,
    /// Only if they changed.
    pub problems: Option<Vec<Problem>>,
    /// Only if it changed.
    pub scheduler: Option<SchedulerFrame>,
}

/// The small fields that every patch contains in full.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Head {
    pub title: String,
    /// Entries of the log before this moment.
    pub position: usize,
    pub log_length: usize,
    pub finished: bool,
    pub digest: String,
    pub seed: u64,
    /// Number of changes that can be undone, and redone.
    pub undo: usize,
    pub redo: usize,
    /// What they would be, if each is one change that has words.
    pub undoes: Option<Box<ForkChange>>,
    pub redoes: Option<Box<ForkChange>>,
    /// Number of finished Pods, which the list of Pods omits.
    pub ended: usize,
    /// [`super::frame::Frame::victims`], in clusters of up to [`ALL_ROWS`] nodes: the page draws them on cards.
    pub victims: Vec<PodFrame>,
    pub queue: Lanes,
    /// The simulated time, in milliseconds since the start; `None` without a clock.
    pub now_ms: Option<i64>,
    /// At the end of the log, what happens next; `None` without a clock.
    pub due: Option<Due>,
    /// The last happenings before this moment, oldest first; empty without a clock.
    pub happened: Vec<Happening>,
    pub ignored: BTreeMap<String, usize>,
    pub fork: Option<ForkFrame>,
    /// Workloads that the manifests lack.
    pub inferred: Vec<InferredOwner>,
    /// What the cluster of a dump said about its waiting Pods; known at the end of the run.
    pub cluster_word: Option<ClusterWord>,
    pub release: ReleaseFrame,
}

/// The Kubernetes release that is followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ReleaseFrame {
    /// `1.36`.
    pub minor: String,
    /// `v1.36.3`.
    pub full: String,
    /// Whether it was chosen outside the manifests.
    pub chosen: bool,
    /// Those to choose from, oldest first.
    pub known: Vec<KnownRelease>,
    /// That the nodes' kubelets are of another one.
    pub differs: Option<Remark>,
    /// The minor version that is nearest to the kubelets', if it is another one.
    pub nearest: Option<String>,
}

/// A Kubernetes release to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KnownRelease {
    /// `1.36`.
    pub minor: String,
    /// The day on which its support ended (`2026-10-27`); `None` while it is supported.
    pub ended: Option<String>,
}

/// The changes of a list.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Changed<T> {
    /// The list's new length.
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

/// The pending Pods that the page shows.
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

/// The explanation of an attempt.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Explained {
    /// Position in the log.
    pub position: usize,
    /// Whether it was made; if not, `result` is a forecast.
    pub made: bool,
    /// Its time, in milliseconds since the start; `None` without a clock.
    pub at_ms: Option<i64>,
    /// Its nodes are the requested rows; in clusters of up to [`ALL_ROWS`] nodes, the others follow.
    pub result: Result<Cycle, Remark>,
    pub rows: Rows,
}

/// The reported range of a cycle's nodes, and a summary of all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Rows {
    /// Position of the first row among those that match the filter.
    pub from: usize,
    /// Number of rows that match the filter.
    pub matching: usize,
    pub feasible: usize,
    pub not_examined: usize,
    /// Rejections by plugin and reason, most frequent first.
    pub reasons: Vec<ReasonCount>,
    /// Of each node, in document order.
    pub verdicts: Vec<NodeOutcome>,
    /// The nodes that the Pod was meant for, if it fits none.
    pub meant: Option<Box<Meant>>,
    /// What rules those nodes out, each plugin asked alone: the reason that holds for the most of them first.
    pub decisive: Vec<ReasonCount>,
    /// Score plugins that give every node the same points.
    pub even: Vec<String>,
}

/// How an attempt judged a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum NodeOutcome {
    Feasible,
    Rejected,
    NotExamined,
}

/// The nodes rejected for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ReasonCount {
    pub plugin: String,
    pub reason: String,
    pub count: usize,
    /// Number of the nodes that have none of the resource that they lack; that is, it is not among their allocatable ones.
    pub without: usize,
    /// Number of different taints that nodes have. Releases differ in whether a reason names its taint.
    pub taints: usize,
    /// Positions of the nodes, in document order.
    pub nodes: Vec<u32>,
    /// One of them: the first, or the one with the most left of a resource that they lack; and the numbers behind its
    /// rejection, if any.
    pub node: String,
    pub fact: Option<FactKind>,
}

/// The numbers behind a verdict or a score, with the Pods that they count and the fields of the manifests.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Numbers {
    /// Name of the node.
    pub on: String,
    pub plugin: String,
    pub scored: bool,
    /// The plugin's own verdict; `None` if a score was asked for, or the plugin did not run.
    pub verdict: Option<Verdict>,
    /// The score with its arithmetic; `None` likewise.
    pub score: Option<PluginScore>,
    /// The field of the Pod.
    pub pod: Option<Snippet>,
    /// The field of the node.
    pub node: Option<Snippet>,
    /// The rule of the Pods that are counted, if it is theirs: that of the first one.
    pub rule: Option<Snippet>,
}

impl Numbers {
    /// The Pods that the numbers count, each once.
    pub fn counted(&self) -> Vec<&str> {
        let of_verdict = self.verdict.as_ref();
        let of_verdict = of_verdict.map(|verdict| counted(&verdict.facts));
        let score = self.score.as_ref();
        let of_score = score.and_then(|score| score.arithmetic.as_deref());
        let of_score = of_score.map(Arithmetic::counted);
        of_verdict.or(of_score).unwrap_or_default()
    }
}

/// An excerpt of the manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Snippet {
    /// The object that contains it: `Deployment web`.
    pub object: String,
    /// From 1.
    pub line: u32,
    pub last_line: u32,
    pub text: String,
}
