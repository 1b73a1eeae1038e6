//! What if: nodes are lost or drained, nodes or replicas come, all is placed anew.

mod state;
mod view;

pub use state::{Asked, Trial, TrialAction};
pub use view::{asked, view};
