//! Records of scheduling cycles, and their JSON form for comparison.

pub mod format;
pub mod recorder;
