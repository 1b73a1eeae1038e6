#![doc = include_str!("../README.md")]

pub mod affinity;
pub mod cel;
pub mod cluster;
pub mod config;
pub mod field;
pub mod framework;
pub mod meta;
pub mod names;
pub mod plugins;
pub mod pod_object;
pub mod release;
mod scheduler;
pub mod selector;
pub mod topology_labels;
pub mod trace;
pub mod volumes;

pub use berth_base as base;
pub use berth_protocol as protocol;
pub use k8s_openapi;
pub use scheduler::{Position, Scheduler, TieBreak, cycle, observer, queue};
