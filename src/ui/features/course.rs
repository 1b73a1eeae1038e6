//! The course: its lessons by chapter, and the progress in them.

mod effects;
pub mod lms;
pub mod progress_code;
mod state;
mod view;

pub use effects::{fetch_all, fetch_course, list, open, print, progress_text, store, whole_course};
pub use state::{Chapter, Course, Fetched, Listed, Texts};
pub use view::{entry, view};
