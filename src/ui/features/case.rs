//! The smallest case that still shows what an attempt came to: found by the engine, opened, copied and saved.

mod effects;
mod state;
mod view;

pub use effects::reduce;
pub use state::{CaseAction, CasePanel};
pub use view::{entry, view};
