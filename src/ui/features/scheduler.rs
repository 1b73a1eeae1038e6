//! The form of the scheduler's configuration.

mod state;
mod view;

pub use state::SchedulerForm;
pub use view::{button, view};
