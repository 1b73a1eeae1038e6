//! A scenario's expectations, and whether they are met at one moment.

use serde::{Deserialize, Serialize};

use crate::remark::Remark;

/// The result of one expectation at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Index among the scenario's expectations, from 0.
    pub index: usize,
    /// The expectation in words: `All Pods with app=web are Bound`.
    pub expected: Remark,
    pub met: bool,
    /// What was observed instead; empty if the expectation is met.
    pub why: Remark,
    /// The file that contains the expectation.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}
