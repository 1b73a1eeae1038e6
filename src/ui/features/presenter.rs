//! Presenting to a room: presentation size, one key for the next step, and the trainer's notes in a second window.

pub mod presenting;
mod state;
mod view;

pub use state::{Notes, Presenter, PresenterAction, Upcoming};
pub use view::{NOTES, button, open_notes, show_notes, view};
