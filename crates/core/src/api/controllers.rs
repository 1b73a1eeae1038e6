//! The part of controllers that computes fields of objects from objects: no clock, no cluster.
//!
//! Used when manifests are prepared, and by the simulation after each event.

pub mod disruption;
mod scaled;
pub mod volumes;

pub use scaled::scaled;
