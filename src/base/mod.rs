//! Small things everything else stands on: typed indices and seeded randomness.

pub mod index;
pub mod random;
