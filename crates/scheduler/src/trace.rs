//! Records of scheduling cycles, and their JSON form for comparison.

pub mod devices;
pub mod format;
pub mod recorder;
