//! Text of the form of one chip.

use berth_words::{say, text};

use super::{Text, short_key};

pub const DONE: Text = text!("Done");
pub const KEY: Text = text!("Key");
pub const VALUE: Text = text!("Value");
pub const REMOVE_TAINT: Text = text!("Remove taint");
pub const REMOVE_LABEL: Text = text!("Remove label");
pub const WHOLE_NODE: Text = text!("Edit node");

/// `Taint on cp-1`.
pub fn taint_on(node: &str) -> String {
    say!("Taint on {node}")
}

/// `Label zone of node-a1`.
pub fn label_of(key: &str, node: &str) -> String {
    say!("Label {key} of {node}", key = short_key(key))
}
