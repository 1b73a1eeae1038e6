//! Lessons on paper.

mod state;
mod view;

pub use state::{HandoutAction, Handouts};
pub use view::{of_course, of_lesson, view};
