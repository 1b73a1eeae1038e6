//! The course: its lessons by chapter, and the progress in them.

mod effects;
pub mod lms;
pub mod progress_code;
mod state;
mod view;

pub use effects::{arrived, fetch_all, list, open, print, store, whole_course, written};
pub use state::{Chapter, Course, Fetched, Listed, Texts};
pub use view::{entry, view};
