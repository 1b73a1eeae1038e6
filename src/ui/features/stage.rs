//! The stage: nodes with their Pods, and the forms over it.

pub mod shortcuts;
mod state;
mod view;

pub use state::{Chip, OpenCard, OpenChip, OpenDevice, Stage, StageAction};
pub use view::{Cards, add_button, of_side, show_lit, view};
