//! The scheduling framework: extension points, statuses, profiles and the code that runs them.

pub mod plugin;
pub mod preemption;
pub mod profile;
pub mod runner;
pub mod state;
pub mod status;
