//! The lesson that is played, beside the stage.

mod state;
mod view;

pub use state::{LessonAction, Lessons, NoProgress};
pub use view::{card, status, strip, tab, view};
