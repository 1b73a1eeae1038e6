//! Reductions of an attempt to its smallest case.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

use super::cycle::Cycle;
use super::frame::Frame;
use super::remark::Remark;

/// How much a cluster or case has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Size {
    pub nodes: usize,
    pub pods: usize,
}

/// The attempt that a case is about, in one of its runs.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct ToldAttempt {
    /// The state at the end of the run.
    pub frame: Frame,
    /// The position of the attempt in its log.
    pub position: usize,
    pub cycle: Cycle,
}

/// The second run of a case in which two runs come out differently: side `b` of its `compare`.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct OtherRun {
    pub differs_by: DiffersBy,
    pub attempt: ToldAttempt,
}

/// What differs between the runs of a case.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum DiffersBy {
    /// The releases of both: `1.35`, `1.36`.
    Kubernetes { a: String, b: String },
    /// The scheduler's configuration.
    Configuration,
}

/// A case as faces show it.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct ReducedCase {
    /// The whole cluster.
    pub from: Size,
    pub to: Size,
    /// Number of trials.
    pub runs: usize,
    /// The case as a file.
    pub text: String,
    pub attempt: ToldAttempt,
    /// The second run, if the case has two.
    pub other: Option<OtherRun>,
    /// What its counterfactual changes; `None` without one.
    pub fix: Option<Remark>,
    /// What could not be done: it was stopped, or no fix was found.
    pub lacks: Vec<Remark>,
}

/// What the reduction of an attempt has come to.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct ReducedAttempt {
    /// The position of the attempt in the log.
    pub position: usize,
    /// The case, or why there is none.
    pub case: Result<ReducedCase, Remark>,
}
