//! Utilities without dependencies: hashes, typed indices, seeded randomness, sorting, JSON, durations, time,
//! quantities, shell words and uids.

pub mod difflib;
pub mod duration;
pub mod go_string;
pub mod hash;
pub mod index;
pub mod json;
pub mod quantity;
pub mod random;
pub mod shell_word;
pub mod sort;
pub mod suggest;
pub mod time;
pub mod uid;
