//! The level builder: makes a lesson.

mod state;
mod view;

pub use state::{Builder, BuilderAction, Change, List, Place, last_lesson};
pub use view::{entry_button, tab, view};
