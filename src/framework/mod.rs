//! The scheduling framework: extension points, profiles, and how plugins are called.

pub mod profile;
