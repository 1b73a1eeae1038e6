//! Berth: kube-scheduler v1.34 in Rust, explained step by step.

pub mod api;
pub mod base;
pub mod bench;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub mod cli;
pub mod cluster;
pub mod framework;
#[cfg(feature = "js")]
pub mod js;
pub mod kubectl;
pub mod plugins;
pub mod protocol;
pub mod scheduler;
pub mod session;
pub mod shell;
pub mod sim;
pub mod trace;
#[cfg(feature = "ui")]
pub mod ui;
