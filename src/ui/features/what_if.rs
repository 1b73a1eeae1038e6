//! What if: nodes are lost or drained, nodes or replicas come, all is placed again.

mod answer;
mod state;
mod view;

pub use answer::asked;
pub use state::{Asked, TrialAction};
pub use view::view;
