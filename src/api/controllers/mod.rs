//! What controllers write into objects, as pure functions of those objects: no clock, no cluster.
//!
//! Used once when manifests are prepared, and again by the simulation after each event.

pub mod disruption;
pub mod volumes;
