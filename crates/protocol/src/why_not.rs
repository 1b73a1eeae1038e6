//! Why a Pod was not placed on a particular node.

use borsh::{BorshDeserialize, BorshSerialize};

use super::cycle::Verdict;

/// The reason why an attempt did not choose a node.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum WhyNot {
    /// None: the attempt chose the node.
    Chosen,
    /// A Filter plugin rejected it.
    Rejected {
        /// The rejection that counted.
        verdict: Verdict,
        /// The rejections of all plugins, including that one, with their facts.
        failures: Vec<Verdict>,
    },
    /// PreFilter rejected the Pod before any node was searched.
    RejectedEarly { plugin: String, message: String },
    /// PreFilter narrowed the search to other nodes.
    Excluded {
        /// The remaining nodes, sorted; they need not exist.
        nodes: Vec<String>,
        /// The plugins that would have rejected the node too.
        failures: Vec<Verdict>,
    },
    /// The Pod is nominated to another node and fits there, so no other node was searched.
    Nominated {
        chosen: String,
        failures: Vec<Verdict>,
    },
    /// The search had found enough feasible nodes before it reached the node.
    NotExamined {
        /// Number of feasible nodes found.
        feasible: u32,
        /// Number of nodes searched.
        examined: u32,
        nodes: u32,
        /// The plugins that would have rejected the node; empty if it is feasible.
        failures: Vec<Verdict>,
    },
    /// Feasible, but another node has a higher total.
    Outscored {
        chosen: String,
        chosen_total: i64,
        total: i64,
        differences: Vec<ScoreDifference>,
    },
    /// Feasible, with the same total as the chosen node.
    Tied {
        chosen: String,
        total: i64,
        /// Number of nodes with the highest total.
        among: u32,
        /// The seed that broke the tie; `None` if the alphabetically first node was taken.
        seed: Option<u64>,
        differences: Vec<ScoreDifference>,
    },
    /// The attempt ended with an error.
    Failed { message: String },
}

/// One plugin's part in the difference of two totals. Lists are ordered from the strongest argument
/// for the chosen node to the strongest for the other; plugins without a difference are left out.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ScoreDifference {
    pub plugin: String,
    /// Weighted score of the chosen node.
    pub chosen: i64,
    /// Weighted score of the other node.
    pub other: i64,
}

impl ScoreDifference {
    /// How much the plugin favors the chosen node; negative if it favors the other.
    pub fn margin(&self) -> i64 {
        self.chosen.saturating_sub(self.other)
    }
}
