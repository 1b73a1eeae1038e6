//! What a scenario expects, and whether it is so at one moment.

use serde::{Deserialize, Serialize};

/// One expectation, held against one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Position among the scenario's expectations, from 0.
    pub index: usize,
    /// What is expected, in words: `All Pods with app=web are Bound`.
    pub expected: String,
    pub met: bool,
    /// What is instead; empty if it is met.
    pub why: String,
    /// Where the expectation stands.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}
