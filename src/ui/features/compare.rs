//! Two runs side by side.

mod state;
mod view;

pub use state::{Compare, CompareAction, Elsewhere, Kind, Topic, shows};
pub use view::{bar, button, form, names, view};
