//! The opening: what a first visit begins with.

mod state;
mod view;

pub use state::Opening;
pub use view::view;
