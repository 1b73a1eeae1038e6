//! What a cycle looked like: recorded while it runs, and printed for comparison.

pub mod format;
pub mod recorder;
