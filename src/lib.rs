//! Berth: kube-scheduler v1.36 in Rust, explained step by step.
//!
//! This package holds the three faces: the command (`cli`), the JavaScript API (`js`) and the page (`ui`).
//! The crates under `crates/` compute what they show.

pub mod bench;
#[cfg(feature = "cli")]
pub mod cli;
pub mod export;
#[cfg(feature = "js")]
pub mod js;
pub mod report;
pub mod scene;
#[cfg(feature = "ui")]
pub mod ui;
/// The sentences of the page, which pictures and explanations to take away have, too.
pub mod words;
