//! NodeResourcesFit and NodeResourcesBalancedAllocation.

pub mod balanced;
pub mod fit;
pub mod scoring;
