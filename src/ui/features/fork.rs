//! A fork: what was changed, and how its outcome differs from that of the first run.

pub mod first_run;
mod view;

pub use view::{title, view};
