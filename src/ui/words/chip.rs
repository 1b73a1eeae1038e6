//! Text of the form of one chip.

use super::short_key;

pub const DONE: &str = "Done";
pub const KEY: &str = "Key";
pub const VALUE: &str = "Value";
pub const REMOVE_TAINT: &str = "Remove taint";
pub const REMOVE_LABEL: &str = "Remove label";
pub const WHOLE_NODE: &str = "Edit node";

/// `Taint on cp-1`.
pub fn taint_on(node: &str) -> String {
    format!("Taint on {node}")
}

/// `Label zone of node-a1`.
pub fn label_of(key: &str, node: &str) -> String {
    format!("Label {} of {node}", short_key(key))
}
