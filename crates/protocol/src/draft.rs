//! A lesson that is being made: what its author has given so far, and what the engine answers to it.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::lesson::Ask;
use super::moment::Moment;
use super::problem::Problem;
use super::remark::Remark;
use super::rule::{Broken, Rule};

/// A lesson that is being made. Texts are Markdown; an empty one is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Draft {
    pub title: String,
    /// What is wrong: symptoms, not causes.
    pub description: String,
    /// What to reach, without saying how.
    pub task: String,
    /// How long it takes; 0: not stated.
    pub minutes: u32,
    pub hints: Vec<String>,
    /// `None` until it is marked.
    pub start: Option<DraftStart>,
    /// As in the file: `Node`, `Pod/db.spec.tolerations`.
    pub locked: Vec<String>,
    pub goals: Vec<DraftGoal>,
    pub solution: Vec<DraftStep>,
    pub wrong: Vec<DraftWrong>,
    pub predict: Vec<DraftQuestion>,
}

/// The start of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct DraftStart {
    /// The manifests; a `Scenario` in front has only what the cluster depends on.
    pub manifests: String,
    /// A simulated cluster; otherwise Pods are only scheduled.
    pub live: bool,
    /// Command lines that lead from the manifests to the start.
    pub before: Vec<String>,
}

/// A goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DraftGoal {
    /// The expectation in YAML, without `words`.
    pub text: String,
    /// Its sentence; empty: the derived one.
    pub words: String,
}

/// A step.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DraftStep {
    /// Command lines, or manifests.
    pub text: String,
    pub is_command: bool,
    /// Why it is taken; may be empty.
    pub note: String,
}

/// A typical wrong answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DraftWrong {
    pub steps: Vec<DraftStep>,
    /// Expectations in YAML by which it is recognised.
    pub when: Vec<String>,
    pub say: String,
}

/// A question before a Pod is scheduled.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct DraftQuestion {
    pub pod: String,
    pub ask: Ask,
    pub say: String,
}

/// A query about a lesson that is being made.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum DraftQuery {
    /// This moment as the start of a lesson.
    Start,
    /// What was done by hand since this start was opened.
    Steps(DraftStart),
    /// Expectations that hold after these steps and not at the start. `wrong`: the steps are a wrong answer, and the
    /// expectations do not hold after the solution either.
    Propose {
        draft: Box<Draft>,
        steps: Vec<DraftStep>,
        wrong: bool,
    },
    /// Writes the file, and plays it by the rules.
    Check(Box<Draft>),
}

/// An answer to a [`DraftQuery`].
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum DraftAnswer {
    Start(DraftStart),
    Steps(Vec<DraftStep>),
    Proposed {
        steps: Vec<DraftStep>,
        wrong: bool,
        /// An error if the start or a step fails.
        proposals: std::result::Result<Vec<Proposal>, Broken>,
    },
    Written(Written),
    /// A rule was played; `broken` is empty if it holds.
    Played {
        rule: Rule,
        broken: Vec<Broken>,
        /// The release that breaks it, if only some do.
        release: Option<String>,
        /// Number of rules to be played after it.
        left: usize,
    },
}

/// A lesson as a file, and what is known about it before it is played.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Written {
    pub text: String,
    /// What keeps it from being a lesson.
    pub problems: Vec<Problem>,
    /// The manifests that a learner sees, and the moment of the run at which the lesson begins.
    pub manifests: String,
    pub at: Moment,
    /// The derived sentence of each goal; empty if it cannot be read.
    pub goals: Vec<Remark>,
    /// What can be locked: kinds, and `Kind/name` of the start's objects.
    pub objects: Vec<String>,
    /// The rules to be played, in this order.
    pub rules: Vec<Rule>,
}

/// A proposed expectation.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Proposal {
    /// In YAML.
    pub text: String,
    pub meaning: Meaning,
    /// It belongs to the smallest sensible set; others can be added.
    pub main: bool,
}

/// The meaning of a proposed expectation. `pods` is a Pod's name, or labels (`app=web`).
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Meaning {
    /// One Pod has a node.
    Placed { pod: String },
    /// So many Pods have nodes.
    AllPlaced { pods: String, count: usize },
    /// So many Pods wait.
    Waiting { pods: String, count: usize },
    /// All are on these nodes.
    On { pods: String, nodes: Vec<String> },
    /// No domain of the topology key has more than `most`.
    AtMost {
        pods: String,
        key: String,
        most: usize,
    },
    /// They are gone.
    Gone { pods: String },
    /// None was evicted.
    NotEvicted { pods: String },
    /// One was evicted.
    Evicted { pods: String },
    /// At least `least` Pods were ready at all times.
    NeverBelow { pods: String, least: usize },
    /// At least `count` nodes are empty.
    Empty { count: usize },
    /// These nodes are empty.
    TheseEmpty { nodes: Vec<String> },
    /// These nodes are cordoned and empty.
    Drained { nodes: Vec<String> },
    /// A field of an object has this value; `None`: it is absent.
    Field {
        object: String,
        path: String,
        value: Option<String>,
    },
    /// A list of an object has this item.
    Item {
        object: String,
        path: String,
        item: String,
    },
}
