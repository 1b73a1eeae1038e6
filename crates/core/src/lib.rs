//! Reading manifests, the cluster state, and kube-scheduler itself.
//!
//! `api` turns text into typed objects, `cluster` is the dense state that the scheduler reads, `framework` and
//! `plugins` mirror kube-scheduler's, `scheduler` runs one cycle, and `trace` records it.

pub mod api;
pub mod base;
pub mod cluster;
pub mod framework;
pub mod plugins;
pub mod release;
pub mod scheduler;
pub mod trace;
