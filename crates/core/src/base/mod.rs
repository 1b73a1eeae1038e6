//! Utilities without dependencies: hashes, typed indices, seeded randomness, sorting, JSON, time.

pub mod hash;
pub mod index;
pub mod json;
pub mod random;
pub mod sort;
pub mod suggest;
pub mod time;
