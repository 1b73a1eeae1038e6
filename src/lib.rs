//! Berth: kube-scheduler v1.34 in Rust, explained step by step.

pub mod api;
pub mod framework;
