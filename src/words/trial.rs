//! Text of the changes that are tried on a fork.

use berth_words::{say, text};

use super::Text;

pub const WHAT_IF: Text = text!("What if");
pub const WHAT_IF_MEANS: Text =
    text!("Drain a node, lose a zone, add nodes: tried on a fork, beside all pending Pods");
pub const RUNS_ON_FORK: Text = text!("runs on a fork");
pub const DRAIN_A_NODE: Text = text!("Drain a node");
pub const LOSE_A_ZONE: Text = text!("Lose a zone");
pub const ADD_NODES: Text = text!("Add nodes");
pub const NODE_TO_DRAIN: Text = text!("Node to drain");
pub const ZONE_TO_LOSE: Text = text!("Zone to lose");
pub const NODE_TO_COPY: Text = text!("Like node");
pub const NUMBER_OF_NODES: Text = text!("Number of nodes");

/// Why there is no zone to lose.
pub fn no_zones(key: &str) -> String {
    say!("No node has the label {key}.")
}
