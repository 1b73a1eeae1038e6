//! Classes: lists of lessons that a link carries. One that is open takes the place of the course.

mod effects;
mod state;
mod view;

pub use effects::{execute, fetch_own, held, is_in};
pub use state::{Arrived, ClassAction, ClassEffect, ClassForm, OpenClass, Refusal};
pub use view::{entry_button, form, head, missing};
