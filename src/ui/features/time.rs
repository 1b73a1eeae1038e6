//! Moving through the run: steps, playback, and the timeline.

pub mod clock;
mod state;
pub mod trip;
mod view;

pub use state::{Playback, Time, TimeAction, pause_ms};
pub use view::{breaks, class_of_mark, described, labels, marks, moment, sizes, speed, view};
