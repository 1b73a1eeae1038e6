//! The board of all pending Pods: grouped by cause, each group with the smallest fix that was found for it.

mod state;
mod view;

pub use state::{Answer, Board, BoardAction, Cause, Group, GroupBy, Nearest};
pub use view::view;
