//! The scheduling framework: extension points, statuses, profiles, and the runner.

pub mod by_domain;
pub mod events;
pub mod feasible;
pub mod fit_error;
pub mod plugin;
pub mod preemption;
pub mod profile;
pub mod registry;
pub mod rejections;
pub mod runner;
pub mod state;
pub mod status;
