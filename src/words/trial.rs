//! Text of the changes that are tried on a fork.

use berth_words::{say, text};

use super::Text;

pub const WHAT_IF: Text = text!("What if");
pub const WHAT_IF_MEANS: Text = text!(
    "Lose, drain, upgrade or add nodes, add replicas, place anew: played beside all pending Pods"
);
pub const DRAIN_NODES: Text = text!("Drain nodes");
pub const UPGRADE_A_POOL: Text = text!("Upgrade a pool");
pub const NODES_THAT_CAN_GO: Text = text!("Nodes that can go");
pub const LOSE_NODES: Text = text!("Lose nodes");
pub const ADD_NODES: Text = text!("Add nodes");
pub const NODES_TO_DRAIN: Text = text!("Node, or label of nodes, to drain");
pub const WHAT_IS_DRAINED: Text = text!("What is drained");
pub const POOL_TO_UPGRADE: Text = text!("Pool, or label of nodes, to upgrade");
pub const NEW_NODES_FIRST: Text = text!("new nodes first");
pub const NODES_MISSING: Text = text!("nodes missing at a time");
pub const POOL_TO_SHRINK: Text = text!("Pool, or label of nodes, of which nodes may go");
pub const OF_ALL_NODES: Text = text!("of all nodes");
pub const SHRINK_MEANS: Text = text!("as long as every Pod is placed again and budgets are kept");
pub const NODES_NEEDED: Text = text!("Nodes needed");
pub const REPLICAS_THAT_FIT: Text = text!("Replicas that fit");
pub const PLACE_ANEW: Text = text!("Place anew");
pub const NODES_TO_LOSE: Text = text!("Node, or label of nodes, to lose");
pub const WHAT_IS_LOST: Text = text!("What is lost");
pub const THESE_NODES: Text = text!("these nodes");
pub const EACH_NODE: Text = text!("each node in turn");
pub const OF_WORKLOAD: Text = text!("Workload");
pub const ASK: Text = text!("Ask | what if");
pub const BACK_TO_PENDING: Text = text!("Back to the Pods that wait");
pub const SAVE_JSON: Text = text!("Save as JSON");
pub const PLAYS_A_COPY: Text = text!("The scheduler plays it on a copy…");
pub const NEED_MEANS: Text = text!("The fewest nodes of each pool for the Pods that wait");
pub const ANEW_MEANS: Text = text!("Every Pod that can move is placed again");
pub const ON_A_COPY: Text = text!("played on a copy; Try on a fork shows it on the stage");
pub const NODE_TO_COPY: Text = text!("Like node");
pub const NUMBER_OF_NODES: Text = text!("Number of nodes");

/// Each value of the label that groups the stage, in turn.
pub fn each_value(key: &str) -> String {
    let key = super::short_key(key);
    say!("each {key} in turn")
}

/// Asks what the change of a row comes to by itself.
pub fn ask_alone(name: &str) -> String {
    say!("Ask about {name} alone")
}
