//! Why a Pod did not go to a particular node.

use borsh::{BorshDeserialize, BorshSerialize};

use super::cycle::Verdict;

/// What kept one attempt from choosing a node.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum WhyNot {
    /// Nothing did: the Pod went there.
    Chosen,
    /// A Filter plugin refused it.
    Rejected {
        /// The refusal that counted.
        verdict: Verdict,
        /// All plugins that refuse it, that one included, with their facts.
        failures: Vec<Verdict>,
    },
    /// PreFilter rejected the Pod before any node was looked at.
    RejectedEarly { plugin: String, message: String },
    /// PreFilter left only other nodes to look at.
    Excluded {
        /// The nodes that were left, sorted; they need not exist.
        nodes: Vec<String>,
        /// What would have refused the node as well.
        failures: Vec<Verdict>,
    },
    /// The Pod had been promised another node by preemption, and fits there: no other was looked at.
    Nominated {
        chosen: String,
        failures: Vec<Verdict>,
    },
    /// The search had found enough feasible nodes before it came to this one.
    NotExamined {
        /// Feasible nodes that were found.
        feasible: u32,
        /// Nodes that were looked at.
        examined: u32,
        nodes: u32,
        /// What would have refused the node; empty if it is feasible.
        failures: Vec<Verdict>,
    },
    /// Feasible, but another node has a higher total.
    Outscored {
        chosen: String,
        chosen_total: i64,
        total: i64,
        differences: Vec<ScoreDifference>,
    },
    /// Feasible, with the same total as the node that was chosen.
    Tied {
        chosen: String,
        total: i64,
        /// How many nodes have the highest total.
        among: u32,
        /// The seed that picked, `None` when the alphabetically first was taken.
        seed: Option<u64>,
        differences: Vec<ScoreDifference>,
    },
    /// The attempt ended with an error.
    Failed { message: String },
}

/// One plugin's part in the difference of two totals. In lists: what speaks most for the chosen node
/// first, what speaks most for the other last; plugins that see no difference are left out.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ScoreDifference {
    pub plugin: String,
    /// Weighted score of the node that was chosen.
    pub chosen: i64,
    /// Weighted score of the node that was asked about.
    pub other: i64,
}

impl ScoreDifference {
    /// How much the plugin speaks for the chosen node; negative: for the other.
    pub fn margin(&self) -> i64 {
        self.chosen.saturating_sub(self.other)
    }
}
