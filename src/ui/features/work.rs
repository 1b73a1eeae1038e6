//! Long work of the engine: shown, announced, and stopped.

mod state;
mod view;

pub use state::Working;
pub use view::view;
