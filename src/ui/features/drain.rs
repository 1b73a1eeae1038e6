//! Draining a node from the stage: first the plan, then the drain.

mod state;
mod view;

pub use view::{button, parts, view};
