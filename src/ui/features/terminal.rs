//! The terminal: its transcript and its input line.

mod state;
mod view;

pub use state::{Entry, Terminal, TerminalAction};
pub use view::{editing, view};
