//! NodeResourcesFit and NodeResourcesBalancedAllocation: does the Pod fit, and how well.

pub mod balanced;
pub mod fit;
pub mod scoring;
